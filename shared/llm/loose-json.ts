/** Reads untrusted JSON: a value of another type than expected counts as missing. */

export type Loose = Record<string, unknown>;

/** The value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function record(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

/** The objects of a list. */
export function list(value: unknown): Loose[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** More than any model reads or writes; calls are charged by counts. */
const MAX_COUNT = 1_000_000_000;

/** A whole number from 0 up. */
export function count(value: unknown): number {
  return Number.isFinite(value) ? Math.min(MAX_COUNT, Math.max(0, Math.floor(value as number))) : 0;
}
