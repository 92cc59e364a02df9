import { CarrierError } from './carrier.ts';
import { type HeldNumber, objectsOf } from './number-inventory.ts';

/** Reading the numbers that an account has, so that a part of them is never taken for all. */

/** More pages than any account has: a carrier that ignores the page's number would never end. */
const MAX_PAGES = 1_000;

/**
 * Reads a list page by page, until a page has no `next` cursor.
 *
 * @throws CarrierError when a page is not read, when it is stopped, or when the list does not end.
 */
export async function everyPage<Cursor>(
  first: Cursor,
  signal: AbortSignal | undefined,
  page: (cursor: Cursor) => Promise<{ held: HeldNumber[]; next: Cursor | null }>,
): Promise<HeldNumber[]> {
  const all = new Map<string, HeldNumber>();
  let cursor: Cursor | null = first;
  for (let count = 0; cursor !== null; count++) {
    if (signal?.aborted) throw new CarrierError('reading the list was stopped', 0);
    const { held, next }: Awaited<ReturnType<typeof page>> = await page(cursor);
    for (const each of held) all.set(each.number, each);
    if (next !== null && count === MAX_PAGES) throw new CarrierError('the list of numbers does not end', 0);
    cursor = next;
  }
  return [...all.values()];
}

/** The rows of a list whose absence means that the response was not read. @throws CarrierError */
export function rowsOf(json: Readonly<Record<string, unknown>>, name: string): Record<string, unknown>[] {
  if (!Array.isArray(json[name])) throw new CarrierError(`a response without ${name}`, 0);
  return objectsOf(json[name]);
}
