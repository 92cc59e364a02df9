import type { AnySql, Fragment } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { inQueue, startableQueues } from './queues.ts';

/**
 * Positions count the calls that are served before, in the order of `queues.ts`; calls of paused agents and batches are not served. They
 * are counted up to here, so that their cost does not grow with the queue: a call further behind has the position after it.
 */
export const MAX_COUNTED_POSITION = 1_000;

/** Behind every id. */
const LAST_ID = '~';

/** A call's place in the order. */
export type QueuePlace = Pick<CallRow, 'workspace_id' | 'batch_id' | 'queued_at' | 'id'>;

/** The same as values of a statement. */
interface PlaceInStatement {
  workspace_id: string | Fragment;
  of_batch: boolean;
  queued_at: Date | Fragment;
  /** Behind the present moment. */
  is_later: boolean;
  id: string | Fragment;
}

/** A query for the number of calls that are served before this one, which need not be written yet. */
export const callsBefore = (
  sql: AnySql,
  { workspace_id, of_batch, queued_at, is_later, id }: PlaceInStatement,
  nowMs: number,
) => {
  const own = [queued_at, id] as const;
  // What is due now is served before what comes later.
  const single = of_batch ? ([is_later ? queued_at : new Date(nowMs), LAST_ID] as const) : own;
  const ofBatch = of_batch ? own : ([queued_at, ''] as const);
  const batchesCount = of_batch || is_later;
  return sql`
    select count(*)::integer from (
      select 1 from (${startableQueues(sql, workspace_id)}) as queues cross join lateral (
        select 1 from live_calls where ${inQueue(sql, workspace_id, sql`queues.queue_id`)} and (queued_at, id) < (
          case when queues.of_batch then ${ofBatch[0]}::timestamptz else ${single[0]}::timestamptz end,
          case when queues.of_batch then ${ofBatch[1]}::text else ${single[1]}::text end
        )
        limit ${MAX_COUNTED_POSITION}
      ) as earlier
      where ${batchesCount} or not queues.of_batch
      limit ${MAX_COUNTED_POSITION}
    ) as before`;
};

/** The position behind so many calls. */
export const positionBehind = (before: number) => Math.min(before, MAX_COUNTED_POSITION) + 1;

/** The position of one call, which need not be written yet. */
export async function positionInQueue(sql: AnySql, place: QueuePlace, nowMs: number): Promise<number> {
  const { batch_id, ...own } = place;
  const is_later = place.queued_at.getTime() > nowMs;
  const [row] = await sql<{ count: number }[]>`
    ${callsBefore(sql, { ...own, of_batch: batch_id !== null, is_later }, nowMs)}`;
  return positionBehind(row!.count);
}

/** Positions in the workspace's queue, 1 is next; calls that are not queued are left out. */
export async function queuePositions(
  sql: AnySql,
  workspaceId: string,
  callIds: readonly string[],
  nowMs: number,
): Promise<Map<string, number>> {
  if (callIds.length === 0) return new Map();
  const ids = [...callIds];
  const rows = await sql<{ id: string; position: number }[]>`
    with front as (
      select next.id, next.queued_at, queues.of_batch
      from (${startableQueues(sql, workspaceId)}) as queues cross join lateral (
        select id, queued_at from live_calls where ${inQueue(sql, workspaceId, sql`queues.queue_id`)}
        order by queued_at, id limit ${MAX_COUNTED_POSITION}
      ) as next
    ), behind as (
      select id, queued_at, batch_id is not null as of_batch from live_calls
      where workspace_id = ${workspaceId} and id = any(${ids}) and status = 'queued' and id not in (select id from front)
    ), served as (
      select id, count(*) filter (where is_served) over (
        order by greatest(queued_at, ${new Date(nowMs)}), of_batch, queued_at, id
        rows between unbounded preceding and 1 preceding
      ) as before
      from (select *, true as is_served from front union all select *, false from behind) as both_parts
    )
    select id, (least(before, ${MAX_COUNTED_POSITION}) + 1)::integer as position from served where id = any(${ids})`;
  return new Map(rows.map(({ id, position }) => [id, position]));
}

/** A call that waits, as `nextInQueue` returns it. */
export type WaitingCall = Pick<
  CallRow,
  'id' | 'agent_id' | 'agent_name' | 'to_number' | 'from_number' | 'started_by' | 'queued_at' | 'batch_id'
>;

/** The first calls of the workspace's queue in the order in which they are served, with the time for which each waits. */
export async function nextInQueue(
  sql: AnySql,
  workspaceId: string,
  limit: number,
  nowMs: number,
): Promise<WaitingCall[]> {
  return await sql<WaitingCall[]>`
    select next.* from (${startableQueues(sql, workspaceId)}) as queues cross join lateral (
      select id, agent_id, agent_name, to_number, from_number, started_by, queued_at, batch_id
      from live_calls where ${inQueue(sql, workspaceId, sql`queues.queue_id`)}
      order by queued_at, id limit ${limit}
    ) as next
    order by greatest(next.queued_at, ${new Date(nowMs)}), queues.of_batch, next.queued_at, next.id
    limit ${limit}`;
}
