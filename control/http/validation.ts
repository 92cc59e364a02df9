import { z } from 'zod';
import { HttpError, type ValidationItem } from './errors.ts';

/** Converts the issues of zod into the items of a 422 response. */

export type InputLocation = 'body' | 'query' | 'path' | 'header';
type Issue = z.core.$ZodIssue;

const MAX_ITEMS = 50;
const MAX_INPUT_LENGTH = 200;
/** Fields whose value is never repeated in a response. */
const SECRET_FIELDS = new Set([
  'password',
  'new_password',
  'current_password',
  'code',
  'secret',
  'token',
  'login_token',
  'api_key',
  'headers',
]);

const TYPES: Record<string, [type: string, words: string]> = {
  string: ['string_type', 'string'],
  int: ['int_type', 'integer'],
  number: ['float_type', 'number'],
  boolean: ['bool_type', 'boolean'],
  array: ['list_type', 'list'],
  object: ['dict_type', 'object'],
  record: ['dict_type', 'object'],
};

/** Parses, or returns the items; the items of several locations can be collected before they are thrown. */
export function validate<Schema extends z.ZodType>(
  location: InputLocation,
  schema: Schema,
  value: unknown,
): { data: z.output<Schema>; items: [] } | { data: null; items: ValidationItem[] } {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { data: result.data, items: [] };
  const items: ValidationItem[] = [];
  const seen = new Set<string>();
  for (const issue of result.error.issues) {
    const item = itemOf(location, issue, value, schema);
    // The first issue of a value is the most specific one.
    const at = JSON.stringify(item.loc);
    if (!seen.has(at)) items.push(item);
    seen.add(at);
  }
  return { data: null, items };
}

export function throwValidationError(items: ValidationItem[]): never {
  throw new HttpError(422, items.slice(0, MAX_ITEMS));
}

function itemOf(location: InputLocation, issue: Issue, whole: unknown, schema: z.ZodType): ValidationItem {
  const steps = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  // A query parameter is one text, even where the schema makes a list of it.
  const path = location === 'query' ? steps.slice(0, 1) : steps;
  const value = valueAt(whole, path);
  const missing = value === undefined && issue.code !== 'custom';
  const asText = location === 'query' && typeof value === 'string';
  const [type, msg] = missing ? MISSING : describeIssue(issue, asText, isIntegerAt(schema, path));
  return { type, loc: [location, ...path], msg, input: redactedInput(path, value) };
}

const MISSING: [string, string] = ['missing', 'Field required'];

function describeIssue(issue: Issue, asText: boolean, wantsInteger: boolean): [type: string, msg: string] {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = wantsInteger ? 'int' : (issue.expected as string);
      if (asText && UNPARSABLE[expected]) return UNPARSABLE[expected];
      const [type, words] = TYPES[expected] ?? ['value_error', expected];
      return [type, `Input should be a valid ${words}`];
    }
    case 'too_small':
      return describeSize(issue.origin, 'at least', Number(issue.minimum));
    case 'too_big':
      return describeSize(issue.origin, 'at most', Number(issue.maximum));
    case 'invalid_value':
      return ['enum', `Input should be ${oneOf(issue.values.map((each) => `'${String(each)}'`))}`];
    case 'invalid_format':
      if (issue.format === 'url') return ['url_parsing', 'Input should be a valid URL'];
      return ['string_pattern_mismatch', `String should match pattern '${patternText(issue.pattern)}'`];
    case 'invalid_key':
      return issue.issues[0] ? describeIssue(issue.issues[0], false, false) : ['value_error', issue.message];
    case 'invalid_union': {
      const expected = issue.errors.flatMap(([first]) => (first?.code === 'invalid_type' ? [first.expected] : []));
      const words = expected.flatMap((each) => (each === 'null' ? [] : [TYPES[each]?.[1] ?? each]));
      return ['value_error', words.length > 0 ? `Input should be a valid ${oneOf(words)}` : issue.message];
    }
    case 'custom':
      return [String(issue.params?.type ?? 'value_error'), issue.message];
    default:
      return ['value_error', issue.message];
  }
}

/** Issues of a query parameter whose text cannot be parsed. */
const UNPARSABLE: Record<string, [type: string, msg: string]> = {
  int: ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'],
  number: ['float_parsing', 'Input should be a valid number, unable to parse string as a number'],
};

/** zod says "number expected" of a non-number where an integer is expected; only the schema has the difference. */
function isIntegerAt(schema: z.ZodType, path: (string | number)[]): boolean {
  let at: z.core.$ZodType | undefined = unwrapped(schema);
  for (const part of path) {
    if (at instanceof z.ZodObject) at = at.shape[part];
    else if (at instanceof z.ZodArray) at = at.element;
    else if (at instanceof z.ZodRecord) at = at.valueType;
    else return false;
    at = unwrapped(at);
  }
  return at instanceof z.ZodNumberFormat;
}

function unwrapped(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let at = schema;
  for (;;) {
    if (at instanceof z.ZodPipe) at = at.in instanceof z.ZodTransform ? at.out : at.in;
    else if (at instanceof z.ZodDefault || at instanceof z.ZodPrefault) at = at.unwrap();
    else if (at instanceof z.ZodOptional || at instanceof z.ZodNullable) at = at.unwrap();
    else return at;
  }
}

function describeSize(origin: string, bound: 'at least' | 'at most', size: number): [string, string] {
  const few = bound === 'at least';
  if (origin === 'string') {
    return [few ? 'string_too_short' : 'string_too_long', `String should have ${bound} ${size} ${plural(size)}`];
  }
  if (origin === 'array' || origin === 'set') {
    return [few ? 'too_short' : 'too_long', `List should have ${bound} ${size} item${size === 1 ? '' : 's'}`];
  }
  return few
    ? ['greater_than_equal', `Input should be greater than or equal to ${size}`]
    : ['less_than_equal', `Input should be less than or equal to ${size}`];
}

const plural = (size: number) => (size === 1 ? 'character' : 'characters');

function oneOf(words: string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

/** zod gives the pattern as `/…/flags`. */
function patternText(pattern: string | undefined): string {
  return pattern?.replace(/^\/(.*)\/[a-z]*$/s, '$1') ?? '';
}

function valueAt(whole: unknown, path: (string | number)[]): unknown {
  let value = whole;
  for (const part of path) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

function redactedInput(path: (string | number)[], value: unknown): unknown {
  if (value === undefined || value === null) return null;
  if (path.some((part) => SECRET_FIELDS.has(String(part)))) return '***';
  if (typeof value === 'string') return value.slice(0, MAX_INPUT_LENGTH);
  if (typeof value !== 'object') return value;
  const text = JSON.stringify(value, (name, each) => (SECRET_FIELDS.has(name) ? '***' : each));
  return text.length <= MAX_INPUT_LENGTH ? JSON.parse(text) : text.slice(0, MAX_INPUT_LENGTH);
}
