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
  /** Maximum of one call's events for a receiver with more headroom than `perReceiver`; others get one. */
  perCall: number;
  /** Only receivers after this one, so that all get their turn. */
  after: string;
  /** Number of a receiver's due deliveries to consider. */
  window: number;
}

/** One of so many considered ones is looked at closer, for earlier events of its call outside the window. */
const CANDIDATES = 2;

/**
 * Sent with the claim. The planner cannot know the length of a receiver's backlog: guessing a short one, it would read and sort all
 * of it instead of walking along the index and stopping. A lease that a crash of the database forgets costs a second
 * delivery with the same id, as one that runs out does: nothing waits until it is on disk.
 */
const SETTINGS =
  'set local enable_bitmapscan = off; set local enable_seqscan = off; set local synchronous_commit = off';

/**
 * Leases due deliveries for this process. A loose index scan goes from receiver to receiver, so that the backlog of one is not
 * read to find another's. Of a call's events that wait for their first attempt, the first ones without a gap are leased, or none while
 * one of them is leased: they are a run, to be attempted in order. Several processes may claim at once: locked rows are
 * skipped, with what follows them in their run, and leased ones are free after the lease.
 *
 * An event that waits for an earlier one of its call comes after it in the index, also while that one is being sent. So the first
 * `window` rows contain what may be sent, and a backlog is not read again with every claim. The first events of all calls go before
 * the second ones.
 */
export async function claimDeliveries(sql: Sql, request: ClaimRequest): Promise<OutgoingDelivery[]> {
  const { nowMs, leaseMs, limit, perReceiver, headroom, perCall, after, window } = request;
  const now = new Date(nowMs);
  return sql.begin(async (tx) => {
    const settings = tx.unsafe(SETTINGS).execute();
    const claimed = tx<OutgoingDelivery[]>`
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
        select * from (
          select *, row_number() over (partition by status, call_id order by event_seq) as held_place
          from (
            select d.workspace_id, d.id, d.status, d.call_id, d.event_seq, d.next_attempt_at, due.place
            from (
              select * from (
                select *, case status when 'pending' then row_number() over of_call else 1 end as place,
                  lag(event_seq) over of_call as previous, bool_or(leased_until > ${now}) over of_call as follows_leased
                from (
                  select ctid, status, call_id, event_seq, next_attempt_at, id, leased_until from webhook_deliveries
                  where receiver = waiting.receiver and next_attempt_at <= ${now} and coalesce(busy.headroom, 1) > 0
                  order by next_attempt_at, id limit ${window}
                ) as due
                window of_call as (partition by status, call_id order by event_seq)
              ) as due
              where (leased_until is null or leased_until <= ${now})
                and place <= case when busy.headroom > ${perReceiver}::integer then ${perCall}::integer else 1 end
                and (status = 'retrying' or follows_leased is not true)
              order by place, next_attempt_at, id
              limit ${Math.ceil(window / CANDIDATES)}
            ) as due
            join webhook_deliveries d on d.ctid = due.ctid
            where d.next_attempt_at <= ${now} and (d.leased_until is null or d.leased_until <= ${now})
              and (d.status = 'retrying' or due.previous is not distinct from (
                select e.event_seq from webhook_deliveries e
                where e.receiver = d.receiver and e.call_id = d.call_id and e.status = 'pending' and e.event_seq < d.event_seq
                order by e.event_seq desc limit 1
              ))
            order by due.place, d.next_attempt_at, d.id
            limit coalesce(busy.headroom, ${perReceiver}::integer)
            for update of d skip locked
          ) as locked
        ) as locked
        where status = 'retrying' or place = held_place
        order by place, next_attempt_at, id
      ) as due
      limit ${limit}
    ), delivery as (
      update webhook_deliveries d set lease_id = ${newId(nowMs)}, leased_until = ${new Date(nowMs + leaseMs)}
      from chosen where d.workspace_id = chosen.workspace_id and d.id = chosen.id
      returning d.*
    )
    ${selectOutgoing(tx)} from delivery ${receiverTables(tx)} order by delivery.receiver, delivery.event_seq`;
    const [rows] = await Promise.all([claimed, settings]);
    return rows;
  });
}

/** Puts claimed deliveries into runs, each of which is sent in its order: first attempts of one call's events, or one retry. */
export function runsOf(claimed: readonly OutgoingDelivery[]): OutgoingDelivery[][] {
  const runs: OutgoingDelivery[][] = [];
  const open = new Map<string, OutgoingDelivery[]>();
  for (const delivery of claimed) {
    const key = `${delivery.receiver} ${delivery.call_id}`;
    const run = delivery.scheduled_attempts === 0 ? open.get(key) : undefined;
    if (run) run.push(delivery);
    else {
      const begun = [delivery];
      runs.push(begun);
      if (delivery.scheduled_attempts === 0) open.set(key, begun);
    }
  }
  return runs;
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
