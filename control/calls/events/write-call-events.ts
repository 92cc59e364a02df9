import type { Logger } from '../../../shared/log.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { lockCallById } from '../store.ts';
import { applyMediaEvents } from './apply-media-events.ts';
import { insertDeadEvent } from './dead-events.ts';
import { countLostEvents, deleteGap, gapIsOverdue, lostEvents } from './event-gaps.ts';
import type { AppliedEvent } from './media-event.ts';
import { type ReceivedEvent, sortEvents } from './received-event.ts';

/** What became of a call's events, to be acted on after the commit. */
export interface WrittenCall {
  call: CallRow | null;
  /** Acknowledge them. */
  done: ReceivedEvent[];
  /** They can never be applied: never deliver them again. */
  dead: { event: ReceivedEvent; reason: string }[];
  /** Behind a gap. */
  held: ReceivedEvent[];
  /** `call.ended` was among the events applied. */
  ended: boolean;
}

/**
 * Writes events of one call in the order of their numbers, each once, and puts aside what is invalid. Behind a gap nothing is
 * written until its wait is over; then the timeline says what is lost.
 *
 * @param missingRead all that the stream has was read: what is missing is not there.
 */
export async function writeCallEvents(
  tx: Transaction,
  callId: string,
  events: readonly ReceivedEvent[],
  { missingRead, nowMs, log }: { missingRead: boolean; nowMs: number; log: Logger },
): Promise<WrittenCall> {
  const call = await lockCallById(tx, callId);
  const result: WrittenCall = { call, done: [], dead: [], held: [], ended: false };
  const putAside = async (event: ReceivedEvent, reason: string) => {
    result.dead.push({ event, reason });
    await insertDeadEvent(tx, { ...event, reason }, nowMs);
  };
  if (!call) {
    for (const event of events) await putAside(event, 'unknown call');
    return result;
  }

  // The end of a call waits for the wallet, which every other end of its workspace locks in turn.
  if (events.some(({ parsed }) => typeof parsed !== 'string' && parsed.ending)) await tx`set local lock_timeout = '1s'`;
  const { known, inTurn, held } = sortEvents(events, call.media_seq, await writtenAmong(tx, call, events));
  const before = Math.max(call.media_seq, ...inTurn.map(({ seq }) => seq));
  const skipsGap = held.length > 0 && missingRead && (await gapIsOverdue(tx, call, before, nowMs));
  const applied: AppliedEvent[] = [];
  const readUpTo = { seq: call.media_seq, position: call.media_stream_seq };
  for (const event of skipsGap ? [...inTurn, ...held] : inTurn) {
    if (event.seq > readUpTo.seq + 1) {
      const from = readUpTo.seq + 1;
      log.error({ call_id: callId, from, to: event.seq - 1 }, 'events of a call are lost');
      countLostEvents(event.seq - from);
      applied.push(lostEvents(from, event.seq - 1, nowMs));
    }
    if (typeof event.parsed === 'string') await putAside(event, event.parsed);
    else {
      applied.push(event.parsed);
      result.done.push(event);
    }
    // The events behind one that was put aside do not wait for it.
    readUpTo.seq = Math.max(readUpTo.seq, event.seq);
    readUpTo.position = Math.max(readUpTo.position, event.position);
  }
  await applyMediaEvents(tx, call, applied, readUpTo, nowMs);
  const waits = held.length > 0 && !skipsGap;
  // A gap is known only of events that were delivered before, or where the stream was just read.
  if (!waits && (missingRead || events.some(({ delivered }) => delivered?.redelivered))) await deleteGap(tx, callId);
  result.done.push(...known);
  if (waits) result.held = held;
  result.ended = applied.some(({ type }) => type === 'call.ended');
  return result;
}

/** Puts aside an event that the database refuses; those behind it do not wait for it. */
export async function putAsideRefused(
  tx: Transaction,
  event: ReceivedEvent,
  reason: string,
  nowMs: number,
): Promise<void> {
  const call = await lockCallById(tx, event.call_id);
  await insertDeadEvent(tx, { ...event, reason }, nowMs);
  if (!call) return;
  const seq = Math.max(call.media_seq, event.seq);
  await applyMediaEvents(tx, call, [], { seq, position: Math.max(call.media_stream_seq, event.position) }, nowMs);
}

/** Numbers of the events that are on the timeline already. */
async function writtenAmong(tx: Transaction, call: CallRow, events: readonly ReceivedEvent[]): Promise<Set<number>> {
  const old = events.flatMap(({ seq }) => (seq <= call.media_seq ? [seq] : []));
  if (old.length === 0) return new Set();
  const rows = await tx<{ source_seq: number }[]>`
    select source_seq from call_events
    where call_id = ${call.id} and source = 'media' and source_seq = any(${old})`;
  return new Set(rows.map(({ source_seq }) => source_seq));
}
