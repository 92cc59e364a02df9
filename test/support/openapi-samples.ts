/** Operations and sample values from the OpenAPI document, for tests of every endpoint. */

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  minLength?: number;
  minItems?: number;
  minimum?: number;
  pattern?: string;
  format?: string;
}

export interface Operation {
  operationId?: string;
  description?: string;
  security?: object[];
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Schema }> }>;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

export interface NamedOperation extends Operation {
  method: string;
  path: string;
}

export const operationsOf = (document: ApiDocument): NamedOperation[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

/** Returns the body's content type and schema; null without a body. */
export function bodySchemaOf(operation: Operation): { type: string; schema: Schema } | null {
  const [entry] = Object.entries(operation.requestBody?.content ?? {});
  return entry ? { type: entry[0], schema: entry[1].schema } : null;
}

const TEXTS = [
  'Text',
  'text@example.com',
  'https://example.com/',
  '2027-01-01T00:00:00Z',
  'Asia/Kolkata',
  'ABCDE1234F',
];
const PATTERNED = ['+919811112222', '0'.repeat(32), 'a', 'A1', '2026-11', '000000', 'IN', ...TEXTS];

/** Returns a valid value with the required fields only. */
export function sampleOf(document: ApiDocument, schema: Schema, depth = 0): unknown {
  const at = resolved(document, schema);
  if (depth > 8) return null;
  if (at.const !== undefined) return at.const;
  if (at.enum) return at.enum[0];
  const first = at.anyOf?.[0] ?? at.oneOf?.[0];
  if (first) return sampleOf(document, first, depth + 1);
  if (at.allOf) return Object.assign({}, ...at.allOf.map((part) => sampleOf(document, part, depth + 1)));
  const type = Array.isArray(at.type) ? at.type[0] : at.type;
  if (type === 'object') {
    const names = at.required ?? [];
    return Object.fromEntries(names.map((name) => [name, sampleOf(document, at.properties?.[name] ?? {}, depth + 1)]));
  }
  if (type === 'array') return Array(at.minItems ?? 0).fill(sampleOf(document, at.items ?? {}, depth + 1));
  if (type === 'integer' || type === 'number') return Math.max(at.minimum ?? 1, 1);
  if (type === 'boolean') return true;
  if (type === 'null') return null;
  return textOf(at);
}

function textOf({ pattern, format, minLength = 0 }: Schema): string {
  if (format === 'email') return 'text@example.com';
  if (format === 'uri') return 'https://example.com/';
  if (format === 'date-time') return '2027-01-01T00:00:00Z';
  if (pattern) return PATTERNED.find((each) => new RegExp(pattern).test(each)) ?? 'Text';
  return 'Text '.repeat(Math.ceil(minLength / 5) || 1).slice(0, Math.max(4, minLength));
}

export function resolved(document: ApiDocument, schema: Schema): Schema {
  const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? '')?.[1];
  return name ? resolved(document, document.components.schemas[name] ?? {}) : schema;
}
