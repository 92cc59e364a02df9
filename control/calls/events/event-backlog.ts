import type { Bus } from '../../../shared/bus/bus.ts';
import type { CallRow } from '../call-row.ts';

/** What the bus has stored of a call is read by then, or nobody can read it. */
const MAX_BACKLOG_WAIT_MS = 5 * 60_000;

/**
 * Has an engine told more of this call than is written? Whoever ends a call for want of its engine's word waits for what is on
 * its way: after an outage of bus or database thousands of events may lie there. A bus that cannot say is taken for one that
 * holds more. `sinceMs`: from when the end is owed.
 */
export async function hasUnreadEvents(
  bus: Pick<Bus, 'lastEventSeq'>,
  call: Pick<CallRow, 'id' | 'media_seq'>,
  since: Date,
  nowMs: number,
): Promise<boolean> {
  if (nowMs - since.getTime() > MAX_BACKLOG_WAIT_MS) return false;
  const stored = await bus.lastEventSeq(call.id).catch(() => Number.POSITIVE_INFINITY);
  return stored > call.media_seq;
}
