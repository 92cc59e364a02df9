import { errorText } from '../../shared/log.ts';
import type { TapeEntry, TapeHead } from '../../shared/tape.ts';
import { readTapeFile } from '../../shared/tape-file.ts';
import { readEntry, readHead } from './tape-lines.ts';

export interface Tape {
  head: TapeHead;
  /** In the order of their times. */
  entries: TapeEntry[];
}

/** What a call was given at a moment, by kind. */
export type EntryOf<Kind extends TapeEntry['k']> = Extract<TapeEntry, { k: Kind }>;

/** An hour of a call has half a million. */
const MOST_ENTRIES = 2_000_000;

/**
 * Throws, in words, when the file is none. A file that ends in the middle, because its engine died, is a tape that was cut
 * there.
 */
export async function readTape(path: string): Promise<Tape> {
  let head: TapeHead | null = null;
  const entries: TapeEntry[] = [];
  let number = 0;
  try {
    const { lines, isWhole } = readTapeFile(path);
    for await (const line of lines) {
      number++;
      const value: unknown = JSON.parse(line);
      if (head === null) head = readHead(value);
      else entries.push(readEntry(value));
      if (entries.length > MOST_ENTRIES) throw new Error(`more than ${MOST_ENTRIES} lines`);
    }
    if (head === null) throw new Error('it is empty');
    if (!(await isWhole())) entries.push({ t: latestOf(entries), k: 'cut', why: 'the file ends in the middle' });
  } catch (error) {
    throw new Error(`${path} is no tape, line ${number}: ${errorText(error)}`);
  }
  // What waited until the call was known was written behind what came later.
  entries.sort((a, b) => a.t - b.t);
  return { head, entries };
}

export function entriesOf<Kind extends TapeEntry['k']>(tape: Tape, kind: Kind): EntryOf<Kind>[] {
  return tape.entries.filter((entry): entry is EntryOf<Kind> => entry.k === kind);
}

function latestOf(entries: readonly TapeEntry[]): number {
  return entries.reduce((latest, { t }) => Math.max(latest, t), 0);
}
