import { expect, it } from 'vitest';
import { callFigures, hangupReasons } from '../../../control/call-totals/call-figures.ts';
import { type CountedFilters, countOfCalls } from '../../../control/call-totals/count-calls.ts';
import { foldChanges } from '../../../control/call-totals/fold-changes.ts';
import { moveFinishedCalls } from '../../../control/calls/lifecycle/move-finished-calls.ts';
import { newId } from '../../../shared/ids.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const STEPS = 160;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 0, 20, 3, 7);
const DAYS = 60;
/** Bucket bounds of a zone that is 5:45 ahead. */
const STARTS = Array.from({ length: DAYS + 2 }, (_, nth) => new Date(Date.UTC(2026, 0, 18, 18, 15) + nth * DAY_MS));

const { sql } = await createTestDatabase();
const random = seededRandom(18);
const below = (limit: number) => Math.floor(random() * limit);
const oneOf = <Value>(values: readonly Value[]) => values[below(values.length)]!;

const workspaces = [newId(), newId()];
for (const id of workspaces) {
  await sql`insert into workspaces (id, name, state, created_at) values (${id}, 'Acme', 'active', now())`;
}
const agents = [newId(), newId(), null];
const live: string[] = [];
const finished: string[] = [];

async function addLiveCall(): Promise<void> {
  const id = newId();
  const created_at = new Date(FIRST_MS + below(DAYS * DAY_MS));
  const connected = random() < 0.6;
  const workspace_id = oneOf(workspaces);
  const row = {
    ...{ workspace_id, id, agent_id: oneOf(agents), agent_name: 'Asha', agent_version: 1, currency: 'INR' },
    ...{ direction: oneOf(['outbound', 'inbound']), channel: oneOf(['phone', 'web']), from_number: '', to_number: '' },
    ...{ started_by: '', provider: '', created_at, queued_at: created_at, started_at: connected ? created_at : null },
    status: connected ? oneOf(['in-progress', 'ended']) : oneOf(['queued', 'ringing']),
  };
  await sql`insert into live_calls ${sql(row as never)}`;
  for (let seq = 1; connected && seq <= below(6); seq++) {
    const event = {
      ...{ workspace_id, call_id: id, seq, id: newId(), source: 'media', source_seq: seq, message: '', level: 'info' },
      ...{
        type: oneOf(['tts.first_audio', 'llm.first_token', 'tool.result']),
        latency_ms: 100 * (1 + below(40)),
        created_at,
      },
      data: oneOf([{}, { welcome: true }, { name: 'look_up' }]) as never,
    };
    await sql`insert into call_events ${sql(event)}`;
  }
  live.push(id);
}

async function finishCall(): Promise<void> {
  const id = live.splice(below(live.length), 1)[0];
  if (!id) return;
  await sql.begin(async (tx) => {
    await tx`
      update live_calls set ended_at = created_at, duration_seconds = ${below(300)}, hangup_reason = ${oneOf(['', 'busy', 'caller hung up'])},
        answered_by = ${oneOf(['human', 'machine', null])}, cost_paise = ${below(900)},
        status = case when started_at is null then ${oneOf(['no-answer', 'busy', 'canceled', 'failed'])} else 'completed' end
      where id = ${id}`;
    await moveFinishedCalls(tx, [id]);
  });
  finished.push(id);
}

async function changeFinishedCall(): Promise<void> {
  if (finished.length === 0) return;
  const ids = [oneOf(finished), oneOf(finished)];
  const change = oneOf([
    sql`cost_paise = cost_paise + 7`,
    sql`status = 'failed', hangup_reason = 'error: late'`,
    sql`answered_by = 'machine'`,
    sql`summary = 'nothing that is counted'`,
    sql`duration_seconds = duration_seconds + 1, recorded = true`,
  ]);
  await sql`update ${sql(oneOf(['calls', 'finished_calls']))} set ${change} where id = any(${ids})`;
}

async function deleteFinishedCall(): Promise<void> {
  const id = finished.splice(below(finished.length), 1)[0];
  if (id) await sql`delete from ${sql(oneOf(['calls', 'finished_calls']))} where id = ${id}`;
}

function anyPeriod() {
  const fromMs = FIRST_MS - DAY_MS + below(DAYS * DAY_MS);
  const untilMs = fromMs + oneOf([1_000, 900_000, 3_600_000, DAY_MS, 20 * DAY_MS, 70 * DAY_MS]) * (0.5 + random());
  const step = oneOf([1, 60_000, 900_000, DAY_MS]);
  return { since: new Date(Math.floor(fromMs / step) * step), until: new Date(Math.ceil(untilMs / step) * step) };
}

