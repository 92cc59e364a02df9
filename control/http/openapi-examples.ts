/** Examples for the OpenAPI document, made of the schemas: every field with a value of its form. */

/** A JSON Schema as zod writes it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  examples?: unknown[];
}

type Schemas = Record<string, Schema>;

const MAX_DEPTH = 8;
const ID = '0190d2f4a1b27c3d8e4f5a6b7c8d9e0f';
const TIME = '2026-11-28T09:30:00+05:30';

/** Values that a field gets by its name, when they fit its schema. */
const BY_NAME: [RegExp, unknown][] = [
  [/(^|_)emails?$/, 'asha@example.com'],
  [/(^|_)numbers?$|^(from|to)$/, '+919811112222'],
  [/url$|^website$/, 'https://example.com/'],
  [/timezone$/, 'Asia/Kolkata'],
  [/^currency$/, 'INR'],
  [/language$/, 'en'],
  [/^month$|_month$/, '2026-11'],
  [/^(day|date)$/, '2026-11-28'],
  [/country/, 'IN'],
  [/_at$|^at$/, TIME],
];

/** Values that are tried for a pattern. */
const BY_PATTERN = [ID, `we_${ID}`, '+919811112222', '000000', 'ABCDE1234F', 'example', 'A1', 'a', 'IN', '2026-11'];

/** Returns a value that the schema accepts; `name` is that of the field or record. */
export function exampleOf(schema: Schema, schemas: Schemas, name: string, depth = 0): unknown {
  const at = resolve(schema, schemas);
  if (at.const !== undefined) return at.const;
  if (at.enum) return at.enum[0];
  const options = at.anyOf ?? at.oneOf;
  if (options) {
    const option = options.find(({ type }) => type !== 'null') ?? options[0]!;
    return exampleOf({ description: at.description, ...option } as Schema, schemas, name, depth);
  }
  if (at.allOf) return Object.assign({}, ...at.allOf.map((part) => exampleOf(part, schemas, name, depth)));
  const type = Array.isArray(at.type) ? at.type.find((each) => each !== 'null') : at.type;
  if (type === 'object') return objectOf(at, schemas, depth);
  if (type === 'array') {
    const item = depth > MAX_DEPTH ? [] : [exampleOf(at.items ?? {}, schemas, name, depth + 1)];
    return Array(Math.max(at.minItems ?? 0, item.length)).fill(item[0]);
  }
  if (type === 'string') return textOf(at, name);
  if (at.default !== undefined) return at.default;
  if (type === 'integer' || type === 'number') return Math.min(Math.max(at.minimum ?? 0, 1), at.maximum ?? 1);
  return type === 'boolean' ? false : null;
}

function objectOf(schema: Schema, schemas: Schemas, depth: number): object {
  const { properties = {}, required = [], additionalProperties } = schema;
  const named = Object.entries(properties)
    .filter(([field]) => depth <= MAX_DEPTH || required.includes(field))
    .map(([field, value]) => [field, exampleOf(value, schemas, field, depth + 1)] as const);
  const isMap = named.length === 0 && typeof additionalProperties === 'object' && 'type' in additionalProperties;
  return isMap ? { name: exampleOf(additionalProperties, schemas, 'name', depth + 1) } : Object.fromEntries(named);
}

function textOf(
  { format, pattern, minLength = 0, description = '', default: byDefault }: Schema,
  name: string,
): string {
  if (format === 'date-time') return TIME;
  if (format === 'uri') return 'https://example.com/';
  if (format === 'email') return 'asha@example.com';
  const fits = (value: string) => (!pattern || new RegExp(pattern).test(value)) && value.length >= minLength;
  const prefix = /^`(\w+_)` and 32 hex/.exec(description)?.[1];
  const byName = BY_NAME.find(([names]) => names.test(name))?.[1];
  const quoted = /`([^`{}\s]+)`/.exec(description)?.[1];
  const candidates = [
    ...(prefix ? [prefix + ID] : []),
    ...(/(^|_)id$/.test(name) ? [ID] : []),
    ...(byName === undefined ? [] : [String(byName)]),
    ...(typeof byDefault === 'string' && byDefault !== '' ? [byDefault] : []),
    ...(quoted ? [quoted] : []),
    ...(pattern ? BY_PATTERN : []),
    name.replaceAll('_', ' '),
    '',
  ];
  return candidates.find(fits) ?? name.padEnd(minLength, '.');
}

function resolve(schema: Schema, schemas: Schemas): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name ? resolve(schemas[name] ?? {}, schemas) : schema;
}
