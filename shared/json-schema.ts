import { createContext, Script } from 'node:vm';

/**
 * Validates a value against a JSON Schema written by a client (draft 2020-12, and older drafts' lists). Such a schema is not
 * trusted: it is interpreted, never compiled to code, its patterns have a time budget, references stay inside the document,
 * and the work is bounded. What cannot be decided within the bounds is valid: the receiver checks the value anyway. Unknown and
 * malformed keywords are ignored, and `format` is an annotation.
 *
 * Not supported: `$dynamicRef`, `$anchor`, references to other documents, `unevaluated…`.
 */

const MAX_PROBLEMS = 5;
const MAX_STEPS = 20_000;
/** Comparing this many characters counts as a step. */
const CHARACTERS_PER_STEP = 64;
const MAX_DEPTH = 64;
/** For all patterns of one validation together. */
const PATTERN_BUDGET_MS = 10;

type Json = Record<string, unknown>;

interface Check {
  root: unknown;
  steps: number;
  patternMs: number;
  /** A bound was reached, so the problems found may be wrong. */
  undecided: boolean;
}

/**
 * Up to MAX_PROBLEMS problems of `value`, each with its location; empty when it is valid.
 *
 * @param patternMs the time of all patterns together, which tests on a busy machine make longer.
 */
export function schemaProblems(schema: unknown, value: unknown, patternMs = PATTERN_BUDGET_MS): string[] {
  const check: Check = { root: schema, steps: 0, patternMs, undecided: false };
  const found = problemsOf(schema, value, '', 0, check);
  return check.undecided ? [] : [...new Set(found)].slice(0, MAX_PROBLEMS);
}

function problemsOf(schema: unknown, value: unknown, at: string, depth: number, check: Check): string[] {
  if (schema === false) return [`${location(at)} is not allowed`];
  if (depth > MAX_DEPTH || ++check.steps > MAX_STEPS) check.undecided = true;
  if (!isObject(schema) || check.undecided) return [];
  const within = (part: unknown, inner = value, path = at) => problemsOf(part, inner, path, depth + 1, check);

  // OpenAPI 3.0's form of a list of types with null.
  if (value === null && schema.nullable === true) return [];
  const wrongType = typeProblem(schema.type, value, at);
  if (wrongType !== null) return [wrongType];

  const found: string[] = [];
  if (typeof schema.$ref === 'string') found.push(...within(referenced(check.root, schema.$ref)));
  const same = sameAs(value, check);
  if (Array.isArray(schema.enum) && !schema.enum.some(same)) {
    found.push(`${location(at)} must be one of ${schema.enum.map((each) => JSON.stringify(each)).join(', ')}`);
  }
  if (Object.hasOwn(schema, 'const') && !same(schema.const)) {
    found.push(`${location(at)} must be ${JSON.stringify(schema.const)}`);
  }
  if (typeof value === 'number') found.push(...numberProblems(schema, value, at));
  if (typeof value === 'string') found.push(...stringProblems(schema, value, at, check));
  if (Array.isArray(value)) found.push(...listProblems(schema, value, at, within, check));
  else if (isObject(value)) found.push(...objectProblems(schema, value, at, within, check));

  for (const part of list(schema.allOf)) found.push(...within(part));
  found.push(...choiceProblems(schema, at, within));
  if (Object.hasOwn(schema, 'if')) found.push(...within(within(schema.if).length === 0 ? schema.then : schema.else));
  return found;
}

type Within = (part: unknown, inner?: unknown, path?: string) => string[];

