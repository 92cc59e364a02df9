import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { errorText } from '../../shared/log.ts';
import type { TapeEntry, TapeHead, TapeLine } from '../../shared/tape.ts';

export interface Tape {
  head: TapeHead;
  /** In the order of their times. */
  entries: TapeEntry[];
}

/** What a call was given at a moment, by kind. */
export type EntryOf<Kind extends TapeEntry['k']> = Extract<TapeEntry, { k: Kind }>;

/** Throws, in words, when the file is none. */
export async function readTape(path: string): Promise<Tape> {
  let head: TapeHead | null = null;
  const entries: TapeEntry[] = [];
  let number = 0;
  const source = createReadStream(path).pipe(createGunzip());
  try {
    for await (const line of createInterface({ input: source, crlfDelay: Number.POSITIVE_INFINITY })) {
      number++;
      const read = JSON.parse(line) as TapeLine;
      if (head === null) {
        if (read.k !== 'tape' || read.version !== 1) throw new Error('it does not begin as a tape of version 1');
        head = read;
      } else if (read.k !== 'tape') entries.push(read);
    }
  } catch (error) {
    throw new Error(`${path} is no tape, line ${number}: ${errorText(error)}`);
  }
  if (head === null) throw new Error(`${path} is empty`);
  // What waited until the call was known was written behind what came later.
  entries.sort((a, b) => a.t - b.t);
  return { head, entries };
}

export function entriesOf<Kind extends TapeEntry['k']>(tape: Tape, kind: Kind): EntryOf<Kind>[] {
  return tape.entries.filter((entry): entry is EntryOf<Kind> => entry.k === kind);
}
