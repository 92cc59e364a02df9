import type { EventType, TimelineEvent } from '../../../shared/events.ts';
import { newId } from '../../../shared/ids.ts';
import type { AnySql, Fragment, Transaction } from '../../db/connect.ts';
import { deliveryParts, type WrittenEvent } from '../../webhooks/create-deliveries.ts';
import type { CallRow } from '../call-row.ts';
import { tableOf } from '../store.ts';

/** An event to be written; `source_seq` is the engine's number, absent for control's own events. */
export interface NewEvent extends TimelineEvent {
  at_ms: number;
  source_seq?: number;
}

/** A call, as far as its events need it. */
export type TimelineCall = Pick<CallRow, 'workspace_id' | 'id' | 'agent_id' | 'batch_id' | 'event_seq'>;

/**
 * Appends to a call's timeline, and creates the webhook deliveries of these events in the same transaction. The caller holds the
 * lock on the call's row (`lockCall`), so the numbers have no gaps and no duplicates.
 */
export async function writeEvents(tx: Transaction, call: CallRow, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { workspace_id, id } = call;
  const rows = eventRowsOf([{ call, events }]);
  call.event_seq += events.length;
  await tx`
    with ${eventParts(tx, rows)}
    update ${tableOf(tx, call)} set event_seq = ${call.event_seq} where workspace_id = ${workspace_id} and id = ${id}`;
}

/**
 * Appends to the timelines of several calls, and creates the webhook deliveries, with one statement. The caller holds the locks on
 * the rows and increments `event_seq` in them; `call` has the values from before.
 */
export async function insertEvents(tx: Transaction, timelines: readonly Timeline[]): Promise<void> {
  await tx`with ${eventParts(tx, eventRowsOf(timelines))} select`;
}

/** The parts of a `with` that insert events and their webhook deliveries. `onlyIf` (`where …`) may make them write nothing. */
export const eventParts = (
  sql: AnySql,
  rows: readonly EventRow[],
  { onlyIf = sql``, deliveries = true }: { onlyIf?: Fragment; deliveries?: boolean } = {},
) => sql`
    inserted as (${eventInsertion(sql, rows, onlyIf)}) ${deliveries ? deliveryParts(sql, rows, onlyIf) : sql``}`;

/** Events to be appended to the timeline of a call, which is as it was before. */
export interface Timeline {
  call: TimelineCall;
  events: readonly NewEvent[];
}

export type EventRow = NewEvent & WrittenEvent;

/** The rows of these events, each with its number and a new id. */
export function eventRowsOf(timelines: readonly Timeline[]): EventRow[] {
  return timelines.flatMap(({ call, events }) =>
    events.map((event, index) => ({
      ...event,
      workspace_id: call.workspace_id,
      agent_id: call.agent_id,
      batch_id: call.batch_id,
      call_id: call.id,
      seq: call.event_seq + index + 1,
      id: `evt_${newId(event.at_ms)}`,
      created_at: new Date(event.at_ms),
    })),
  );
}

const eventInsertion = (sql: AnySql, rows: readonly EventRow[], onlyIf: Fragment) => sql`
    insert into call_events (
      workspace_id, call_id, seq, id, source, source_seq, type, message, level, latency_ms, data, created_at
    )
    select workspace_id, call_id, seq, id, case when source_seq is null then 'control' else 'media' end, source_seq,
      type, message, level, latency_ms, data::jsonb, created_at::timestamptz
    from unnest(
      ${rows.map(({ workspace_id }) => workspace_id)}::text[], ${rows.map(({ call_id }) => call_id)}::text[],
      ${rows.map(({ seq }) => seq)}::integer[], ${rows.map(({ id }) => id)}::text[],
      ${rows.map(({ source_seq }) => source_seq ?? null)}::integer[], ${rows.map(({ type }) => type)}::text[],
      ${rows.map(({ message }) => message)}::text[], ${rows.map(({ level }) => level)}::text[],
      ${rows.map(({ latency_ms }) => (latency_ms === null ? null : Math.round(latency_ms)))}::integer[],
      ${rows.map(({ data }) => JSON.stringify(data))}::text[],
      ${rows.map(({ created_at }) => created_at.toISOString())}::text[]
    ) as event (
      workspace_id, call_id, seq, id, source_seq, type, message, level, latency_ms, data, created_at
    ) ${onlyIf}`;

/**
 * Appends the same event to the timelines of several calls of one workspace, with as many statements as for one call. The caller
 * holds the locks on the rows and has incremented `event_seq` in them; `calls` has the values from before.
 */
export async function writeSameEvent(
  tx: Transaction,
  workspace_id: string,
  calls: readonly Omit<TimelineCall, 'workspace_id'>[],
  event: Omit<NewEvent, 'source_seq' | 'latency_ms'>,
): Promise<void> {
  if (calls.length === 0) return;
  const events = [{ ...event, latency_ms: null }];
  await insertEvents(
    tx,
    calls.map((call) => ({ call: { ...call, workspace_id }, events })),
  );
}

/** Whether the call's timeline has an event of this type. */
export async function isOnTimeline(tx: Transaction, callId: string, type: EventType): Promise<boolean> {
  const [event] = await tx`select from call_events where call_id = ${callId} and type = ${type} limit 1`;
  return event !== undefined;
}
