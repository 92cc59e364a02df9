import { parseJson } from '../../shared/llm/loose-json.ts';

/** The JSON object of a model's answer, whatever it wrote around it; null when there is none. */
export function jsonObjectIn(text: string): Record<string, unknown> | null {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    const value = parseJson(candidate);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    // An answer that is JSON already is what it is: an array holds objects, but is none.
    if (value !== undefined) return null;
  }
  return null;
}

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
export const storableText = (text: string) => text.replaceAll('\0', '').toWellFormed();

const MAX_DEPTH = 20;

/** The same for a whole value; what lies deeper than 20 levels is null. */
export function storableValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storableValue(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [storableText(name), storableValue(each, depth + 1)]),
  );
}
