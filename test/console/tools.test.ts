import { describe, expect, it } from 'vitest';
import { bodyOf, NEW_TOOL, valueErrors, valuesOf } from '../../console/tools/tool-form.ts';
import { argumentsOf, objectOf, type ParameterRow, schemaOf, tableOf } from '../../console/tools/tool-schema.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    day: { type: 'string', description: 'a weekday', enum: ['monday', 'tuesday'] },
    guests: { type: 'integer' },
  },
  required: ['day'],
  additionalProperties: false,
};
const row = (name: string, type: ParameterRow['type']): ParameterRow => ({
  ...{ name, type, description: '', required: false, rest: {} },
});

describe('the parameters of a tool', () => {
  it('are the same schema after they were a table', () => {
    const table = tableOf(SCHEMA)!;
    expect(table.rows).toMatchObject([
      { name: 'day', type: 'string', description: 'a weekday', required: true },
      { name: 'guests', type: 'integer', description: '', required: false },
    ]);
    expect(schemaOf(table)).toEqual(SCHEMA);
    expect(schemaOf(tableOf({})!)).toEqual({});
  });

  it.each([
    [{ type: 'array' }],
    [{ type: 'object', properties: { day: true } }],
    [{ type: 'object', properties: { day: { type: ['string', 'null'] } } }],
    [{ type: 'object', properties: { day: { anyOf: [] } } }],
    [{ type: 'object', properties: {}, required: ['day'] }],
  ])('are no table as %o', (schema) => {
    expect(tableOf(schema)).toBeNull();
  });

  it('without a name are left out', () => {
    expect(schemaOf({ rows: [row(' ', 'string')], rest: {} })).toEqual({});
  });
});

describe('arguments that a person typed', () => {
  it('have the type of their parameter, and are left out when empty', () => {
    const rows = [row('a', 'string'), row('b', 'integer'), row('c', 'boolean'), row('d', 'array'), row('e', 'object')];
    const typed = { a: '5', b: '5', c: 'true', d: '[1]', e: '' };
    expect(argumentsOf(rows, typed)).toEqual({ args: { a: '5', b: 5, c: true, d: [1] }, wrong: [] });
  });

  it.each([
    ['integer', '1.5'],
    ['number', 'five'],
    ['boolean', '1'],
    ['array', '{}'],
    ['object', '[]'],
    ['object', 'null'],
  ] as const)('are wrong as %s: %s', (type, text) => {
    expect(argumentsOf([row('x', type)], { x: text })).toEqual({ args: {}, wrong: ['x'] });
  });

  it('are a JSON object as a whole', () => {
    expect([objectOf(' '), objectOf('{"a":1}'), objectOf('[1]'), objectOf('{')]).toEqual([{}, { a: 1 }, null, null]);
  });
});

describe('the form of a tool', () => {
  const tool = {
    ...{
      kind: 'http' as const,
      name: 'find_slots',
      description: 'Finds slots',
      method: 'GET' as const,
      url: 'https://example.com',
    },
    ...{ headers: { Authorization: 'Bearer x' }, parameters: SCHEMA, pre_call_message: '', timeout_seconds: 5 },
    results: { path: 'order', variables: { id: 'order.id' }, message: '' },
  };

  it('sends back what it was given', () => {
    expect(bodyOf(valuesOf(tool))).toEqual(tool);
  });

  it('leaves an empty time-out to the API, and rows without a name', () => {
    const sent = bodyOf({ ...NEW_TOOL, headers: [{ name: '', value: 'x' }], timeout_seconds: null });
    expect(sent).not.toHaveProperty('timeout_seconds');
    expect(sent.headers).toEqual({});
  });

  it('refuses names that are there twice, and a schema that is no JSON', () => {
    const rows = [row('day', 'string'), row('day', 'number')];
    expect(valueErrors({ ...NEW_TOOL, parameters: { as: 'table', rows, rest: {} } })).toHaveProperty('parameters');
    expect(valueErrors({ ...NEW_TOOL, parameters: { as: 'json', text: '{' } })).toHaveProperty('parameters');
    const headers = ['X-Key', 'x-key'].map((name) => ({ name, value: '1' }));
    expect(valueErrors({ ...NEW_TOOL, headers })).toHaveProperty('headers');
    expect(valueErrors(NEW_TOOL)).toEqual({});
  });
});
