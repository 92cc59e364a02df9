import type { AnySql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import type { AppliedEvent } from './media-event.ts';

/** Numbers of a call's events that are missing although later ones are there, and are not in the stream either. */

/** The events behind a gap wait this long from its first sight. */
const MAX_WAIT_MS = 30_000;

/** Records that a call's next event is missing. @returns whether its first sight, by any process, is long enough ago. */
export async function gapIsOverdue(tx: Transaction, call: CallRow, afterSeq: number, nowMs: number): Promise<boolean> {
  const now = new Date(nowMs);
  const [gap] = await tx<{ first_seen_at: Date }[]>`
    insert into event_gaps as known (call_id, after_seq, first_seen_at) values (${call.id}, ${afterSeq}, ${now})
    on conflict (call_id) do update set after_seq = ${afterSeq}, first_seen_at =
      case when known.after_seq = ${afterSeq} then known.first_seen_at else ${now} end
    returning first_seen_at`;
  return nowMs - gap!.first_seen_at.getTime() >= MAX_WAIT_MS;
}

export async function deleteGap(tx: Transaction, callId: string): Promise<void> {
  await tx`delete from event_gaps where call_id = ${callId}`;
}

/** Calls that wait for a missing event, up to `max`. */
export async function countGaps(sql: AnySql, max: number): Promise<number> {
  const [row] = await sql<{ gaps: number }[]>`
    select count(*)::integer as gaps from (select from event_gaps limit ${max}) as gap`;
  return row!.gaps;
}

let lost = 0;

export function countLostEvents(events: number): void {
  lost += events;
}

/** Events that this process has found lost. */
export const lostEventCount = (): number => lost;

/** What the timeline says in the place of events that are lost. */
export function lostEvents(fromSeq: number, toSeq: number, atMs: number): AppliedEvent {
  const which =
    fromSeq === toSeq ? `event ${fromSeq} of the engine was` : `events ${fromSeq} to ${toSeq} of the engine were`;
  return {
    type: 'error',
    level: 'error',
    message: `${which} lost`,
    latency_ms: null,
    data: { lost_from: fromSeq, lost_to: toSeq },
    at_ms: atMs,
    transcript: [],
    ending: null,
  };
}
