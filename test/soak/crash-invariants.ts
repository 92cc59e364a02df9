import type { Sql } from '../../control/db/connect.ts';

/**
 * Invariants of a workspace's calls after crashes and recovery. Each is a query that finds violations, by workspace and, for
 * deliveries, the ids of the events that the receiver got.
 */
export async function breaches(sql: Sql, workspace: string, receivedEvents: ReadonlySet<string>): Promise<string[]> {
  const found: string[] = [];
  const rule = async (name: string, rows: Promise<readonly object[]>) => {
    const seen = await rows;
    if (seen.length > 0) found.push(`${name}: ${seen.length}, such as ${JSON.stringify(seen[0])}`);
  };

  await rule(
    'a call is not over, or ended without a reason',
    sql`select id, status, hangup_reason from calls where workspace_id = ${workspace}
      and (status in ('queued', 'ringing', 'in-progress', 'ended') or hangup_reason = '')`,
  );
  await rule(
    'a timeline has a gap or a duplicate',
    sql`select c.id, c.event_seq, count(e.seq), max(e.seq) from calls c left join call_events e on e.call_id = c.id
      where c.workspace_id = ${workspace} group by c.id, c.event_seq
      having count(e.seq) <> c.event_seq or coalesce(max(e.seq), 0) <> c.event_seq`,
  );
  await rule(
    'an event of the engine is missing',
    sql`select c.id, c.hangup_reason, count(e.source_seq), max(e.source_seq) from calls c
      join call_events e on e.call_id = c.id and e.source = 'media'
      where c.workspace_id = ${workspace} group by c.id, c.hangup_reason having count(e.source_seq) <> max(e.source_seq)`,
  );
  await rule(
    'a step of a call was reported twice',
    sql`select call_id, type, count(*) from call_events where workspace_id = ${workspace}
      and type in ('call.queued', 'call.dequeued', 'call.placed', 'call.started', 'call.ended', 'call.completed')
      group by call_id, type having count(*) > 1`,
  );
  await rule(
    'an end was not reported',
    sql`select id, status from calls c where workspace_id = ${workspace}
      and not exists (select 1 from call_events e where e.call_id = c.id and e.type = 'call.ended')`,
  );
  await rule(
    'a connected call was not completed, or another one was',
    sql`select id, status, started_at from calls c where workspace_id = ${workspace}
      and (started_at is not null) <>
        exists (select 1 from call_events e where e.call_id = c.id and e.type = 'call.completed')`,
  );
  await rule(
    'the wallet is not the sum of the ledger',
    sql`select w.paid_paise, w.free_paise, entries.paid, entries.free, w.seq, entries.rows from wallets w
      left join lateral (
        select count(*) as rows, max(seq) as last, sum(paid_paise) as paid, sum(free_paise) as free,
          bool_and(balance_after_paise = before + amount_paise) as adds_up
        from (
          select *, coalesce(lag(balance_after_paise) over (order by seq), 0) as before
          from ledger where workspace_id = w.workspace_id
        ) as each
      ) as entries on true
      where w.workspace_id = ${workspace} and (
        w.paid_paise <> coalesce(entries.paid, 0) or w.free_paise <> coalesce(entries.free, 0)
        or w.seq <> entries.rows or w.seq <> coalesce(entries.last, 0) or not coalesce(entries.adds_up, true))`,
  );
  await rule(
    'a call was not charged exactly once',
    sql`select c.id, c.status, c.duration_seconds, c.cost_paise, l.rows, l.charged from calls c cross join lateral (
        select count(*) filter (where key = 'call:' || c.id) as rows,
          coalesce(-sum(amount_paise) filter (where key = 'call:' || c.id or key like 'transfer:%'), 0) as charged,
          coalesce(-sum(amount_paise) filter (where key like 'analysis:%'), 0) as analysed
        from ledger where workspace_id = c.workspace_id and call_id = c.id
      ) as l
      where c.workspace_id = ${workspace} and (l.charged <> c.cost_paise or l.analysed <> c.analysis_cost_paise
        or l.rows <> case when c.status in ('ended', 'completed') and c.duration_seconds > 0 then 1 else 0 end)`,
  );
  await rule(
    'a delivery is not delivered',
    sql`select id, event_type, status, last_error from webhook_deliveries
      where workspace_id = ${workspace} and status <> 'delivered'`,
  );
  const events = await sql<{ id: string; type: string }[]>`
    select id, type from call_events where workspace_id = ${workspace}
    and type in ('call.queued', 'call.placed', 'call.started', 'call.ended', 'call.completed', 'user.turn')`;
  const missing = events.filter(({ id }) => !receivedEvents.has(id));
  if (missing.length > 0) {
    found.push(
      `an event never reached the receiver: ${missing.length} of ${events.length}, such as ${missing[0]!.type}`,
    );
  }
  await rule(
    'something was put aside',
    sql`select d.reason, count(*) from dead_events d join calls c on c.id = d.call_id
      where c.workspace_id = ${workspace} group by d.reason`,
  );
  return found;
}
