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

export function count(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}
