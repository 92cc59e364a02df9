import type { TimelineEvent } from './virtual.ts';

/** More cells than this are not compared. */
const MAX_CELLS = 2 ** 26;
/** Moments that lie closer to each other than this are the same to a person who compares two timelines. */
const SAME_MS = 40;

export function timelineText(events: readonly TimelineEvent[]): string {
  return events.map(line).join('\n');
}

function line({ t, type, message, latency_ms }: TimelineEvent): string {
  const latency = latency_ms === null ? '' : `${Math.round(latency_ms)} ms`;
  return `${(t / 1_000).toFixed(3).padStart(9)}  ${printable(type).padEnd(20)} ${latency.padStart(8)}  ${printable(message)}`;
}

/** A tape may come from anywhere, and a terminal obeys what it is shown. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (found === '\n' ? ' ' : '?'));
}

/**
 * Lines of a diff, `- ` what is in the first only, `+ ` what is in the second only; empty when they tell the same. Events are
 * the same when type and message are, and their moments are not further apart than `sameMs`.
 */
export function differences(
  before: readonly TimelineEvent[],
  now: readonly TimelineEvent[],
  sameMs = SAME_MS,
): string[] {
  const same = (a: TimelineEvent, b: TimelineEvent) =>
    a.type === b.type && a.message === b.message && Math.abs(a.t - b.t) <= sameMs && (sameMs > 0 || equal(a, b));
  // What is the same at both ends need not be looked at again.
  let first = 0;
  while (first < before.length && first < now.length && same(before[first]!, now[first]!)) first++;
  let last = 0;
  while (last < before.length - first && last < now.length - first && same(before.at(-1 - last)!, now.at(-1 - last)!))
    last++;
  return changesOf(before.slice(first, before.length - last), now.slice(first, now.length - last), same);
}

function changesOf(
  before: readonly TimelineEvent[],
  now: readonly TimelineEvent[],
  same: (a: TimelineEvent, b: TimelineEvent) => boolean,
): string[] {
  // The longest common subsequence; a timeline has some hundreds of events.
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
