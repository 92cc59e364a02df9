import type { TimelineEvent } from '../../shared/events.ts';
import { type AnySql, type Fragment, wakeAfterCommit } from '../db/connect.ts';
import { envelope } from './envelope.ts';
import { ALL_LIFECYCLE, isSubscribable, LIFECYCLE_TYPES } from './event-types.ts';

/** An event as it is on the timeline, and what decides who gets it. */
export interface WrittenEvent extends TimelineEvent {
  workspace_id: string;
  agent_id: string | null;
  batch_id: string | null;
  call_id: string;
  id: string;
  seq: number;
  created_at: Date;
}

/**
 * The outbox, as parts of a `with` that follow others, in the statement that writes the events: one delivery for every receiver of
 * every event. Endpoints get what they subscribe to; the URLs of the agent and the campaign get the lifecycle events. `onlyIf`
 * (`where …`) may make it write nothing. The senders are woken once the transaction has committed.
 */
export function deliveryParts(sql: AnySql, events: readonly WrittenEvent[], onlyIf = sql``): Fragment {
  if (!events.some(({ type }) => isSubscribable(type))) return sql``;
  wakeAfterCommit(sql, 'deliveries', '');
  return sql`, ${outboxParts(sql, events, onlyIf)}, delivered as (${deliveryInsertion(sql)})`;
}

const outboxParts = (sql: AnySql, events: readonly WrittenEvent[], onlyIf: Fragment) => {
  const subscribable = events.filter(({ type }) => isSubscribable(type));
  const bodies = subscribable.map((event) => envelope({ ...event, agent_id: event.agent_id ?? '' }, event));
  return sql`
    event as (
      select * from unnest(
        ${subscribable.map(({ workspace_id }) => workspace_id)}::text[],
        ${subscribable.map(({ agent_id }) => agent_id)}::text[],
        ${subscribable.map(({ batch_id }) => batch_id)}::text[],
        ${subscribable.map(({ call_id }) => call_id)}::text[],
        ${subscribable.map(({ id }) => id)}::text[],
        ${subscribable.map(({ type }) => type)}::text[],
        ${subscribable.map(({ seq }) => seq)}::integer[],
        ${bodies}::text[]
      ) as event (workspace_id, agent_id, batch_id, call_id, id, type, seq, body)
      ${onlyIf}
    ), life as (
      select * from event where type = any(${LIFECYCLE_TYPES})
    ), moment as materialized (
      select date_trunc('milliseconds', clock_timestamp()) as now
    ), target as (
      select event.id as event_id, w.id as endpoint_id, w.id as receiver, w.url
      from webhook_endpoints w join event on w.workspace_id = event.workspace_id and (
        event.type = any(w.events)
        or (${ALL_LIFECYCLE} = any(w.events) and event.type = any(${LIFECYCLE_TYPES}))
      )
      where w.active
      union all
      select life.id, 'agent', 'agent:' || a.id, a.webhook_url
      from agents a join life on a.workspace_id = life.workspace_id and a.id = life.agent_id
      where a.webhook_url <> ''
      union all
      select life.id, 'campaign', 'campaign:' || c.batch_id, c.url
      from campaign_webhooks c join life on c.workspace_id = life.workspace_id and c.batch_id = life.batch_id
    ), stored as (
      insert into webhook_bodies (workspace_id, id, body, created_at)
      select event.workspace_id, event.id, event.body, moment.now
      from event, moment where event.id in (select event_id from target)
    )`;
};

const deliveryInsertion = (sql: AnySql) => sql`
    insert into webhook_deliveries (
      workspace_id, id, event_id, event_type, body_id, endpoint_id, receiver, url, call_id, agent_id, event_seq,
      status, next_attempt_at, created_at
    )
    select
      event.workspace_id, ${newDeliveryId(sql)}, event.id, event.type, event.id, target.endpoint_id, target.receiver,
      target.url, event.call_id, coalesce(event.agent_id, ''), event.seq, 'pending', moment.now, moment.now
    from event join target on target.event_id = event.id cross join moment
    order by event.seq, event.call_id`;

/** A condition: somebody may get the lifecycle events of a call of this agent and batch. */
export const hasReceivers = (
  sql: AnySql,
  {
    workspace_id,
    agent_id,
    batch_id,
  }: { workspace_id: string | Fragment; agent_id: string | Fragment; batch_id: string | null },
) => sql`(
    exists (select from webhook_endpoints where workspace_id = ${workspace_id} and active)
    or exists (select from agents where workspace_id = ${workspace_id} and id = ${agent_id} and webhook_url <> '')
    or exists (select from campaign_webhooks where workspace_id = ${workspace_id} and batch_id = ${batch_id})
  )`;

/**
 * An id like those of `newId`, for rows made in the database: a UUIDv7 with milliseconds, the event's number as counter (RFC 9562,
 * section 6.2, method 1), and random bits. The sender relies on their order, which is that of a call's events.
 */
const newDeliveryId = (sql: AnySql) => sql`
  'whd_' || lpad(to_hex(round(extract(epoch from moment.now) * 1000)::bigint), 12, '0')
    || '7' || lpad(to_hex(event.seq % 4096), 3, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 17)`;
