import { describe, expect, it } from 'vitest';
import { schemaProblems } from '../../shared/json-schema.ts';

/** More than a pattern can need on any machine: which time it has is one test's subject only. */
const PATTERN_MS = 5_000;

const booking = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    guests: { type: 'integer', minimum: 1, maximum: 12 },
    day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    area: { enum: ['inside', 'garden'] },
    dishes: { type: 'array', items: { $ref: '#/$defs/dish' }, minItems: 1, maxItems: 3, uniqueItems: true },
  },
  required: ['name', 'guests'],
  additionalProperties: false,
  $defs: { dish: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] } },
};

it('what fits has no problem', () => {
  const value = { name: 'अनिल', guests: 4, day: '2026-01-05', area: 'garden', dishes: [{ id: 1.5, hot: true }] };
  expect(schemaProblems(booking, value, PATTERN_MS)).toEqual([]);
});

it.each([
  [{ guests: 2 }, 'name is missing'],
  [{ name: 'Anna', guests: '2' }, 'guests must be a whole number, not a string'],
  [{ name: 'Anna', guests: 2.5 }, 'guests must be a whole number, not a number'],
  [{ name: 'Anna', guests: 0 }, 'guests must be at least 1'],
  [{ name: 'Anna', guests: 13 }, 'guests must be at most 12'],
  [{ name: 'A', guests: 2 }, 'name must have at least 2 characters'],
  [{ name: 'Annabel', guests: 2 }, 'name must have at most 5 characters'],
  [{ name: 'Anna', guests: 2, day: 'tomorrow' }, 'day must match the pattern ^\\d{4}-\\d{2}-\\d{2}$'],
  [{ name: 'Anna', guests: 2, area: 'roof' }, 'area must be one of "inside", "garden"'],
  [{ name: 'Anna', guests: 2, wine: 1 }, 'wine is not allowed'],
  [{ name: 'Anna', guests: 2, dishes: [] }, 'dishes must have at least 1 items'],
  [{ name: 'Anna', guests: 2, dishes: [{ id: 1 }, {}] }, 'dishes[1].id is missing'],
  [{ name: 'Anna', guests: 2, dishes: [{ id: 1 }, { id: 1 }] }, 'dishes must not hold the same item twice'],
  [null, 'the value must be an object, not null'],
])('%j: %s', (value, problem) => expect(schemaProblems(booking, value, PATTERN_MS)).toEqual([problem]));

it.each<[schema: unknown, fits: unknown[], doesNot: unknown[]]>([
  [{}, [1, null, {}], []],
  [true, [1], []],
  [false, [], [1]],
  [{ type: ['string', 'null'] }, ['a', null], [1]],
  [{ type: 'string', nullable: true }, [null], [1]],
  [{ type: 'integer' }, [3, 3.0, -1], [3.1, '3']],
  [{ type: 'boolean' }, [false], [0, 'false']],
  [{ type: 'object' }, [{}], [[], null]],
  [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
  [{ enum: [1, [2]] }, [1, [2]], ['1', 2]],
  [{ exclusiveMinimum: 1, exclusiveMaximum: 3 }, [2], [1, 3]],
  [{ multipleOf: 0.1 }, [0.3, 1], [0.35]],
  [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 6], [4]],
  [{ oneOf: [{ minimum: 1 }, { minimum: 5 }] }, [3], [0, 6]],
  [{ allOf: [{ minimum: 1 }, { maximum: 5 }] }, [3], [0, 6]],
  [{ not: { type: 'string' } }, [1], ['a']],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  [{ if: { type: 'string' }, then: { minLength: 2 }, else: { minimum: 2 } }, ['ab', 2], ['a', 1]],
  [{ prefixItems: [{ type: 'string' }], items: false }, [['a'], []], [[1], ['a', 2]]],
  [{ items: [{ type: 'string' }], additionalItems: { type: 'number' } }, [['a', 1]], [['a', 'b']]],
  [{ contains: { const: 1 }, maxContains: 1 }, [[1, 2]], [[2], [1, 1]]],
  [
    { patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false },
    [{ 'x-a': 1 }],
    [{ 'x-a': '' }, { y: 1 }],
  ],
  [{ propertyNames: { maxLength: 2 } }, [{ ab: 1 }], [{ abc: 1 }]],
  [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
  [{ dependentRequired: { card: ['name'] } }, [{}, { card: 1, name: 1 }], [{ card: 1 }]],
  [{ additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: '1' }]],
  [{ required: ['toString'] }, [{ toString: 1 }], [{}]],
  [{ $defs: { 'a/b': { type: 'string' } }, $ref: '#/$defs/a~1b' }, ['a'], [1]],
  [{ properties: { next: { $ref: '#' } }, required: ['v'] }, [{ v: 1, next: { v: 1 } }], [{ v: 1, next: {} }]],
  [{ pattern: '^\\d\\-\\d$' }, ['1-2'], ['12']],
  [{ pattern: '^.$' }, ['😀'], ['ab']],
])('%j', (schema, fits, doesNot) => {
  for (const value of fits) expect(schemaProblems(schema, value, PATTERN_MS)).toEqual([]);
  for (const value of doesNot) expect(schemaProblems(schema, value, PATTERN_MS)).not.toEqual([]);
});

