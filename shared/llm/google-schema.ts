import { type Loose, record } from './loose-json.ts';

/**
 * Converts a tool's JSON Schema to the subset that Gemini takes (Gemini API reference, "Schema", a subset of OpenAPI 3.0): it
 * rejects unknown keywords, an empty object at the top, a list without items, and a choice with anything beside it. What is left
 * out only allows more arguments, which are validated before the tool is run.
 */

const MAX_DEPTH = 12;
/** Bound for recursive references; larger schemas are cut off. */
const MAX_PARTS = 2_000;
const FORMATS: Record<string, readonly string[]> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
};

/** Null for a tool without arguments. */
export function geminiSchema(schema: Record<string, unknown>): Loose | null {
  const work = { root: schema, left: MAX_PARTS };
  const whole = converted({ ...withParts(schema, work), type: 'object' }, work, 0);
  return whole.properties === undefined ? null : whole;
}

interface Work {
  root: Loose;
  left: number;
}

function converted(given: unknown, work: Work, depth: number): Loose {
  if (depth > MAX_DEPTH || --work.left < 0) return { type: 'string' };
  const schema = withParts(record(given), work);
  const description = typeof schema.description === 'string' && schema.description !== '' ? schema.description : null;
  const described = description === null ? {} : { description };
  const choices = choicesOf(schema);
  const nullable = schema.nullable === true || choices.some(isNull) || listOf(schema.type).includes('null');
  const real = choices.filter((choice) => !isNull(choice));
  if (real.length > 1) return { anyOf: real.map((choice) => converted(choice, work, depth + 1)) };
  if (real.length === 1) {
    const only = converted(real[0], work, depth + 1);
    return only.anyOf === undefined ? { ...described, ...only, ...(nullable && { nullable }) } : only;
  }
  const type = typeOf(schema);
  const result: Loose = { type, ...described, ...(nullable && { nullable }) };
  if (FORMATS[type]?.includes(schema.format as string)) result.format = schema.format;
  if (type === 'string') {
    const values = (Array.isArray(schema.enum) ? schema.enum : [schema.const]).filter((value) => value !== null);
    if (values.length > 0 && values.every((value) => typeof value === 'string' && value !== '')) result.enum = values;
  }
  if (type === 'array') {
    result.items = converted(schema.items ?? { type: 'string' }, work, depth + 1);
    copyNumbers(schema, result, ['minItems', 'maxItems']);
  }
  if (type === 'number' || type === 'integer') copyNumbers(schema, result, ['minimum', 'maximum']);
  if (type === 'object') {
    const properties = Object.entries(record(schema.properties));
    if (properties.length > 0) {
      result.properties = Object.fromEntries(
        properties.map(([name, each]) => [name, converted(each, work, depth + 1)]),
      );
      const required = listOf(schema.required).filter((name) => properties.some(([known]) => known === name));
      if (required.length > 0) result.required = required;
    }
  }
  return result;
}

/** Resolves references within the document and merges `allOf`. */
function withParts(schema: Loose, work: Work, depth = 0): Loose {
  const parts = [...listOf(schema.allOf)];
  if (typeof schema.$ref === 'string') parts.unshift(referenced(schema.$ref, work.root));
  if (parts.length === 0 || depth > MAX_DEPTH || --work.left < 0) return schema;
  const merged = parts.reduce<Loose>((all, part) => joined(all, withParts(record(part), work, depth + 1)), {});
  const { $ref, allOf, ...own } = schema;
  return joined(merged, own);
}

function joined(first: Loose, other: Loose): Loose {
  const properties = { ...record(first.properties), ...record(other.properties) };
  const required = [...listOf(first.required), ...listOf(other.required)];
  return {
    ...first,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

function referenced(reference: string, root: Loose): unknown {
  if (!reference.startsWith('#/')) return {};
  let found: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    found = record(found)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return found;
}

function choicesOf(schema: Loose): unknown[] {
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)];
  if (choices.length > 0) return choices;
  const types = listOf(schema.type).filter((type) => type !== 'null');
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [];
}

function isNull(schema: unknown): boolean {
  return record(schema).type === 'null';
}

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean'];

function typeOf(schema: Loose): string {
  const named = [schema.type, ...listOf(schema.type)].find((type) => TYPES.includes(type as string));
  if (typeof named === 'string') return named;
  if (schema.properties !== undefined) return 'object';
  return schema.items === undefined ? 'string' : 'array';
}

function copyNumbers(from: Loose, to: Loose, names: string[]): void {
  for (const name of names) if (typeof from[name] === 'number') to[name] = from[name];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
