import type { CallbackFields } from './carrier.ts';

const FIELD_LIMIT = 200;

/** The first value of a field as text that can be stored; empty when it was not sent. */
export function field(fields: CallbackFields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  const first = typeof value === 'string' ? value : (value?.[0] ?? '');
  return first.replaceAll('\0', '').slice(0, FIELD_LIMIT).toWellFormed();
}

/** Every field with its values, sorted by name, for signatures. */
export function sortedFields(fields: CallbackFields): [name: string, values: string[]][] {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string[]] => [name, typeof value === 'string' ? [value] : [...(value ?? [])].sort()])
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

/** `anonymous`, `sip:…` and `client:…` are not numbers: they are stored as nothing. */
export function callerNumber(text: string): string {
  const trimmed = text.trim();
  if (!/^\+?[0-9][0-9 ().-]{5,19}$/.test(trimmed)) return '';
  return `+${trimmed.replace(/[^0-9]/g, '')}`;
}
