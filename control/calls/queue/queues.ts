import type { AnySql, Fragment } from '../../db/connect.ts';
import type { JobItem } from '../../db/item-runner.ts';

/**
 * The queue of a workspace consists of one queue for each agent, of its calls outside batches, and one for each batch: the index of
 * queued calls is by workspace, `coalesce(batch_id, agent_id)`, `queued_at` and id. So calls that wait, of a paused agent or of a batch
 * at its limit, are never read on the way to others.
 *
 * Calls are served in the order of their time (`queued_at`, id); of those that are due, calls of batches after all others, so that a
 * single call does not wait behind a campaign.
 */

/** A query for the queues of a workspace whose calls may start: those of active agents and of running batches. */
export const startableQueues = (sql: AnySql, workspaceId: string | Fragment) => sql`
  select agents.id as queue_id, false as of_batch, null::text as batch_id, null::integer as concurrency, agents.call as hours
  from agents where agents.workspace_id = ${workspaceId} and agents.status = 'active'
  union all
  select batches.id, true, batches.id, batches.concurrency, agents.call
  from batches join agents on agents.workspace_id = batches.workspace_id and agents.id = batches.agent_id
  where batches.workspace_id = ${workspaceId} and batches.status = 'running' and agents.status = 'active'`;

/** A condition on `live_calls`: queued in this queue. */
export const inQueue = (sql: AnySql, workspaceId: string | Fragment, queueId: string | Fragment) => sql`
  live_calls.workspace_id = ${workspaceId} and coalesce(live_calls.batch_id, live_calls.agent_id) = ${queueId}
  and live_calls.status = 'queued'`;

/** Queues whose oldest call became due before. */
export async function queuesDueBefore(sql: AnySql, before: Date): Promise<JobItem[]> {
  return sql<
    JobItem[]
  >`${waitingQueues(sql)} select queue_id as id, workspace_id from queues where queued_at < ${before}`;
}

/** Active workspaces with a due call, the one served longest ago first. */
export async function workspacesInTurn(sql: AnySql, nowMs: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    ${waitingQueues(sql)}
    select workspaces.id
    from workspaces left join dispatch_turns on dispatch_turns.workspace_id = workspaces.id
    where workspaces.state = 'active'
      and workspaces.id in (select workspace_id from queues where queued_at <= ${new Date(nowMs)})
    order by dispatch_turns.last_served_at nulls first, workspaces.id`;
  return rows.map(({ id }) => id);
}

/** The queues that have calls, of all workspaces, each with the time of its oldest: a loose index scan, one probe for each queue. */
const waitingQueues = (sql: AnySql) => sql`
  with recursive queues as (
    (${oldest(sql, sql``)})
    union all
    select next.* from queues cross join lateral (
      ${oldest(sql, sql`and (workspace_id, coalesce(batch_id, agent_id)) > (queues.workspace_id, queues.queue_id)`)}
    ) as next
  )`;

const oldest = (sql: AnySql, beyond: ReturnType<AnySql>) => sql`
  select workspace_id, coalesce(batch_id, agent_id) as queue_id, queued_at from live_calls
  where status = 'queued' ${beyond}
  order by workspace_id, coalesce(batch_id, agent_id), queued_at, id limit 1`;
