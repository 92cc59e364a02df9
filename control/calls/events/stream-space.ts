import type { EventStream } from '../../../shared/bus/event-stream.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';

const INTERVAL_MS = 5_000;
/** What is read stays below this share of the stream, so that it can be read again after the database was restored. */
const KEPT_SHARE = 0.5;

/** Deletes what is read when more than half of the stream is used, because a full stream refuses events. */
export async function freeSpace(events: Pick<EventStream, 'backlog' | 'deleteUpTo'>): Promise<void> {
  const { bytes, max_bytes, first_position, read_position } = await events.backlog();
  if (bytes <= max_bytes * KEPT_SHARE || first_position > read_position) return;
  await events.deleteUpTo(read_position);
}

export function startStreamSpaceJob(
  events: Pick<EventStream, 'backlog' | 'deleteUpTo'>,
  { clock, log }: { clock: Clock; log: Logger },
): PollingJob {
  const run = () => freeSpace(events);
  return startPollingJob({ name: 'space in the stream of events', intervalMs: INTERVAL_MS, clock, log, run });
}
