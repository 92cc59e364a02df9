import { isDeepStrictEqual } from 'node:util';

/** Dotted names of the fields that differ: one level into objects, lists as a whole. */
export function changedFields(before: object, after: object): string[] {
  return Object.keys(after).flatMap((name) => {
    const [was, is] = [fieldOf(before, name), fieldOf(after, name)];
    if (isDeepStrictEqual(was, is)) return [];
    if (!isPlainObject(was) || !isPlainObject(is)) return [name];
    const inner = new Set([...Object.keys(was), ...Object.keys(is)]);
    return [...inner].filter((each) => !isDeepStrictEqual(was[each], is[each])).map((each) => `${name}.${each}`);
  });
}

const fieldOf = (record: object, name: string) => (record as Record<string, unknown>)[name];

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