function choiceProblems(schema: Json, at: string, within: Within): string[] {
  const found: string[] = [];
  if (Array.isArray(schema.anyOf) && schema.anyOf.length > 0) {
    const tries = schema.anyOf.map((part) => within(part));
    // The problems of the best matching choice are the most useful.
    if (tries.every((each) => each.length > 0)) found.push(...tries.sort((a, b) => a.length - b.length)[0]!);
  }
  if (Array.isArray(schema.oneOf) && schema.oneOf.length > 0) {
    const tries = schema.oneOf.map((part) => within(part));
    const fitting = tries.filter((each) => each.length === 0).length;
    if (fitting === 0) found.push(...tries.sort((a, b) => a.length - b.length)[0]!);
    if (fitting > 1) found.push(`${location(at)} fits more than one of the forms of which it must have one`);
  }
  if (Object.hasOwn(schema, 'not') && (isObject(schema.not) || schema.not === true)) {
    if (within(schema.not).length === 0) found.push(`${location(at)} has a form that is not allowed`);
  }
  return found;
}

function typeProblem(wanted: unknown, value: unknown, at: string): string | null {
  const names = (Array.isArray(wanted) ? wanted : [wanted]).filter(
    (name) => typeof name === 'string' && Object.hasOwn(IS, name),
  );
  if (names.length === 0 || names.some((name) => IS[name]!(value))) return null;
  return `${location(at)} must be ${names.map((name) => TYPE_NAMES[name]).join(' or ')}, not ${TYPE_NAMES[typeOf(value)]}`;
}

const IS: Record<string, (value: unknown) => boolean> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  array: Array.isArray,
  object: isObject,
};

const TYPE_NAMES: Record<string, string> = {
  null: 'null',
  boolean: 'true or false',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  array: 'a list',
  object: 'an object',
};

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

function numberProblems(schema: Json, value: number, at: string): string[] {
  const found: string[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (isNumber(minimum) && value < minimum) found.push(`${location(at)} must be at least ${minimum}`);
  if (isNumber(maximum) && value > maximum) found.push(`${location(at)} must be at most ${maximum}`);
  if (isNumber(exclusiveMinimum) && value <= exclusiveMinimum) {
    found.push(`${location(at)} must be more than ${exclusiveMinimum}`);
  }
  if (isNumber(exclusiveMaximum) && value >= exclusiveMaximum) {
    found.push(`${location(at)} must be less than ${exclusiveMaximum}`);
  }
  if (isNumber(multipleOf) && multipleOf > 0) {
    const times = value / multipleOf;
    // In floating point 0.3 / 0.1 is not 3.
    if (Math.abs(times - Math.round(times)) > 1e-9 * Math.max(1, Math.abs(times))) {
      found.push(`${location(at)} must be a multiple of ${multipleOf}`);
    }
  }
  return found;
}

function stringProblems(schema: Json, value: string, at: string, check: Check): string[] {
  const found: string[] = [];
  const { minLength, maxLength, pattern } = schema;
  const length = isNumber(minLength) || isNumber(maxLength) ? [...value].length : 0;
  check.steps += length / CHARACTERS_PER_STEP;
  if (isNumber(minLength) && length < minLength)
    found.push(`${location(at)} must have at least ${minLength} characters`);
  if (isNumber(maxLength) && length > maxLength)
    found.push(`${location(at)} must have at most ${maxLength} characters`);
  if (typeof pattern === 'string' && matches(pattern, value, check) === false) {
    found.push(`${location(at)} must match the pattern ${pattern}`);
  }
  return found;
}

function listProblems(schema: Json, value: unknown[], at: string, within: Within, check: Check): string[] {
  const found: string[] = [];
  const { minItems, maxItems } = schema;
  if (isNumber(minItems) && value.length < minItems) found.push(`${location(at)} must have at least ${minItems} items`);
  if (isNumber(maxItems) && value.length > maxItems) found.push(`${location(at)} must have at most ${maxItems} items`);
  // Before draft 2020 a list in `items` was what `prefixItems` is now, and the rest was `additionalItems`.
  const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : list(schema.items);
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  for (const [index, item] of value.entries()) {
    found.push(...within(index < first.length ? first[index] : rest, item, `${at}[${index}]`));
    if (found.length >= MAX_PROBLEMS) break;
  }
  if (schema.uniqueItems === true && new Set(value.map((item) => canonical(item, check))).size < value.length) {
    found.push(`${location(at)} must not hold the same item twice`);
  }
  if (Object.hasOwn(schema, 'contains')) {
    const least = isNumber(schema.minContains) ? schema.minContains : 1;
    const most = isNumber(schema.maxContains) ? schema.maxContains : Number.POSITIVE_INFINITY;
    const fitting = value.filter((item) => within(schema.contains, item).length === 0).length;
    if (fitting < least || fitting > most) found.push(`${location(at)} does not hold the items it must`);
  }
  return found;
}

function objectProblems(schema: Json, value: Json, at: string, within: Within, check: Check): string[] {
  const found: string[] = [];
  const names = Object.keys(value);
  const path = (name: string) => (at === '' ? name : `${at}.${name}`);
  for (const name of list(schema.required)) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) found.push(`${path(name)} is missing`);
  }
  if (isNumber(schema.minProperties) && names.length < schema.minProperties) {
    found.push(`${location(at)} must have at least ${schema.minProperties} properties`);
  }
  if (isNumber(schema.maxProperties) && names.length > schema.maxProperties) {
    found.push(`${location(at)} must have at most ${schema.maxProperties} properties`);
  }
  const properties = isObject(schema.properties) ? schema.properties : {};
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const dependents = isObject(schema.dependentRequired) ? schema.dependentRequired : {};
  for (const name of names) {
    let declared = Object.hasOwn(properties, name);
    if (declared) found.push(...within(properties[name], value[name], path(name)));
    for (const [pattern, part] of patterns) {
      const fits = matches(pattern, name, check);
      if (fits !== false) declared = true;
      if (fits === true) found.push(...within(part, value[name], path(name)));
    }
    if (!declared) found.push(...within(schema.additionalProperties, value[name], path(name)));
    if (Object.hasOwn(schema, 'propertyNames')) found.push(...within(schema.propertyNames, name, path(name)));
    for (const other of Object.hasOwn(dependents, name) ? list(dependents[name]) : []) {
      if (typeof other === 'string' && !Object.hasOwn(value, other)) {
        found.push(`${path(other)} is missing, which ${path(name)} needs`);
      }
    }
  }
  return found;
}

