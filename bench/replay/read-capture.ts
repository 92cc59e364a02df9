import type { CaptureEntry, CaptureHeader } from '../../shared/capture.ts';
import { readCaptureFile } from '../../shared/capture-file.ts';
import { errorText } from '../../shared/log.ts';
import { readEntry, readHead } from './capture-schema.ts';

export interface Capture {
  head: CaptureHeader;
  /** Sorted by time. */
  entries: CaptureEntry[];
}

/** The entry type of a kind. */
export type EntryOf<Kind extends CaptureEntry['k']> = Extract<CaptureEntry, { k: Kind }>;

/** An hour of a call has about half a million entries. */
const MAX_ENTRIES = 2_000_000;

/**
 * Reads a capture; throws for any other file. A file that ends in the middle, because its engine died, is a truncated capture.
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
    throw new Error(`${path} is no capture, line ${number}: ${errorText(error)}`);
  }
  // Entries from before the session was known were written later.
  entries.sort((a, b) => a.t - b.t);
  return { head, entries };
}

export function entriesOf<Kind extends CaptureEntry['k']>(capture: Capture, kind: Kind): EntryOf<Kind>[] {
  return capture.entries.filter((entry): entry is EntryOf<Kind> => entry.k === kind);
}

function latestOf(entries: readonly CaptureEntry[]): number {
  return entries.reduce((latest, { t }) => Math.max(latest, t), 0);
}
