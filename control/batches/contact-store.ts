import type { AnySql, Transaction } from '../db/connect.ts';
import type { OpenWorkQuery } from '../db/open-work.ts';
import type { ContactChange, OpenContact } from './contact-outcome.ts';
import type { BatchRow } from './store.ts';

/** Contacts and their calls. Every change is made under the lock on the batch. */

/** Finds a row while a batch may need a tick. */
export const openBatches: OpenWorkQuery = `
  select from batches where status in ('scheduled', 'running', 'paused')
  union all select from batch_contacts where status in ('queued', 'in-progress')`;

/** Batches that need a tick: those that run, are due or must be canceled, and those with an open call. */
export async function findDueBatches(
  sql: AnySql,
  nowMs: number,
  workspaceIds: readonly string[] | null,
): Promise<{ workspace_id: string; id: string }[]> {
  const among = (column: string) =>
    workspaceIds === null ? sql`` : sql`and ${sql(column)} = any(${[...workspaceIds]})`;
  return sql<{ workspace_id: string; id: string }[]>`
    select b.workspace_id, b.id from batches b
    where b.status in ('scheduled', 'running', 'paused') ${among('b.workspace_id')} and (
      b.status = 'running'
      or (b.status = 'scheduled' and b.scheduled_at <= ${new Date(nowMs)})
      or not exists (select 1 from agents a where a.workspace_id = b.workspace_id and a.id = b.agent_id)
      or exists (select 1 from workspaces w where w.id = b.workspace_id and w.state = 'closed')
    )
    union
    select c.workspace_id, c.batch_id from batch_contacts c
    where c.status in ('queued', 'in-progress') ${among('c.workspace_id')}
    order by 1, 2`;
}

/** Contacts with an open call, with the present state of that call. Each call is looked up by itself, in the month of its id only. */
export async function openContacts(
  tx: Transaction,
  { workspace_id, id }: Pick<BatchRow, 'workspace_id' | 'id'>,
): Promise<OpenContact[]> {
  return tx<OpenContact[]>`
    with open as materialized (
      select row, status, attempts, call_id from batch_contacts
      where workspace_id = ${workspace_id} and batch_id = ${id} and status in ('queued', 'in-progress')
    )
    select open.row, open.status, open.attempts, called.status as call_status,
      coalesce(called.hangup_reason, '') as call_hangup_reason, called.ended_at as call_ended_at,
      coalesce(called.duration_seconds, 0) as call_duration_seconds,
      coalesce(called.cost_paise, 0)::bigint as call_cost_paise,
      called.rescheduled_to is not null as call_is_rescheduled,
      exists (
        select 1 from transfers
        where transfers.call_id = called.id and transfers.charged_at is null
          and (transfers.caller_left_at is not null or transfers.state not in ('talking', 'over'))
      ) as call_has_open_transfer
    from open left join lateral (
      select id, status, hangup_reason, ended_at, duration_seconds, cost_paise, rescheduled_to from calls
      where calls.workspace_id = ${workspace_id} and calls.id = open.call_id limit 1
    ) as called on true
    order by open.row`;
}

export async function updateContacts(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  changes: readonly ContactChange[],
  nowMs: number,
): Promise<void> {
  await tx`
    update batch_contacts c set
      status = m.status, attempts = m.attempts, next_attempt_at = m.next_attempt_at,
      duration_seconds = m.duration_seconds, hangup_reason = m.hangup_reason,
      cost_paise = c.cost_paise + m.added_cost_paise, updated_at = ${new Date(nowMs)}
    from jsonb_to_recordset(${tx.json(changes as never)}) as m (
      row integer, status text, attempts integer, next_attempt_at timestamptz, duration_seconds integer,
      hangup_reason text, added_cost_paise bigint
    )
    where c.workspace_id = ${workspace_id} and c.batch_id = ${id} and c.row = m.row`;
}

interface WaitingContact {
  row: number;
  to_number: string;
  user_data: Record<string, string | number | boolean>;
}

