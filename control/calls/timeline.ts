import type { TimelineEvent } from '../../shared/events.ts';
import { newId } from '../../shared/ids.ts';
import type { Transaction } from '../db/connect.ts';
import { createDeliveries } from '../webhooks/create-deliveries.ts';
import type { CallRow } from './call-row.ts';

/** An event as it is about to be written; `source_seq` is the engine's number, absent for control's own events. */
export interface NewEvent extends TimelineEvent {
  at_ms: number;
  source_seq?: number;
}

/**
 * Appends to a call's timeline. The caller holds the call's row (`lockCall`), so numbers have neither gap nor double.
 * Whoever subscribes to them gets a delivery with the same commit.
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
