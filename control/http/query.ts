import { z } from 'zod';
import { ID_PATTERN } from '../../shared/ids.ts';
import { notFound } from './errors.ts';

/** Schemas of path and query parameters, which arrive as text. */

const number = (value: unknown) =>
  typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;

/** An integer in a query. */
export const queryInteger = (min: number, max: number) => z.preprocess(number, z.int().min(min).max(max));

/** `a,b,c`, each one of the values; the handler gets an array. */
export const commaSeparated = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.preprocess(
    (value) =>
      typeof value === 'string'
        ? value
            .split(',')
            .map((each) => each.trim())
            .filter((each) => each !== '')
        : value,
    z.array(z.enum(values)),
  );

/** `limit` and `skip` of a long list. */
export const paging = (defaultLimit: number, maxLimit: number) => ({
  limit: queryInteger(1, maxLimit).default(defaultLimit).describe('rows in the response'),
  skip: queryInteger(0, 1_000_000_000).default(0).describe('rows left out before them'),
});

/** The response of a long list. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item).describe('this page'),
    total: z.int().describe('everything that matches the filters'),
  });

/** The response of a list whose matches are not all counted. */
export const longPageOf = <Item extends z.ZodType>(item: Item) =>
  pageOf(item).extend({
    total_is_estimate: z.literal(true).optional().describe('there are more than `total`; only 10000 are counted'),
  });

/** The resource a path parameter identifies: what is `not found` when the id is malformed. */
const resourceNames = z.registry<{ thing: string }>();

/** An id in a path. Malformed ones are `<resource> not found`, without asking the database. */
export function pathId(resource: string, prefix: '' | 'we_' | 'whd_' = '') {
  const pattern = prefix === '' ? ID_PATTERN : new RegExp(`^${prefix}[a-f0-9]{32}$`);
  const schema = z.string().regex(pattern).describe(`the id of the ${resource}`);
  resourceNames.add(schema, { thing: resource });
  return schema;
}

export function notFoundFor(params: z.ZodObject, name: string): Error | null {
  const schema = params.shape[name];
  const named = schema ? resourceNames.get(schema) : undefined;
  return named ? notFound(named.thing) : null;
}
