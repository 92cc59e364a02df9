import { redactText } from '../../shared/capture-redaction.ts';
import { type Capture, entriesOf } from './read-capture.ts';
import type { TimelineEvent } from './virtual.ts';

/** Limit of the comparison table. */
const MAX_CELLS = 2 ** 26;
/** Times closer than this count as equal. */
const SAME_MS = 40;

/** The timeline of the captured engine. */
export function timelineOf(capture: Capture): TimelineEvent[] {
  return entriesOf(capture, 'timeline_event').map(({ k: _k, ...event }) => event);
}

export function timelineText(events: readonly TimelineEvent[]): string {
  return events.map(line).join('\n');
}

function line({ t, type, message, latency_ms }: TimelineEvent): string {
  const latency = latency_ms === null ? '' : `${Math.round(latency_ms)} ms`;
  return `${(t / 1_000).toFixed(3).padStart(9)}  ${printable(type).padEnd(20)} ${latency.padStart(8)}  ${printable(message)}`;
}

/** Removes control characters, because captures are untrusted and a terminal interprets them. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (found === '\n' ? ' ' : '?'));
}

/** The differences of a replay from the captured timeline; of a redacted capture with both redacted alike. */
export function differencesFromCapture(capture: Capture, replayed: readonly TimelineEvent[]): string[] {
  const alike = (event: TimelineEvent) =>
    capture.head.redacted ? { ...event, message: redactText(event.message) } : event;
  return differences(timelineOf(capture).map(alike), replayed.map(alike));
}

/**
 * Returns the lines of a diff, `- ` only in the first, `+ ` only in the second; empty when equal. Events are equal when type and
 * message are, and their times differ by at most `sameMs`.
 */
export function differences(
  before: readonly TimelineEvent[],
  now: readonly TimelineEvent[],
  sameMs = SAME_MS,
): string[] {
  const same = (a: TimelineEvent, b: TimelineEvent) =>
    a.type === b.type && a.message === b.message && Math.abs(a.t - b.t) <= sameMs && (sameMs > 0 || equal(a, b));
  // Skip the common start and end.
  let first = 0;
  while (first < before.length && first < now.length && same(before[first]!, now[first]!)) first++;
  let last = 0;
  while (last < before.length - first && last < now.length - first && same(before.at(-1 - last)!, now.at(-1 - last)!))
    last++;
  return changesOf(before.slice(first, before.length - last), now.slice(first, now.length - last), same, line);
}

/** Returns the lines of a diff, `- ` before those that only the first has, `+ ` only the second; empty when equal. */
export function lineDifferences(before: readonly string[], now: readonly string[]): string[] {
  return changesOf(
    before,
    now,
    (a, b) => a === b,
    (text) => printable(text),
  );
}

function changesOf<Item>(
  before: readonly Item[],
  now: readonly Item[],
  same: (a: Item, b: Item) => boolean,
  line: (item: Item) => string,
): string[] {
  // Longest common subsequence; a timeline has some hundreds of events.
  const rows = before.length + 1;
  const columns = now.length + 1;
  if (rows * columns > MAX_CELLS) return [`- ${before.length} events`, `+ ${now.length} events: too many to compare`];
  const longest = new Uint32Array(rows * columns);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * columns + j] = same(before[i]!, now[j]!)
        ? longest[(i + 1) * columns + j + 1]! + 1
        : Math.max(longest[(i + 1) * columns + j]!, longest[i * columns + j + 1]!);
    }
  }
  const found: string[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < now.length) {
    if (i < before.length && j < now.length && same(before[i]!, now[j]!)) {
      i++;
      j++;
    } else if (
      j >= now.length ||
      (i < before.length && longest[(i + 1) * columns + j]! >= longest[i * columns + j + 1]!)
    ) {
      found.push(`- ${line(before[i++]!)}`);
    } else found.push(`+ ${line(now[j++]!)}`);
  }
  return found;
}

const equal = (a: TimelineEvent, b: TimelineEvent) => JSON.stringify(a) === JSON.stringify(b);
