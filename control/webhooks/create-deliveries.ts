import type { TimelineEvent } from '../../shared/events.ts';
import type { Transaction } from '../db/connect.ts';
import { envelope } from './envelope.ts';
import { ALL_LIFECYCLE, isSubscribable, LIFECYCLE_TYPES } from './event-types.ts';

/** What the calls of the events have in common. */
export interface EventScope {
  workspace_id: string;
  agent_id: string | null;
  batch_id: string | null;
}

/** An event as it is on the timeline. */
export interface WrittenEvent extends TimelineEvent {
  call_id: string;
  id: string;
  seq: number;
  created_at: Date;
}

/**
 * Writes the outbox: one delivery for every receiver of every event, in the transaction that writes the events, with one
 * statement. Endpoints get what they subscribe to; the URLs of the agent and the campaign get the lifecycle events.
 */
export async function createDeliveries(
  tx: Transaction,
  call: EventScope,
  events: readonly WrittenEvent[],
): Promise<void> {
  const subscribable = events.filter(({ type }) => isSubscribable(type));
  if (subscribable.length === 0) return;
  const { workspace_id } = call;
  const agent_id = call.agent_id ?? '';
  const bodies = subscribable.map((event) => envelope({ workspace_id, call_id: event.call_id, agent_id }, event));
  await tx`
    with event as (
      select * from unnest(
        ${subscribable.map(({ call_id }) => call_id)}::text[],
        ${subscribable.map(({ id }) => id)}::text[],
        ${subscribable.map(({ type }) => type)}::text[],
        ${subscribable.map(({ seq }) => seq)}::integer[],
        ${bodies}::text[]
      ) as event (call_id, id, type, seq, body)
    ), life as (
      select * from event where type = any(${LIFECYCLE_TYPES})
    ), moment as materialized (
      select date_trunc('milliseconds', clock_timestamp()) as now
    ), target as (
      select event.id as event_id, w.id as endpoint_id, w.id as receiver, w.url
      from webhook_endpoints w join event
        on event.type = any(w.events)
        or (${ALL_LIFECYCLE} = any(w.events) and event.type = any(${LIFECYCLE_TYPES}))
      where w.workspace_id = ${workspace_id} and w.active
      union all
      select life.id, 'agent', 'agent:' || a.id, a.webhook_url
      from agents a cross join life
      where a.workspace_id = ${workspace_id} and a.id = ${call.agent_id} and a.webhook_url <> ''
      union all
      select life.id, 'campaign', 'campaign:' || c.batch_id, c.url
      from campaign_webhooks c cross join life
      where c.workspace_id = ${workspace_id} and c.batch_id = ${call.batch_id}
    ), stored as (
      insert into webhook_bodies (workspace_id, id, body, created_at)
      select ${workspace_id}, event.id, event.body, moment.now
      from event, moment where event.id in (select event_id from target)
    )
    insert into webhook_deliveries (
      workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq,
      status, next_attempt_at, created_at
    )
    select
      ${workspace_id}, ${newDeliveryId(tx)}, event.id, event.type, event.id, target.endpoint_id, target.receiver,
      target.url, event.call_id, ${agent_id}, event.seq, 'pending', moment.now, moment.now
    from event join target on target.event_id = event.id cross join moment
    order by event.seq, event.call_id`;
}

/**
 * An id like those of `newId`, for rows made in the database: a UUIDv7 with milliseconds, the event's number as counter (RFC 9562,
 * section 6.2, method 1), and random bits. The sender relies on their order, which is that of a call's events.
 */
const newDeliveryId = (tx: Transaction) => tx`
  'whd_' || lpad(to_hex(round(extract(epoch from moment.now) * 1000)::bigint), 12, '0')
    || '7' || lpad(to_hex(event.seq % 4096), 3, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 17)`;
