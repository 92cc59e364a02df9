import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';

/**
 * Moves a call to which nothing more is to come, in the transaction of its last change: it was completed, or ended without having been
 * connected. What is still added, such as a late analysis, is written to the finished row. The caller holds the lock on the row.
 *
 * @param last columns that change with the move.
 */
export async function moveFinishedCall(tx: Transaction, call: CallRow, last: Partial<CallRow> = {}): Promise<void> {
  if (!call.finished) await moveFinishedCalls(tx, [call.id], last);
  else if (Object.keys(last).length > 0) await tx`update finished_calls set ${tx(last as never)} where id = ${call.id}`;
  call.finished = true;
}

/** The same for several calls, of which the same columns change. */
export async function moveFinishedCalls(
  tx: Transaction,
  callIds: readonly string[],
  last: Partial<CallRow> = {},
): Promise<void> {
  await moveChangedCalls(
    tx,
    callIds.map((id) => ({ id, last })),
  );
}

/**
 * The same for several calls, each with its own changes. A row is deleted and inserted, not updated from one partition to the other: a
 * transaction that waits for its lock finds it gone, and looks again (`lockCall`), where an update would fail it.
 */
export async function moveChangedCalls(
  tx: Transaction,
  calls: readonly { id: string; last: Partial<CallRow> }[],
): Promise<void> {
  if (calls.length === 0) return;
  const ids = calls.map(({ id }) => id);
  const changes = calls.map(({ last }) => JSON.stringify({ ...last, finished: true }));
  await tx`
    with deleted as (delete from live_calls where id = any(${ids}) returning id, live_calls as call)
    insert into finished_calls
    select moved.* from unnest(${ids}::text[], ${changes}::text[]) as change (id, columns) join deleted using (id)
    cross join lateral jsonb_populate_record(deleted.call, change.columns::jsonb) as moved`;
}

/** Writes these columns of live calls, whose rows are locked, with one statement. */
export async function changeLiveCalls(
  tx: Transaction,
  calls: readonly CallRow[],
  columns: readonly (keyof CallRow)[],
): Promise<void> {
  if (calls.length === 0) return;
  const changes = calls.map((call) => JSON.stringify(Object.fromEntries(columns.map((name) => [name, call[name]]))));
  await tx`
    update live_calls set ${tx.unsafe(columns.map((name) => `${name} = changed.${name}`).join(', '))}
    from unnest(${calls.map(({ id }) => id)}::text[], ${changes}::text[]) as change (id, columns)
    cross join lateral jsonb_populate_record(null::live_calls, change.columns::jsonb) as changed
    where live_calls.id = change.id`;
}

const BATCH_SIZE = 500;

/**
 * Moves finished calls that were left behind: by a control process of the version before, which knows one table only. Locked rows are
 * left for the next run.
 *
 * @returns the number of calls.
 */
export async function moveCallsLeftBehind(sql: Sql): Promise<number> {
  let moved = 0;
  for (let found = BATCH_SIZE; found === BATCH_SIZE; moved += found) {
    found = await sql.begin(async (tx) => {
      const calls = await tx<{ id: string }[]>`
        select id from live_calls
        where status <> 'queued' and (
          status in ('completed', 'no-answer', 'busy', 'canceled')
          or (status = 'failed' and (started_at is null or completed_at is not null))
        )
        limit ${BATCH_SIZE} for no key update skip locked`;
      const ids = calls.map(({ id }) => id);
      await moveFinishedCalls(tx, ids);
      return ids.length;
    });
  }
  return moved;
}
