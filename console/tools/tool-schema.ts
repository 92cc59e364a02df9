/** The parameters of a tool as rows of a table, and the JSON Schema that says the same. */

export type Schema = Record<string, unknown>;

export const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;
export type ParameterType = (typeof PARAMETER_TYPES)[number];

export interface ParameterRow {
  name: string;
  type: ParameterType;
  description: string;
  required: boolean;
  /** Other keywords of its schema, such as `enum`; they are changed as JSON only. */
  rest: Schema;
}

export interface ParameterTable {
  rows: readonly ParameterRow[];
  /** Other keywords of the whole schema. */
  rest: Schema;
}

export const NEW_PARAMETER: ParameterRow = { name: '', type: 'string', description: '', required: false, rest: {} };

const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isType = (value: unknown): value is ParameterType => (PARAMETER_TYPES as readonly unknown[]).includes(value);

/** Returns the schema as a table; null when it says more than a table can. */
export function tableOf(schema: Schema): ParameterTable | null {
  const { type = 'object', properties = {}, required = [], ...rest } = schema;
  if (type !== 'object' || !isSchema(properties) || !Array.isArray(required)) return null;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(properties, name))) return null;
  const rows: ParameterRow[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (!isSchema(property)) return null;
    const { type: of, description = '', ...more } = property;
    if (!isType(of) || typeof description !== 'string') return null;
    rows.push({ name, type: of, description, required: required.includes(name), rest: more });
  }
  return { rows, rest };
}

/** Returns the JSON Schema of a table. Rows without a name are left out. */
export function schemaOf({ rows, rest }: ParameterTable): Schema {
  const named = rows.filter(({ name }) => name.trim() !== '');
  if (named.length === 0 && Object.keys(rest).length === 0) return {};
  const properties = named.map(({ name, type, description, rest: more }) => [
    name.trim(),
    { type, ...(description !== '' && { description }), ...more },
  ]);
  const required = named.filter((row) => row.required).map(({ name }) => name.trim());
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    ...rest,
  };
}

/** Reads a JSON object; null when the text is none. */
export function objectOf(text: string): Schema | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isSchema(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * Reads the arguments that a person typed, by the name of the parameter. What is empty is left out.
 * @returns the names of those that do not fit their type, when there are any
 */
export function argumentsOf(
  rows: readonly ParameterRow[],
  typed: Readonly<Record<string, string>>,
): { args: Schema; wrong: string[] } {
  const args: Schema = {};
  const wrong: string[] = [];
  for (const { name, type } of rows) {
    const text = typed[name] ?? '';
    if (text === '') continue;
    const value = typedValue(type, text);
    if (value === undefined) wrong.push(name);
    else args[name] = value;
  }
  return { args, wrong };
}

/** Undefined: the text is no value of this type. */
function typedValue(type: ParameterType, text: string): unknown {
  if (type === 'string') return text;
  try {
    const value: unknown = JSON.parse(text);
    const is = Array.isArray(value) ? 'array' : typeof value;
    if (type === 'integer') return Number.isInteger(value) ? value : undefined;
    return is === type && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
