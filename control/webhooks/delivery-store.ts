import { type BoundedTotal, boundedTotal, MAX_COUNTED } from '../db/bounded-total.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Attempt } from './delivery-attempt.ts';
import type { DeliveryRow, DeliveryStatus, WholeDelivery } from './delivery-record.ts';
import type { NextAttempt } from './delivery-retries.ts';

/** The table of deliveries; see also `create-deliveries.ts` and `claim-deliveries.ts`. */

const COLUMNS = (sql: AnySql) => sql`
  d.id, d.event_id, d.event_type, d.endpoint_id, d.url, d.call_id, d.agent_id, d.status, d.attempts,
  d.last_status_code, d.last_error, d.last_latency_ms, d.last_attempt_at, d.next_attempt_at, d.created_at`;

export interface DeliveryFilters {
  endpoint_id?: string | undefined;
  status?: readonly DeliveryStatus[] | undefined;
  event_type?: readonly string[] | undefined;
  call_id?: string | undefined;
  /** On created_at; `until` is exclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** Newest first. */
export async function listDeliveries(
  sql: AnySql,
  workspaceId: string,
  filters: DeliveryFilters,
  limit: number,
  skip: number,
): Promise<{ items: DeliveryRow[] } & BoundedTotal> {
  const ids = await sql<{ id: string }[]>`
    select id from (${newest(sql, workspaceId, filters, limit + skip)}) as matching order by id desc limit ${limit} offset ${skip}`;
  const items = await sql<DeliveryRow[]>`
    select ${COLUMNS(sql)} from webhook_deliveries d
    where d.workspace_id = ${workspaceId} and d.id = any(${ids.map(({ id }) => id)}) order by d.id desc`;
  const matches = sql`select from (${newest(sql, workspaceId, filters, MAX_COUNTED + 1)}) as newest`;
  const counted = await boundedTotal(sql, { rows: items.length, limit, skip }, matches);
  return { items: [...items], ...counted };
}

/**
 * The ids of the newest matches, at most `max`. Each status but `delivered`, and each type of event, is a range of an index in the
 * list's order.
 */
function newest(sql: AnySql, workspaceId: string, filters: DeliveryFilters, max: number) {
  const { status = [], event_type = [], call_id, ...others } = filters;
  const order = sql`order by d.id desc limit ${max}`;
  const column = call_id !== undefined ? null : waits(status) ? 'status' : event_type.length > 0 ? 'event_type' : null;
  if (column === null) {
    return sql`select d.id from webhook_deliveries d where ${matching(sql, workspaceId, filters)} ${order}`;
  }
  const isStatus = column === 'status';
  const rest = isStatus ? { event_type, ...others } : { status, ...others };
  return sql`
    select d.id from unnest(${[...new Set(isStatus ? status : event_type)]}::text[]) as value
    cross join lateral (
      select d.id from webhook_deliveries d
      where ${matching(sql, workspaceId, rest)} and d.${sql(column)} = value ${isStatus ? sql`and d.status <> 'delivered'` : sql``} ${order}
    ) as d ${order}`;
}

const waits = (status: readonly DeliveryStatus[]) => status.length > 0 && !status.includes('delivered');

function matching(sql: AnySql, workspaceId: string, filters: DeliveryFilters) {
  const { endpoint_id, status = [], event_type = [], call_id, since, until } = filters;
  return sql`
    d.workspace_id = ${workspaceId}
    ${endpoint_id === undefined ? sql`` : sql`and d.endpoint_id = ${endpoint_id}`}
    ${status.length === 0 ? sql`` : sql`and d.status = any(${[...status]})`}
    ${waits(status) ? sql`and d.status <> 'delivered'` : sql``}
    ${event_type.length === 0 ? sql`` : sql`and d.event_type = any(${[...event_type]})`}
    ${call_id === undefined ? sql`` : sql`and d.call_id = ${call_id} and d.call_id <> ''`}
    ${since === undefined ? sql`` : sql`and d.id >= ${firstIdOf(since)}`}
    ${until === undefined ? sql`` : sql`and d.id < ${firstIdOf(until)}`}`;
}

/** The lowest id of that millisecond: ids begin with the time of their creation. */
function firstIdOf(moment: Date): string {
  const ms = Math.min(Math.max(0, moment.getTime()), 2 ** 48 - 1);
  return `whd_${ms.toString(16).padStart(12, '0')}`;
}

export async function findDelivery(sql: AnySql, workspaceId: string, id: string): Promise<WholeDelivery | null> {
  const [row] = await sql<WholeDelivery[]>`
    select ${COLUMNS(sql)}, d.request_headers, coalesce(b.body, '') as request_body, d.response_headers, d.response_body
    from webhook_deliveries d left join webhook_bodies b on b.workspace_id = d.workspace_id and b.id = d.body_id
    where d.workspace_id = ${workspaceId} and d.id = ${id}`;
  return row ?? null;
}

export interface DeliveryKey {
  workspace_id: string;
  id: string;
}

export interface LeasedDelivery extends DeliveryKey {
  lease_id: string;
}

/** Records an attempt of the schedule. False when the lease is lost; the attempt is counted all the same. */
export async function recordScheduledAttempt(
  sql: Sql,
  { workspace_id, id, lease_id }: LeasedDelivery,
  attempt: Attempt,
  planned: NextAttempt,
): Promise<boolean> {
  const { status, next_attempt_at } = planned;
  const rows = await sql`
    update webhook_deliveries set
      ${sql(columnsOf(sql, attempt) as never)}, status = ${status}, next_attempt_at = ${next_attempt_at},
      leased_until = null, attempts = attempts + 1, scheduled_attempts = scheduled_attempts + 1
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and next_attempt_at is not null
    returning id`;
  if (rows.length > 0) return true;
  await sql`
    update webhook_deliveries set attempts = attempts + 1 where workspace_id = ${workspace_id} and id = ${id}`;
  return false;
}

/** Records an attempt outside the schedule: a success ends the delivery, a failure leaves the schedule as it is. */
export async function recordManualAttempt(
  sql: AnySql,
  { workspace_id, id }: DeliveryKey,
  attempt: Attempt,
): Promise<void> {
  const ended = attempt.delivered
    ? sql`, status = 'delivered', next_attempt_at = null, leased_until = null, lease_id = ''`
    : sql``;
  await sql`
    update webhook_deliveries set ${sql(columnsOf(sql, attempt) as never)}, attempts = attempts + 1 ${ended}
    where workspace_id = ${workspace_id} and id = ${id}`;
}

function columnsOf(sql: AnySql, attempt: Attempt) {
  return {
    url: attempt.url,
    last_status_code: attempt.status_code,
    last_error: attempt.error,
    last_latency_ms: attempt.latency_ms,
    last_attempt_at: attempt.at,
    request_headers: sql.json(attempt.request_headers),
    response_headers: sql.json(attempt.response_headers),
    response_body: attempt.response_body,
  };
}

/** Fails a delivery whose receiver was deleted or is inactive. */
export async function failClaimed(
  sql: Sql,
  { workspace_id, id, lease_id }: LeasedDelivery,
  reason: string,
): Promise<void> {
  await sql`
    update webhook_deliveries set status = 'failed', last_error = ${reason}, next_attempt_at = null, leased_until = null
    where workspace_id = ${workspace_id} and id = ${id} and lease_id = ${lease_id} and next_attempt_at is not null`;
}

/** Releases deliveries of one lease that were not attempted. */
export async function releaseClaimed(sql: Sql, deliveries: readonly LeasedDelivery[]): Promise<void> {
  await sql`
    update webhook_deliveries d set leased_until = null, lease_id = ''
    from unnest(
      ${deliveries.map(({ workspace_id }) => workspace_id)}::text[], ${deliveries.map(({ id }) => id)}::text[],
      ${deliveries.map(({ lease_id }) => lease_id)}::text[]
    ) as released (workspace_id, id, lease_id)
    where d.workspace_id = released.workspace_id and d.id = released.id and d.lease_id = released.lease_id
      and d.next_attempt_at is not null`;
}

/** Fails all waiting deliveries of a receiver. */
export async function failWaiting(
  sql: AnySql,
  workspaceId: string,
  receiver: string,
  reason: 'endpoint deleted' | 'endpoint inactive',
): Promise<void> {
  await sql`
    update webhook_deliveries set
      status = 'failed', last_error = ${reason}, next_attempt_at = null, leased_until = null, lease_id = ''
    where workspace_id = ${workspaceId} and receiver = ${receiver} and next_attempt_at is not null`;
}

export interface NewPing extends DeliveryKey {
  event_id: string;
  endpoint_id: string;
  body: string;
  created_at: Date;
}

/** Stores a ping after its only attempt. */
export async function insertPing(sql: AnySql, ping: NewPing, attempt: Attempt): Promise<void> {
  const { workspace_id, id, event_id, endpoint_id, body, created_at } = ping;
  await sql`
    insert into webhook_bodies (workspace_id, id, body, created_at)
    values (${workspace_id}, ${id}, ${body}, ${created_at})`;
  const row = {
    ...{ workspace_id, id, event_id, event_type: 'ping', body_id: id, endpoint_id, receiver: endpoint_id },
    ...{ call_id: '', agent_id: '', event_seq: 0, status: attempt.delivered ? 'delivered' : 'failed', attempts: 1 },
    created_at,
    ...columnsOf(sql, attempt),
  };
  await sql`insert into webhook_deliveries ${sql(row as never)}`;
}

/** @returns the number of deleted rows; fewer than `limit` when none is left. */
export async function deleteDeliveriesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const deliveries = await sql`
    delete from webhook_deliveries where (workspace_id, id) in (
      select workspace_id, id from webhook_deliveries where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )`;
  const bodies = await sql`
    delete from webhook_bodies where (workspace_id, id) in (
      select workspace_id, id from webhook_bodies where created_at < ${before} order by created_at limit ${limit}
      for update skip locked
    )`;
  return Math.max(deliveries.count, bodies.count);
}

/** Deletes the deliveries of calls, sent or not, with their bodies. */
export async function deleteDeliveriesOfCalls(
  tx: Transaction,
  workspaceId: string,
  callIds: readonly string[],
): Promise<void> {
  await tx`
    with deleted as (
      delete from webhook_deliveries
      where workspace_id = ${workspaceId} and call_id = any(${[...callIds]}) and call_id <> '' returning body_id
    )
    delete from webhook_bodies where workspace_id = ${workspaceId} and id in (select body_id from deleted)`;
}

/**
 * Counts the waiting deliveries of all workspaces, up to `max`, and finds the creation time of the oldest, which its id begins
 * with. An index-only scan.
 */
export async function countWaitingDeliveries(
  sql: AnySql,
  max: number,
): Promise<{ waiting: number; oldest_at_ms: number | null }> {
  const [row] = await sql<{ waiting: number; oldest: string | null }[]>`
    select count(*)::integer as waiting, min(id) as oldest from (
      select id from webhook_deliveries where next_attempt_at is not null
      order by receiver, next_attempt_at, id limit ${max}
    ) as d`;
  const { waiting, oldest } = row!;
  return { waiting, oldest_at_ms: oldest === null ? null : Number.parseInt(oldest.slice(4, 16), 16) };
}
