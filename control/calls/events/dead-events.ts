import { type CallEvent, callEventCodec } from '../../../shared/bus/messages.ts';
import { newId } from '../../../shared/ids.ts';
import type { AnySql, Transaction } from '../../db/connect.ts';
import { storableText } from '../../db/storable-text.ts';
import { lockCallById } from '../store.ts';
import { applyMediaEvents } from './apply-media-events.ts';
import { parseMediaEvent } from './media-event.ts';

/** Events from the bus that could not be applied, kept until the operator replays or drops them, or for `DEAD_LETTER_DAYS`. */

export interface DeadEvent {
  id: string;
  received_at: Date;
  reason: string;
  call_id: string;
  /** The engine's number; null when the event cannot be decoded. */
  seq: number | null;
  raw: Uint8Array;
}

export interface NewDeadEvent extends Pick<DeadEvent, 'reason' | 'call_id' | 'seq' | 'raw'> {
  /** In the bus's stream. */
  position: number;
}

/** Puts an event aside; one that is there already stays as it is. */
export async function insertDeadEvent(sql: AnySql, dead: NewDeadEvent, nowMs: number): Promise<void> {
  const { reason, call_id, seq, position, raw } = dead;
  await sql`
    insert into dead_events (id, received_at, reason, call_id, seq, position, raw)
    values (
      ${newId(nowMs)}, ${new Date(nowMs)}, ${storableText(reason).slice(0, 300)},
      ${storableText(call_id).slice(0, 64)}, ${seq}, ${position},
      ${Buffer.from(raw)}
    )
    on conflict (call_id, position) do nothing`;
}

/** The oldest dead letters, in the order in which they were put aside. */
export async function oldestDeadEvents(sql: AnySql, limit: number): Promise<Omit<DeadEvent, 'raw'>[]> {
  return await sql<Omit<DeadEvent, 'raw'>[]>`
    select id, received_at, reason, call_id, seq from dead_events order by received_at, id limit ${limit}`;
}

export async function findDeadEvent(sql: AnySql, id: string): Promise<DeadEvent | null> {
  const [dead] = await sql<DeadEvent[]>`
    select id, received_at, reason, call_id, seq, raw from dead_events where id = ${id}`;
  return dead ?? null;
}

/** Counts up to `max`. */
export async function countDeadEvents(sql: AnySql, max: number): Promise<number> {
  const [row] = await sql<{ found: number }[]>`
    select count(*)::integer as found from (select from dead_events limit ${max}) as dead`;
  return row!.found;
}

/** Removes a dead letter; false when there is none. */
export async function deleteDeadEvent(tx: Transaction, id: string): Promise<boolean> {
  const deleted = await tx`delete from dead_events where id = ${id} returning id`;
  return deleted.length > 0;
}

/** Removes the oldest of those put aside before that time; false when none is left. */
export async function deleteDeadEventsBefore(sql: AnySql, before: Date, max: number): Promise<boolean> {
  const { count } = await sql`
    delete from dead_events where id in (
      select id from dead_events where received_at < ${before} order by received_at limit ${max}
    )`;
  return count === max;
}

/** Null when the bytes are no event. */
export function decodeDeadEvent({ raw }: Pick<DeadEvent, 'raw'>): CallEvent | null {
  try {
    return callEventCodec.decode(raw);
  } catch {
    return null;
  }
}

/**
 * Applies a dead letter to its call, as an event that comes late: at the end of the timeline. The caller deletes it in the same
 * transaction.
 *
 * @returns why it still cannot be applied; null when it is.
 */
export async function applyDeadEvent(tx: Transaction, dead: DeadEvent, nowMs: number): Promise<string | null> {
  const decoded = decodeDeadEvent(dead);
  if (!decoded) return 'unreadable';
  const event = parseMediaEvent(decoded);
  if (typeof event === 'string') return event;
  const call = await lockCallById(tx, decoded.call_id);
  if (!call) return 'unknown call';
  const { source_seq } = event;
  const [known] = await tx`
    select from call_events where call_id = ${call.id} and source = 'media' and source_seq = ${source_seq}`;
  if (known) return null;
  const readUpTo = { seq: Math.max(call.media_seq, source_seq), position: call.media_stream_seq };
  // It was never applied, although its number was read.
  const before = { ...call, media_seq: Math.min(call.media_seq, source_seq - 1) };
  await applyMediaEvents(tx, before, [event], readUpTo, nowMs);
  return null;
}
