import type { CaptureEntry, CaptureHeader } from '../../shared/capture.ts';
import { readCaptureFile } from '../../shared/capture-file.ts';
import { errorText } from '../../shared/log.ts';
import { readEntry, readHead } from './capture-schema.ts';

export interface Capture {
  head: CaptureHeader;
  /** In the order of their times. */
  entries: CaptureEntry[];
}

/** What a call was given at a moment, by kind. */
export type EntryOf<Kind extends CaptureEntry['k']> = Extract<CaptureEntry, { k: Kind }>;

/** An hour of a call has half a million. */
const MAX_ENTRIES = 2_000_000;

/**
 * Throws, in words, when the file is none. A file that ends in the middle, because its engine died, is a tape that was cut
 * there.
 */
export async function readCapture(path: string): Promise<Capture> {
  let head: CaptureHeader | null = null;
  const entries: CaptureEntry[] = [];
  let number = 0;
  try {
    const { lines, isComplete: isWhole } = readCaptureFile(path);
    for await (const line of lines) {
      number++;
      const value: unknown = JSON.parse(line);
      if (head === null) head = readHead(value);
      else entries.push(readEntry(value));
      if (entries.length > MAX_ENTRIES) throw new Error(`more than ${MAX_ENTRIES} lines`);
    }
    if (head === null) throw new Error('it is empty');
    if (!(await isWhole()))
      entries.push({ t: latestOf(entries), k: 'truncated', reason: 'the file ends in the middle' });
  } catch (error) {
    throw new Error(`${path} is no tape, line ${number}: ${errorText(error)}`);
  }
  // What waited until the call was known was written behind what came later.
  entries.sort((a, b) => a.t - b.t);
  return { head, entries };
}

export function entriesOf<Kind extends CaptureEntry['k']>(capture: Capture, kind: Kind): EntryOf<Kind>[] {
  return capture.entries.filter((entry): entry is EntryOf<Kind> => entry.k === kind);
}

function latestOf(entries: readonly CaptureEntry[]): number {
  return entries.reduce((latest, { t }) => Math.max(latest, t), 0);
}
