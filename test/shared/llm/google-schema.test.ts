import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../../fixtures/simulators/google-request.ts';
import { geminiSchema } from '../../../shared/llm/google-schema.ts';

/** What the strict server has to say of a tool with this schema. */
function refused(schema: Record<string, unknown>): string | null {
  const parameters = geminiSchema(schema);
  const contents = [{ role: 'user', parts: [{ text: 'x' }] }];
  const declaration = { name: 'f', description: 'd', ...(parameters && { parameters }) };
  return refusalOf({ contents, tools: [{ functionDeclarations: [declaration] }] }, 'gemini-2.5-flash');
}

const of = (property: unknown) => {
  const schema = { type: 'object', properties: { p: property } };
  expect(refused(schema)).toBeNull();
  return (geminiSchema(schema) as { properties: { p: unknown } }).properties.p;
};

describe('a schema for Gemini', () => {
  it.each<[unknown, unknown]>([
    [{ type: 'string', minLength: 3, pattern: '^a' }, { type: 'string' }],
    [{ type: 'string', format: 'email' }, { type: 'string' }],
    [
      { type: 'string', format: 'date-time' },
      { type: 'string', format: 'date-time' },
    ],
    [
      { type: ['string', 'null'], description: 'd' },
      { type: 'string', description: 'd', nullable: true },
    ],
    [{ type: ['string', 'number'] }, { anyOf: [{ type: 'string' }, { type: 'number' }] }],
    [
      { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'd' },
      { description: 'd', type: 'integer', nullable: true },
    ],
    [
      { oneOf: [{ const: 'a' }, { const: 'b' }], description: 'd' },
      {
        anyOf: [
          { type: 'string', enum: ['a'] },
          { type: 'string', enum: ['b'] },
        ],
      },
    ],
    [{ enum: [1, 2], type: 'integer' }, { type: 'integer' }],
    [{ enum: ['a', ''] }, { type: 'string' }],
    [
      { type: 'integer', minimum: 1, exclusiveMaximum: 9, multipleOf: 2 },
      { type: 'integer', minimum: 1 },
    ],
    [
      { type: 'array', minItems: 1, uniqueItems: true },
      { type: 'array', items: { type: 'string' }, minItems: 1 },
    ],
    [{ type: 'object', additionalProperties: true }, { type: 'object' }],
    [
      { properties: { a: { type: 'boolean' } }, required: ['a', 'b'] },
      { type: 'object', properties: { a: { type: 'boolean' } }, required: ['a'] },
    ],
    [
      { allOf: [{ properties: { a: {} }, required: ['a'] }, { properties: { b: {} } }], description: 'd' },
      {
        type: 'object',
        description: 'd',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        required: ['a'],
      },
    ],
    [null, { type: 'string' }],
    [true, { type: 'string' }],
    [{ type: 'weather' }, { type: 'string' }],
    [{ $ref: 'https://elsewhere.example/schema' }, { type: 'string' }],
    [{ $ref: '#/nowhere' }, { type: 'string' }],
  ])('makes of %j what it takes', (given, expected) => {
    expect(of(given)).toEqual(expected);
  });

  it('follows references, also those that never end', () => {
    const schema = {
      properties: { tree: { $ref: '#/$defs/tree' } },
      $defs: { tree: { properties: { name: { type: 'string' }, branches: { items: { $ref: '#/$defs/tree' } } } } },
    };
    expect(refused(schema)).toBeNull();
    expect(geminiSchema(schema)).toMatchObject({
      properties: { tree: { type: 'object', properties: { name: { type: 'string' }, branches: { type: 'array' } } } },
    });
  });

  it('stays small, however a schema unfolds', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, { $ref: '#' }]));
    const wide = { properties: many, allOf: [{ $ref: '#' }, { $ref: '#' }] };
    expect(JSON.stringify(geminiSchema(wide)).length).toBeLessThan(2_000_000);
    expect(refused(wide)).toBeNull();
  });

  it('is none for a tool without arguments', () => {
    for (const schema of [{}, { type: 'object' }, { type: 'object', properties: {}, additionalProperties: false }]) {
      expect(geminiSchema(schema)).toBeNull();
    }
  });
});
