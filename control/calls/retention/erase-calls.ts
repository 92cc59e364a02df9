import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import type { AnySql, Transaction } from '../../db/connect.ts';
import { createItemRunner, eachInTurn, type ItemRunner, type JobItem } from '../../db/item-runner.ts';
import { type PollingJob, startPollingJob } from '../../db/polling-job.ts';
import { endQueuedCalls, type QueuedCall, queuedCallColumns } from '../queue/end-queued-calls.ts';
import { type CallDeletionDeps, DELETED_AT_ONCE, type DeletableCall, deleteCalls } from './delete-calls.ts';

/**
 * The erasure of all calls with one person, who is known by their number: calls to it, and calls that came from it. It is a row, which
 * any control process carries out, because only control knows where the recordings are.
 */

const INTERVAL_MS = 5_000;

/**
 * Requests the erasure, and ends the calls with the person that are queued: nobody is called who is to be forgotten.
 * @returns how many calls there are now; those that still go on are erased when they are over.
 */
export async function requestErasure(
  tx: Transaction,
  workspaceId: string,
  number: string,
  nowMs: number,
): Promise<{ calls: number; going_on: number }> {
  await tx`
    insert into call_erasures (workspace_id, id, number, requested_at)
    values (${workspaceId}, ${newId(nowMs)}, ${number}, ${new Date(nowMs)})
    on conflict (workspace_id, number) do update set requested_at = excluded.requested_at`;
  // In the order in which the dispatcher locks them.
  const queued = await tx<QueuedCall[]>`
    select ${queuedCallColumns(tx)} from live_calls
    where ${isWith(tx, workspaceId, number)} and status = 'queued'
    order by batch_id is not null, queued_at, id for no key update`;
  const reason = { hangup_by: 'member', hangup_reason: 'canceled while queued' } as const;
  await endQueuedCalls(tx, queued, { status: 'canceled', ...reason, level: 'info' }, nowMs);
  const [row] = await tx<{ calls: number; going_on: number }[]>`
    select count(*)::integer as calls, (count(*) filter (where not finished))::integer as going_on from calls
    where ${isWith(tx, workspaceId, number)}`;
  return row!;
}

/** Starts the polling job that carries out the erasures. */
export function startCallErasures({
  clock,
  log,
  ...deps
}: CallDeletionDeps & { clock: Clock; log: Logger }): PollingJob {
  const name = 'call erasures';
  const items = createItemRunner({ name, idField: 'erasure_id', clock, log });
  return startPollingJob({
    ...{ name, intervalMs: INTERVAL_MS, clock, log, items },
    openWork: { sql: deps.sql, query: 'select from call_erasures' },
    async run() {
      const deleted = await eraseRequestedCalls(deps, items);
      if (deleted > 0) log.info({ calls: deleted }, 'calls erased');
    },
  });
}

/**
 * Erases what was requested: calls that there were by then. A request stays until none of them is left. Returns the number of calls.
 */
export async function eraseRequestedCalls(
  deps: CallDeletionDeps,
  items: Pick<ItemRunner, 'run'> = eachInTurn,
): Promise<number> {
  const { sql } = deps;
  let deleted = 0;
  const requests = await sql<(JobItem & { number: string; requested_at: Date })[]>`
    select workspace_id, id, number, requested_at from call_erasures`;
  await items.run(requests, async ({ workspace_id, id, number, requested_at }) => {
    const withPerson = sql`${isWith(sql, workspace_id, number)} and created_at <= ${requested_at}`;
    for (let found = DELETED_AT_ONCE; found === DELETED_AT_ONCE; ) {
      const calls = await sql<DeletableCall[]>`
        select id, recorded, recording_unknown from finished_calls where ${withPerson} limit ${DELETED_AT_ONCE}`;
      found = calls.length;
      if (found > 0) deleted += await deleteCalls(deps, workspace_id, calls);
    }
    // One that was requested once more meanwhile has calls of its own.
    await sql`
      delete from call_erasures where id = ${id} and requested_at = ${requested_at}
        and not exists (select from calls where ${withPerson})`;
  });
  return deleted;
}

/** The indexes are on the reversed numbers. */
const isWith = (sql: AnySql, workspaceId: string, number: string) => sql`
  workspace_id = ${workspaceId} and (
    (reverse(to_number) = reverse(${number}) and direction = 'outbound')
    or (reverse(from_number) = reverse(${number}) and direction = 'inbound')
  )`;
