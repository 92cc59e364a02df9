import type { CallbackFields } from './callback.ts';

const MAX_FIELD_LENGTH = 200;

/** The first value of a field as text that PostgreSQL can store; empty when it was not sent. */
export function field(fields: CallbackFields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const first = typeof value === 'string' ? value : (value?.[0] ?? '');
  return first.replaceAll('\0', '').slice(0, MAX_FIELD_LENGTH).toWellFormed();
}

/** A value as a JSON object; null when it is none. */
export function jsonObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

/** A text as a JSON object; null when it is none. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return jsonObject(JSON.parse(text));
  } catch {
    return null;
  }
}

/** A member's text, as `field` gives it; a number is written out. */
export function jsonText(object: Readonly<Record<string, unknown>> | null, name: string): string {
  const value = object && Object.hasOwn(object, name) ? object[name] : undefined;
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' ? field({ text }, 'text') : '';
}

/** Every field with its values, sorted by name, for signatures. */
export function sortedFields(fields: CallbackFields): [name: string, values: string[]][] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string[]] => [name, typeof value === 'string' ? [value] : [...(value ?? [])].sort()])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** In E.164; empty for what is no number, such as `anonymous`, `sip:…` and `client:…`. */
export function callerNumber(text: string): string {
  const trimmed = text.trim();
  if (!/^\+?[0-9][0-9 ().-]{5,19}$/.test(trimmed)) return '';
  return `+${trimmed.replace(/[^0-9]/g, '')}`;
}

export const withoutPlus = (number: string) => number.replace(/^\+/, '');

/** The value of a query parameter of one of our own URLs; empty when it has none. */
export const queryParameter = (url: string, name: string) => new URL(url).searchParams.get(name) ?? '';