/** Resolves a JSON Pointer into the same document, such as `#/$defs/slot`; undefined for any other reference. */
function referenced(root: unknown, ref: string): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let target = root;
  for (const part of ref.split('/').slice(1)) {
    const key = decoded(part).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined;
    target = (target as Json)[key];
  }
  return target;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Clients write patterns that are not valid in Unicode mode, like `\\-` outside brackets. */
const patternTest = new Script(`(() => {
  let tested;
  try { tested = new RegExp(pattern, 'u'); } catch { tested = new RegExp(pattern); }
  return tested.test(text);
})()`);
const patternContext = createContext(Object.create(null));

/** Null when the pattern is invalid or took too long, as some patterns do in every backtracking engine. */
function matches(pattern: string, text: string, check: Check): boolean | null {
  const timeout = Math.floor(check.patternMs);
  if (timeout < 1) return null;
  const startedMs = performance.now();
  patternContext.pattern = pattern;
  patternContext.text = text;
  try {
    return patternTest.runInContext(patternContext, { timeout }) === true;
  } catch {
    return null;
  } finally {
    check.patternMs -= performance.now() - startedMs;
  }
}

/** Returns a test for equality with the value, which is serialized once at most. */
function sameAs(value: unknown, check: Check): (other: unknown) => boolean {
  let serialized: string | null = null;
  return (other) => {
    if (other === value) return true;
    if (typeof other !== 'object' || typeof value !== 'object') return false;
    serialized ??= canonical(value, check);
    return canonical(other, check) === serialized;
  };
}

/** Equal values give equal texts, whatever the order of their keys. */
function canonical(value: unknown, check: Check): string {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
  );
  check.steps += 1 + text.length / CHARACTERS_PER_STEP;
  return text;
}

function location(at: string): string {
  return at === '' ? 'the value' : at;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
