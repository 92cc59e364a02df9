/** Field → [old, new]. */
export type Changes = Record<string, [unknown, unknown]>;

/** Fields whose values are never stored; that they changed is. */
const REDACTED_FIELDS =
  /(^|\.)(system_prompt|\w*prompt|welcome_message|\w*message|headers|secret|\w*password|token|\w*url)(\.|$)/;
const MAX_FIELDS = 100;
const MAX_TEXT_LENGTH = 200;

const CHANGED: [unknown, unknown] = ['changed', 'changed'];

/**
 * Returns what differs between two records, by dotted field names. Lists, long values, secrets, prompts and URLs, which may
 * hold secrets, become `["changed", "changed"]`.
 */
export function changesBetween(before: object, after: object): Changes {
  const changes: Changes = {};
  collect('', before, after, changes);
  return changes;
}

function collect(prefix: string, before: object, after: object, into: Changes): void {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const name of names) {
    const field = prefix === '' ? name : `${prefix}.${name}`;
    const old = (before as Record<string, unknown>)[name];
    const now = (after as Record<string, unknown>)[name];
    if (Object.keys(into).length >= MAX_FIELDS) return;
    if (isRecord(old) && isRecord(now) && !REDACTED_FIELDS.test(field)) collect(field, old, now, into);
    else if (!same(old, now))
      into[field] = REDACTED_FIELDS.test(field) || !isShort(old) || !isShort(now) ? CHANGED : [shown(old), shown(now)];
  }
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const shown = (value: unknown): unknown => (value === undefined ? null : value);

const same = (a: unknown, b: unknown) => JSON.stringify(shown(a)) === JSON.stringify(shown(b));

/** A number, a boolean, a time, a short text or a short list of texts. */
function isShort(value: unknown): boolean {
  if (value === null || value === undefined || value instanceof Date) return true;
  if (Array.isArray(value)) {
    return value.length <= 20 && value.every((each) => typeof each === 'string' && each.length <= 64);
  }
  if (typeof value === 'object') return false;
  return typeof value !== 'string' || value.length <= MAX_TEXT_LENGTH;
}
