import type { TimelineEvent } from '../../../shared/events.ts';
import { newId } from '../../../shared/ids.ts';
import type { Transaction } from '../../db/connect.ts';
import { createDeliveries } from '../../webhooks/create-deliveries.ts';
import type { CallRow } from '../call-row.ts';

/** An event to be written; `source_seq` is the engine's number, absent for control's own events. */
export interface NewEvent extends TimelineEvent {
  at_ms: number;
  source_seq?: number;
}

/**
 * Appends to a call's timeline, and creates the webhook deliveries of these events in the same transaction. The caller holds the
 * lock on the call's row (`lockCall`), so the numbers have no gaps and no duplicates.
 */
export async function writeEvents(tx: Transaction, call: CallRow, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  const { workspace_id, id: call_id } = call;
  const rows = events.map((event, index) => ({
    workspace_id,
    call_id,
    seq: call.event_seq + index + 1,
    id: `evt_${newId(event.at_ms)}`,
    source: event.source_seq === undefined ? 'control' : 'media',
    source_seq: event.source_seq ?? null,
    type: event.type,
    message: event.message,
    level: event.level,
    latency_ms: event.latency_ms === null ? null : Math.round(event.latency_ms),
    data: event.data as never,
    created_at: new Date(event.at_ms),
  }));
  await tx`insert into call_events ${tx(rows)}`;
  call.event_seq += events.length;
  await tx`update calls set event_seq = ${call.event_seq} where workspace_id = ${workspace_id} and id = ${call_id}`;
  await createDeliveries(tx, call, rows);
}

/**
 * Appends the same event to the timelines of several calls of one workspace, with as many statements as for one call. The caller
 * holds the locks on the rows and has incremented `event_seq` in them; `calls` has the values from before.
 */
export async function writeSameEvent(
  tx: Transaction,
  workspace_id: string,
  calls: readonly Pick<CallRow, 'id' | 'agent_id' | 'batch_id' | 'event_seq'>[],
  { type, message, level, data, at_ms }: Omit<NewEvent, 'source_seq' | 'latency_ms'>,
): Promise<void> {
  if (calls.length === 0) return;
  const created_at = new Date(at_ms);
  const common = { type, message, level, latency_ms: null, data, created_at };
  const events = calls.map(({ id, event_seq }) => ({
    ...common,
    call_id: id,
    seq: event_seq + 1,
    id: `evt_${newId(at_ms)}`,
  }));
  await tx`
    insert into call_events (workspace_id, call_id, seq, id, source, type, message, level, data, created_at)
    select ${workspace_id}, event.call_id, event.seq, event.id, 'control', ${type}, ${message}, ${level},
      ${tx.json(data as never)}, ${created_at}
    from unnest(
      ${events.map(({ call_id }) => call_id)}::text[], ${events.map(({ seq }) => seq)}::integer[],
      ${events.map(({ id }) => id)}::text[]
    ) as event (call_id, seq, id)`;
  const eventOf = new Map(events.map((event) => [event.call_id, event]));
  // Calls with the same receivers share a statement.
  for (const group of Map.groupBy(calls, ({ agent_id, batch_id }) => `${agent_id} ${batch_id}`).values()) {
    const { agent_id, batch_id } = group[0]!;
    await createDeliveries(
      tx,
      { workspace_id, agent_id, batch_id },
      group.map(({ id }) => eventOf.get(id)!),
    );
  }
}
