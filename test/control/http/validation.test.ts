import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { jsonErrorOffset } from '../../../control/http/body-parsers.ts';
import { commaSeparated, queryInteger } from '../../../control/http/query.ts';
import { validate } from '../../../control/http/validation.ts';

const body = z.object({
  text: z.string().min(2).max(4).optional(),
  count: z.int().min(1).max(5).optional(),
  share: z.number().optional(),
  on: z.boolean().optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  part: z.object({ inner: z.string() }).optional(),
  kind: z.enum(['a', 'b', 'c']).optional(),
  key: z
    .string()
    .regex(/^[a-z]+$/)
    .optional(),
  url: z.url().optional(),
  map: z.record(z.string().max(2), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

describe('items of a body', () => {
  it.each([
    [{ text: 5 }, 'string_type', 'Input should be a valid string'],
    [{ text: null }, 'string_type', 'Input should be a valid string'],
    [{ count: '3' }, 'int_type', 'Input should be a valid integer'],
    [{ count: 1.5 }, 'int_type', 'Input should be a valid integer'],
    [{ share: 'x' }, 'float_type', 'Input should be a valid number'],
    [{ on: 1 }, 'bool_type', 'Input should be a valid boolean'],
    [{ list: {} }, 'list_type', 'Input should be a valid list'],
    [{ part: [] }, 'dict_type', 'Input should be a valid object'],
    [{ map: 'x' }, 'dict_type', 'Input should be a valid object'],
    [{ text: 'x' }, 'string_too_short', 'String should have at least 2 characters'],
    [{ text: 'xxxxx' }, 'string_too_long', 'String should have at most 4 characters'],
    [{ list: [] }, 'too_short', 'List should have at least 1 item'],
    [{ list: ['a', 'b', 'c'] }, 'too_long', 'List should have at most 2 items'],
    [{ count: 0 }, 'greater_than_equal', 'Input should be greater than or equal to 1'],
    [{ count: 1e300 }, 'less_than_equal', 'Input should be less than or equal to 9007199254740991'],
    [{ kind: 'd' }, 'enum', "Input should be 'a', 'b' or 'c'"],
    [{ key: 'A' }, 'string_pattern_mismatch', "String should match pattern '^[a-z]+$'"],
    [{ url: 'x' }, 'url_parsing', 'Input should be a valid URL'],
    [{ map: { a: [] } }, 'value_error', 'Input should be a valid string, number or boolean'],
    [{ map: { abc: 1 } }, 'string_too_long', 'String should have at most 2 characters'],
  ])('%j: %s', (value, type, msg) => {
    expect(validate('body', body, value).items).toMatchObject([{ type, msg }]);
  });

  it('name the location, with integers as indexes', () => {
    const { items } = validate('body', body, { list: ['a', 2], part: {} });
    expect(items).toEqual([
      { type: 'string_type', loc: ['body', 'list', 1], msg: 'Input should be a valid string', input: 2 },
      { type: 'missing', loc: ['body', 'part', 'inner'], msg: 'Field required', input: null },
    ]);
  });

  it('cut long values and hide secrets', () => {
    const secret = z.object({ password: z.string().max(3), text: z.string().max(3), part: z.string() });
    const { items } = validate('body', secret, {
      password: 'open sesame',
      text: 'x'.repeat(500),
      part: { token: 'open sesame' },
    });
    expect(items.map(({ input }) => input)).toEqual(['***', 'x'.repeat(200), { token: '***' }]);
  });
});

describe('items of a query', () => {
  const query = z.object({
    limit: queryInteger(1, 200).default(50),
    status: commaSeparated(['queued', 'ended']).optional(),
  });

  it('report text that cannot be parsed', () => {
    const { items } = validate('query', query, { limit: 'many', status: 'queued,gone' });
    expect(items).toEqual([
      {
        type: 'int_parsing',
        loc: ['query', 'limit'],
        msg: 'Input should be a valid integer, unable to parse string as an integer',
        input: 'many',
      },
      { type: 'enum', loc: ['query', 'status'], msg: "Input should be 'queued' or 'ended'", input: 'queued,gone' },
    ]);
  });

  it('report values above the maximum', () => {
    expect(validate('query', query, { limit: '201' }).items).toMatchObject([{ type: 'less_than_equal', input: '201' }]);
  });

  it('are none for valid values', () => {
    expect(validate('query', query, { status: 'queued, ended' }).data).toEqual({
      limit: 50,
      status: ['queued', 'ended'],
    });
  });
});

it.each([
  ['', 0],
  ['{', 1],
  ['{"a": x}', 6],
  ['{"a": 1,}', 8],
  ['[1 2]', 3],
  ['nul', 0],
  ['{"a" 1}', 5],
  ['"open', 5],
  ['{} extra', 3],
  ['[1, 02]', 5],
])('invalid JSON %j has its error at %i', (text, at) => {
  expect(jsonErrorOffset(text)).toBe(at);
});