describe('a schema of a stranger', () => {
  it.each([
    null,
    'string',
    { type: 'strnig', required: 'name', properties: [], items: 7, minimum: '1', pattern: '(', enum: 3, anyOf: [] },
    { $ref: 'https://example.com/schema' },
    { $ref: '#/%' },
    { $ref: '#/constructor' },
    { $ref: '#' },
    { not: { $ref: '#' } },
    { allOf: Array.from({ length: 50 }, () => ({ $ref: '#' })) },
  ])('%j says nothing rather than something wrong', (schema) => expect(schemaProblems(schema, { a: 1 })).toEqual([]));

  it('does not hold up the process with its patterns', () => {
    const evil = { pattern: '^(a+)+$' };
    const schema = { allOf: Array.from({ length: 1000 }, () => evil) };
    expect(schemaProblems(schema, `${'a'.repeat(60)}b`)).toEqual([]);
  });

  it('cannot reach out of its patterns', () => {
    schemaProblems({ pattern: '$&); globalThis.reached = 1; (' }, 'a');
    expect((globalThis as { reached?: number }).reached).toBeUndefined();
  });

  it('reports a few problems, not thousands', () => {
    const value = Array.from({ length: 500 }, () => 'a');
    expect(schemaProblems({ items: { type: 'number' } }, value)).toHaveLength(5);
  });
});

it('names of types that every object has are no types', () => {
  for (const type of ['toString', '__defineGetter__', 'constructor', ['__lookupSetter__']]) {
    expect(schemaProblems({ type }, 'a')).toEqual([]);
    expect(schemaProblems({ type: [type, 'number'].flat() }, 'a')).toEqual([
      'the value must be a number, not a string',
    ]);
  }
});

it('long values are work as well: what would take too long is not decided', () => {
  const long = 'a'.repeat(100_000);
  const short = { minLength: 100_001 };
  expect(schemaProblems({ allOf: [short] }, long)).toEqual(['the value must have at least 100001 characters']);
  expect(schemaProblems({ allOf: new Array(5_000).fill(short) }, long)).toEqual([]);
  const list = new Array(10_000).fill('abcd');
  expect(schemaProblems({ uniqueItems: true }, list)).toEqual(['the value must not hold the same item twice']);
  expect(schemaProblems({ allOf: new Array(5_000).fill({ uniqueItems: true }) }, list)).toEqual([]);
  expect(schemaProblems({ enum: new Array(5_000).fill({}) }, { list })).toHaveLength(1);
});
