import { newId } from '../../shared/ids.ts';
import type { AnySql, Sql } from '../db/connect.ts';

/** A delivery with the present URL and secret of its receiver: changes apply to waiting deliveries. */
export interface OutgoingDelivery {
  workspace_id: string;
  id: string;
  event_type: string;
  endpoint_id: string;
  receiver: string;
  call_id: string;
  agent_id: string;
  scheduled_attempts: number;
  lease_id: string;
  body: string | null;
  /** Of the endpoint; null when it was deleted, and for agents and campaigns. */
  endpoint_url: string | null;
  endpoint_active: boolean | null;
  endpoint_secret: Uint8Array | null;
  /** Of the agent or campaign; null when it was deleted. */
  configured_url: string | null;
  default_secret: Uint8Array | null;
}

export interface ClaimRequest {
  /** Milliseconds since 1970. */
  nowMs: number;
  /** After this time an unfinished delivery can be claimed again. */
  leaseMs: number;
  /** Maximum number of deliveries. */
  limit: number;
  /** Maximum per receiver. */
  perReceiver: number;
  /** Maximum of individual receivers, where it differs. */
  headroom: ReadonlyMap<string, number>;
  /** Only receivers after this one, so that all get their turn. */
  after: string;
  /** Number of a receiver's due deliveries to consider. */
  window: number;
}

/** One of so many considered ones is looked at closer, for earlier events of its call outside the window. */
const CANDIDATES = 4;

/**
 * Leases due deliveries for this process. A loose index scan goes from receiver to receiver, so that the backlog of one is not
 * read to find another's; a receiver gets the first attempts of one call's events in order. Several processes may claim at once:
 * locked rows are skipped, and leased ones are free after the lease.
 *
 * An event that waits for an earlier one of its call comes after it in the index, also while that one is being sent. So the first
 * `window` rows contain what may be sent, and a backlog is not read again with every claim.
 */
export async function claimDeliveries(sql: Sql, request: ClaimRequest): Promise<OutgoingDelivery[]> {
  const { nowMs, leaseMs, limit, perReceiver, headroom, after, window } = request;
  const now = new Date(nowMs);
  return sql.begin(async (tx) => {
    // The planner cannot know the length of a receiver's backlog: guessing a short one, it would read and sort all of it
    // instead of walking along the index and stopping.
    await tx.unsafe('set local enable_bitmapscan = off; set local enable_seqscan = off');
    return tx<OutgoingDelivery[]>`
    with recursive waiting (receiver) as (
      (select receiver from webhook_deliveries
        where next_attempt_at is not null and receiver > ${after} order by receiver limit 1)
      union all
      select (select d.receiver from webhook_deliveries d
        where d.next_attempt_at is not null and d.receiver > waiting.receiver order by d.receiver limit 1)
      from waiting where waiting.receiver is not null
    ), chosen as materialized (
      select due.workspace_id, due.id
      from waiting
      left join unnest(${[...headroom.keys()]}::text[], ${[...headroom.values()]}::integer[]) as busy (receiver, headroom)
        on busy.receiver = waiting.receiver
      cross join lateral (
        select d.workspace_id, d.id from webhook_deliveries d
        where d.ctid = any(array(
            select ctid from (
              select *, row_number() over (partition by status, call_id order by event_seq) as place
              from (
                select ctid, status, call_id, event_seq, next_attempt_at, id, leased_until from webhook_deliveries
                where receiver = waiting.receiver and next_attempt_at <= ${now} and coalesce(busy.headroom, 1) > 0
                order by next_attempt_at, id limit ${window}
              ) as due
            ) as due
            where (place = 1 or status = 'retrying') and (leased_until is null or leased_until <= ${now})
            order by next_attempt_at, id limit ${Math.ceil(window / CANDIDATES)}
          ))
          and d.next_attempt_at <= ${now} and (d.leased_until is null or d.leased_until <= ${now})
          and not (d.status = 'pending' and exists (
            select 1 from webhook_deliveries e
            where e.receiver = d.receiver and e.call_id = d.call_id and e.status = 'pending' and e.event_seq < d.event_seq
          ))
        order by d.next_attempt_at, d.id
        limit coalesce(busy.headroom, ${perReceiver}::integer)
        for update of d skip locked
      ) as due
      limit ${limit}
    ), delivery as (
      update webhook_deliveries d set lease_id = ${newId(nowMs)}, leased_until = ${new Date(nowMs + leaseMs)}
      from chosen where d.workspace_id = chosen.workspace_id and d.id = chosen.id
      returning d.*
    )
    ${selectOutgoing(tx)} from delivery ${receiverTables(tx)} order by delivery.receiver, delivery.event_seq`;
  });
}

/** Reads one delivery, to be sent outside the schedule. */
export async function findOutgoing(
  sql: AnySql,
  workspaceId: string,
  deliveryId: string,
): Promise<OutgoingDelivery | null> {
  const [row] = await sql<OutgoingDelivery[]>`
    ${selectOutgoing(sql)} from webhook_deliveries delivery ${receiverTables(sql)}
    where delivery.workspace_id = ${workspaceId} and delivery.id = ${deliveryId}`;
  return row ?? null;
}

const selectOutgoing = (sql: AnySql) => sql`
  select delivery.workspace_id, delivery.id, delivery.event_type, delivery.endpoint_id, delivery.receiver,
    delivery.call_id, delivery.agent_id, delivery.scheduled_attempts, delivery.lease_id, b.body, w.url as endpoint_url, w.active as endpoint_active,
    w.secret as endpoint_secret, coalesce(a.webhook_url, c.url) as configured_url, s.secret as default_secret`;

const receiverTables = (sql: AnySql) => sql`
  left join webhook_bodies b on b.workspace_id = delivery.workspace_id and b.id = delivery.body_id
  left join webhook_endpoints w on w.workspace_id = delivery.workspace_id and w.id = delivery.endpoint_id
  left join agents a on a.workspace_id = delivery.workspace_id and delivery.endpoint_id = 'agent'
    and a.id = split_part(delivery.receiver, ':', 2)
  left join campaign_webhooks c on c.workspace_id = delivery.workspace_id and delivery.endpoint_id = 'campaign'
    and c.batch_id = split_part(delivery.receiver, ':', 2)
  left join webhook_default_secrets s on s.workspace_id = delivery.workspace_id`;
