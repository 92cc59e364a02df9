import { diffLines, diffWordsWithSpace } from 'diff';

/** What differs between two versions of an agent's configuration, field by field. */

export interface FieldDifference {
  /** Dotted, such as `voice.speed`; one level into objects, as the API names changed fields. */
  path: string;
  before: unknown;
  after: unknown;
}

export interface TextPart {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Lines of what did not change that stay before and after a change. */
const CONTEXT_LINES = 2;
const DIFFERENCE_TIMEOUT_MS = 500;
const LONG_CHARACTERS = 60;

/** Returns the fields that differ, in the order of the second configuration. */
export function differenceOf(before: object, after: object): FieldDifference[] {
  const [was, is] = [flat(before), flat(after)];
  const paths = [...new Set([...is.keys(), ...was.keys()])];
  return paths
    .map((path) => ({ path, before: was.get(path), after: is.get(path) }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after));
}

function flat(configuration: object): Map<string, unknown> {
  const fields = Object.entries(configuration).flatMap(([name, value]): [string, unknown][] =>
    isObject(value)
      ? Object.entries(value).map(([inner, each]) => [`${name}.${inner}`, each] as [string, unknown])
      : [[name, value]],
  );
  return new Map(fields);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns whether a value is read better as a text with its changes marked than as before and after. */
export const isText = (value: unknown): boolean =>
  (typeof value === 'string' && (value.length > LONG_CHARACTERS || value.includes('\n'))) ||
  (typeof value === 'object' && value !== null);

/** Writes lists and objects as lines of a text, each with its name, without the marks of JSON. */
export function textOf(value: unknown, indent = ''): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map((each) => itemText(each, indent)).join('\n');
  if (!isObject(value)) return String(value);
  return Object.entries(value)
    .map(([name, each]) => {
      const nested = typeof each === 'object' && each !== null && Object.keys(each).length > 0;
      return nested ? `${indent}${name}:\n${textOf(each, `${indent}  `)}` : `${indent}${name}: ${textOf(each)}`;
    })
    .join('\n');
}

function itemText(value: unknown, indent: string): string {
  if (typeof value !== 'object' || value === null) return `${indent}- ${String(value)}`;
  return `${indent}- ${textOf(value, `${indent}  `).trimStart()}`;
}

/** Returns what was added and removed: by words, or by lines where words take too long. */
export function textDifference(before: string, after: string): TextPart[] {
  const changes = diffWordsWithSpace(before, after, { timeout: DIFFERENCE_TIMEOUT_MS }) ?? diffLines(before, after);
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}

/** A part of a text, or how many lines without a change are left out there. */
export type ShownPart = TextPart | { kind: 'gap'; lines: number };

/** Leaves out of long texts what is far from any change. */
export function shortened(parts: readonly TextPart[]): ShownPart[] {
  return parts.flatMap((part, at): ShownPart[] => {
    const lines = part.text.split('\n');
    if (part.kind !== 'same' || lines.length <= 2 * CONTEXT_LINES + 2) return [part];
    const head = at === 0 ? [] : lines.slice(0, CONTEXT_LINES);
    const tail = at === parts.length - 1 ? [] : lines.slice(-CONTEXT_LINES);
    const gap: ShownPart = { kind: 'gap', lines: lines.length - head.length - tail.length };
    return [
      ...(head.length > 0 ? [{ kind: 'same' as const, text: head.join('\n') }] : []),
      gap,
      ...(tail.length > 0 ? [{ kind: 'same' as const, text: tail.join('\n') }] : []),
    ];
  });
}

/** Which two versions the address asks to compare, of those that are there, newest first; null: none. */
export function comparedIn(
  query: Readonly<Record<string, string>>,
  versions: readonly number[],
): { from: number; to: number } | null {
  const [from, to] = [Number(query.from), Number(query.to)];
  return versions.includes(from) && versions.includes(to) && from !== to ? { from, to } : null;
}