async function countsAreExact(workspaceId: string): Promise<void> {
  const filters: CountedFilters = {
    ...(random() < 0.5 ? { agent_id: oneOf(agents) ?? newId() } : {}),
    ...(random() < 0.4 ? { status: [oneOf(['completed', 'busy', 'queued'] as const), 'failed'] } : {}),
    ...(random() < 0.3 ? { direction: oneOf(['outbound', 'inbound'] as const) } : {}),
    ...(random() < 0.3 ? { channel: oneOf(['phone', 'web'] as const) } : {}),
    ...(random() < 0.3 ? { answered_by: oneOf(['human', 'machine'] as const) } : {}),
  };
  const { since, until } = anyPeriod();
  const period = oneOf([{}, { since }, { until }, { since, until }]);
  const [counted] = await sql<
    { count: number }[]
  >`select ${countOfCalls(sql, workspaceId, { ...filters, ...period })} as count`;
  const all = await sql<
    Record<string, string | Date | null>[]
  >`select * from calls where workspace_id = ${workspaceId}`;
  const expected = all.filter(
    (call) =>
      (!filters.agent_id || call.agent_id === filters.agent_id) &&
      (!filters.status || filters.status.includes(call.status as never)) &&
      (!filters.direction || call.direction === filters.direction) &&
      (!filters.channel || call.channel === filters.channel) &&
      (!filters.answered_by || call.answered_by === filters.answered_by) &&
      (!period.since || call.created_at! >= period.since) &&
      (!period.until || call.created_at! < period.until),
  );
  expect(counted!.count, JSON.stringify({ ...filters, ...period })).toBe(expected.length);
}

async function figuresAreExact(workspaceId: string): Promise<void> {
  const agent_id = random() < 0.5 ? (agents[0] as string) : undefined;
  const { since, until } = anyPeriod();
  const period = { since: since < STARTS[0]! ? STARTS[0]! : since, until };
  if (period.until <= period.since) return;
  const figures = await callFigures(sql, workspaceId, { agent_id, ...period }, STARTS);
  const expected = await sql<Record<string, number | null>[]>`
    with inside as (
      select *, width_bucket(created_at, (select ${STARTS.map((start) => start.toISOString())}::text[]::timestamptz[])) as bucket
      from calls where workspace_id = ${workspaceId} and created_at >= ${period.since} and created_at < ${period.until}
        ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}
    )
    select counted.*, audio.p95, coalesce(audio.turns, 0) as turns from (
      select bucket, count(*)::integer as calls, count(started_at)::integer as connected,
        count(*) filter (where status not in ('queued', 'ringing', 'in-progress'))::integer as over,
        count(*) filter (where status = 'failed')::integer as failed, count(*) filter (where answered_by = 'machine')::integer as voicemail,
        count(*) filter (where started_at is not null and ended_at is not null)::integer as measured,
        coalesce(sum(duration_seconds) filter (where started_at is not null), 0)::integer as duration_seconds,
        coalesce(sum(cost_paise), 0)::integer as cost_paise
      from inside group by grouping sets ((), (bucket)) having count(*) > 0
    ) as counted
    left join (
      select bucket, count(*)::integer as turns, percentile_disc(0.95) within group (order by latency_ms) as p95
      from inside join call_events on call_id = inside.id where latency_stage = 'first_audio' group by grouping sets ((), (bucket))
    ) as audio on audio.bucket is not distinct from counted.bucket`;
  const found = figures
    .filter(({ calls }) => calls > 0)
    .map((each) => ({
      ...Object.fromEntries(Object.keys(expected[0] ?? {}).map((name) => [name, each[name as 'calls']])),
      ...{ turns: each.first_audio.count, p95: each.first_audio.percentile(0.95) },
    }));
  expect(new Set(found.map((each) => JSON.stringify(each)))).toEqual(
    new Set(expected.map((each) => JSON.stringify(each))),
  );
  const reasons = await hangupReasons(sql, workspaceId, { agent_id, ...period });
  const wanted = await sql`
    select hangup_reason as reason, count(*)::integer as count from calls
    where workspace_id = ${workspaceId} and created_at >= ${period.since} and created_at < ${period.until} and hangup_reason <> ''
      ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}
    group by 1 order by 2 desc, 1`;
  expect([...reasons]).toEqual([...wanted]);
}

it('totals equal what counting each call gives, after every move, late change and deletion, whatever is folded', async () => {
  for (let step = 0; step < STEPS; step++) {
    const what = random();
    if (what < 0.4) await addLiveCall();
    else if (what < 0.7) await finishCall();
    else if (what < 0.82) await changeFinishedCall();
    else if (what < 0.88) await deleteFinishedCall();
    else await foldChanges(sql, 1 + below(40));
    if (step % 5 === 0) {
      await countsAreExact(oneOf(workspaces));
      await figuresAreExact(oneOf(workspaces));
    }
  }
  while ((await foldChanges(sql, 100)) > 0);
  const [left] = await sql`select count(*)::integer as changes from call_changes`;
  expect(left!.changes).toBe(0);
  for (const workspace of workspaces) {
    await countsAreExact(workspace);
    await figuresAreExact(workspace);
  }
});
