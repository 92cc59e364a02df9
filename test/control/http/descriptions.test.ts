import { beforeAll, expect, it } from 'vitest';
import { request, startTestApi, type TestApi } from '../../support/control-app.ts';

/** Every field of every body and response says what it is: its unit, its form, its limits, when it is null. */

/** Fields without a description per tag; the numbers may only fall. A tag that is not named here has none. */
const MISSING_AT_MOST: Record<string, number> = {};

interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Operation {
  tags: string[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
  parameters?: { $ref?: string; name: string; in: string; description?: string; schema: Schema }[];
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

let api: TestApi;
let missing: Map<string, Set<string>>;

beforeAll(async () => {
  api = await startTestApi();
  const { body } = await request(api.http, { url: '/openapi.json' });
  missing = undescribed(body as Document);
});

it('every field of every record is described, by tag', () => {
  const counts = Object.fromEntries([...missing].map(([group, fields]) => [group, fields.size]));
  const tooMany = Object.entries(counts).filter(([group, count]) => count > (MISSING_AT_MOST[group] ?? 0));
  const names = tooMany.map(([group]) => `${group}: ${[...missing.get(group)!].join(', ')}`);
  expect(names).toEqual([]);
  const tooHigh = Object.entries(MISSING_AT_MOST).filter(([group, most]) => most > (counts[group] ?? 0));
  expect(tooHigh, 'fewer are missing: lower the number').toEqual([]);
});

it('no description only repeats the name of the field', async () => {
  const { body } = await request(api.http, { url: '/openapi.json' });
  const empty: string[] = [];
  walkNames((body as Document).components.schemas, '', empty);
  expect(empty).toEqual([]);
});

/** Fields without a description, by the tag of their endpoints; those of a named record count once, for the first tag. */
function undescribed({ paths, components }: Document): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const seen = new Set<string>();

  function walk(schema: Schema, at: string, group: string): void {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1)!;
      if (seen.has(name)) return;
      seen.add(name);
      walk(components.schemas[name]!, name, group);
      return;
    }
    for (const [name, field] of Object.entries(schema.properties ?? {})) {
      const described = isDescribed(field);
      if (!described) found.set(group, (found.get(group) ?? new Set()).add(`${at}.${name}`));
      walk(field, `${at}.${name}`, group);
    }
    if (schema.items) walk(schema.items, `${at}[]`, group);
    if (typeof schema.additionalProperties === 'object') walk(schema.additionalProperties, `${at}.*`, group);
    for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])])
      walk(each, at, group);
  }

  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const group = operation.tags?.[0] ?? 'none';
      const at = `${method.toUpperCase()} ${path}`;
      for (const { $ref, name, description, schema, in: location } of operation.parameters ?? []) {
        if ($ref) continue;
        if (description === undefined && schema.description === undefined) {
          found.set(group, (found.get(group) ?? new Set()).add(`${at} ${location} ${name}`));
        }
      }
      const bodies = Object.values(operation.requestBody?.content ?? {});
      const answers = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
        status < '400' ? Object.values(content) : [],
      );
      for (const { schema } of [...bodies, ...answers]) if (schema) walk(schema, at, group);
    }
  }
  return found;
}

/** A field may be described itself, by its record, or by its type other than null. */
function isDescribed(field: Schema): boolean {
  if (field.description !== undefined && field.description.trim() !== '') return true;
  return [...(field.anyOf ?? []), ...(field.oneOf ?? [])].some((each) => each.description !== undefined);
}

function walkNames(schemas: Record<string, Schema>, at: string, empty: string[]): void {
  const words = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^a-z]+/g, ' ')
      .trim();
  for (const [name, schema] of Object.entries(schemas)) {
    const { description } = schema;
    if (description !== undefined && at !== '') {
      const said = words(description).replace(/^the /, '');
      if (said === words(name)) empty.push(`${at}.${name}: ${description}`);
    }
    if (schema.properties) walkNames(schema.properties, at === '' ? name : `${at}.${name}`, empty);
    if (schema.items?.properties) walkNames(schema.items.properties, `${at}.${name}[]`, empty);
  }
}
