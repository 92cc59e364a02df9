/** Places in JSON, such as `order.items[0].price`: names with dots between, and positions from 0 in brackets. `[2].id` begins in a list. */

const STEP = /(?:^|(?<!^)\.)([^.[\]]+)|\[(\d{1,5})\]/gy;

export const JSON_PATH_RULE =
  'a path has names with dots between, and positions in brackets, like order.items[0].price';

/** The empty path is the whole. */
export const isJsonPath = (path: string): boolean => stepsOf(path) !== null;

/** Undefined where there is nothing. */
export function valueAtPath(json: unknown, path: string): unknown {
  let at = json;
  for (const step of stepsOf(path) ?? []) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) !== (typeof step === 'number')) return undefined;
    at = Object.hasOwn(at, step) ? (at as Record<string | number, unknown>)[step] : undefined;
  }
  return at;
}

function stepsOf(path: string): (string | number)[] | null {
  const steps: (string | number)[] = [];
  let end = 0;
  for (const match of path.matchAll(STEP)) {
    const [, name, position] = match;
    steps.push(position === undefined ? name!.trim() : Number(position));
    end = match.index + match[0].length;
  }
  return end === path.length ? steps : null;
}
