import { parseJson } from '../../shared/llm/loose-json.ts';
import { storableText } from '../db/storable-text.ts';

/** Finds the JSON object in a model's answer, with any text around it; null when there is none. */
export function jsonObjectIn(text: string): Record<string, unknown> | null {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    const value = parseJson(candidate);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
    // Valid JSON of another type, such as an array of objects, is not searched.
    if (value !== undefined) return null;
  }
  return null;
}

const MAX_DEPTH = 20;

/** `storableText` for a JSON value; what is nested deeper than 20 levels becomes null. */
export function storableValue(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return null;
  if (Array.isArray(value)) return value.map((each) => storableValue(each, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [storableText(name), storableValue(each, depth + 1)]),
  );
}