/** The contacts to call next: those not called yet in list order, then those whose retry is due. */
export async function nextContacts(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  count: number,
  nowMs: number,
): Promise<WaitingContact[]> {
  const fresh = await tx<WaitingContact[]>`
    select row, to_number, user_data from batch_contacts
    where workspace_id = ${workspace_id} and batch_id = ${id} and status = 'pending' order by row limit ${count}`;
  if (fresh.length === count) return [...fresh];
  const again = await tx<WaitingContact[]>`
    select row, to_number, user_data from batch_contacts
    where workspace_id = ${workspace_id} and batch_id = ${id} and status = 'retrying'
      and next_attempt_at <= ${new Date(nowMs)}
    order by next_attempt_at, row limit ${count - fresh.length}`;
  return [...fresh, ...again];
}

/** Gives contacts the calls that were placed for them. */
export async function markQueued(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  placed: readonly { row: number; call_id: string }[],
  nowMs: number,
): Promise<void> {
  await tx`
    update batch_contacts as c set status = 'queued', call_id = placed.call_id, attempts = c.attempts + 1, next_attempt_at = null,
      updated_at = ${new Date(nowMs)}
    from unnest(
      ${placed.map(({ row }) => row)}::integer[], ${placed.map(({ call_id }) => call_id)}::text[]
    ) as placed (row, call_id)
    where c.workspace_id = ${workspace_id} and c.batch_id = ${id} and c.row = placed.row`;
}

/** Cancels the contacts that are not on a call. */
export async function cancelWaitingContacts(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  reason: string,
  nowMs: number,
): Promise<void> {
  await tx`
    update batch_contacts set status = 'canceled', hangup_reason = ${reason}, next_attempt_at = null,
      updated_at = ${new Date(nowMs)}
    where workspace_id = ${workspace_id} and batch_id = ${id} and status in ('pending', 'retrying')`;
}

/** Contacts without a final status, and those of them that are not on a call. */
export async function countUnfinished(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
): Promise<{ unfinished: number; waiting: number }> {
  const [row] = await tx<{ unfinished: number; waiting: number }[]>`
    select coalesce(sum(contacts), 0)::integer as unfinished,
      coalesce(sum(contacts) filter (where status <> 'in-progress'), 0)::integer as waiting
    from batch_counts
    where workspace_id = ${workspace_id} and batch_id = ${id}
      and status in ('pending', 'queued', 'in-progress', 'retrying')`;
  return row!;
}

export interface SlotUsage {
  state: 'onboarding' | 'active' | 'suspended' | 'closed';
  limit: number;
  live: number;
  /** Live calls of all batches and of this one. */
  live_of_batches: number;
  live_of_batch: number;
  queued_of_batch: number;
}

/** Slot usage of the workspace, read without its lock; the queue counts again under it. */
export async function slotUsageOf(tx: Transaction, { workspace_id, id }: BatchRow): Promise<SlotUsage> {
  const [row] = await tx<SlotUsage[]>`
    select w.state, w.concurrency_limit as limit, live.live, live.live_of_batches, live.live_of_batch,
      (select count(*)::integer from batch_contacts
        where workspace_id = ${workspace_id} and batch_id = ${id} and status = 'queued') as queued_of_batch
    from workspaces w cross join (
      select count(*)::integer as live, count(batch_id)::integer as live_of_batches,
        (count(*) filter (where batch_id = ${id}))::integer as live_of_batch
      from live_calls where workspace_id = ${workspace_id} and status in ('ringing', 'in-progress')
    ) as live
    where w.id = ${workspace_id}`;
  return row!;
}

/** Calls of the batch that ended since then, and how many of them failed; calls that never left the queue are not counted. */
export async function recentCalls(
  tx: Transaction,
  { workspace_id, id }: BatchRow,
  since: Date,
): Promise<{ finished: number; failed: number }> {
  const [row] = await tx<{ finished: number; failed: number }[]>`
    select count(*)::integer as finished, (count(*) filter (where status = 'failed'))::integer as failed
    from calls
    where workspace_id = ${workspace_id} and batch_id = ${id} and ended_at > ${since} and status <> 'canceled'
      and hangup_reason not in ('out of credits', 'agent deleted')`;
  return row!;
}
