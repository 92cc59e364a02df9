import type { AnySql, Fragment } from '../db/connect.ts';

/** What is counted of a call: columns of `call_totals`, and sums over any calls. */
export const MEASURES = [
  ...(['calls', 'connected', 'measured', 'completed', 'failed', 'no_answer', 'busy', 'canceled', 'voicemail'] as const),
  ...(['duration_seconds', 'cost_paise', 'first_audio', 'llm_first_token', 'welcome', 'tool'] as const),
] as const;

/** Rows of `call_changes` as measures, whose `calls` is 1 for a call as it is now and -1 for one as it was. */
export const measuresOfChange = (sql: AnySql) => sql`
  calls, calls * connected::integer as connected, calls * (connected and ended)::integer as measured,
  calls * (status = 'completed')::integer as completed, calls * (status = 'failed')::integer as failed,
  calls * (status = 'no-answer')::integer as no_answer, calls * (status = 'busy')::integer as busy,
  calls * (status = 'canceled')::integer as canceled, calls * (answered_by = 'machine')::integer as voicemail,
  case when connected then calls * duration_seconds else 0 end as duration_seconds, calls * cost_paise as cost_paise,
  calls * first_audio as first_audio, calls * llm_first_token as llm_first_token, calls * welcome as welcome, calls * tool as tool`;

/** The same of calls that have ended, with any status. */
export const overOfChange = (sql: AnySql) => sql`
  case when status in ('queued', 'ringing', 'in-progress') then 0 else calls end as over`;

/** Calls of the table as rows of `call_changes`; their timelines are read. */
export const callsAsChanges = (sql: AnySql, table: 'live_calls' | 'finished_calls', condition: Fragment) => sql`
  select 1 as calls, created_at, status, coalesce(answered_by, '') as answered_by, hangup_reason,
    started_at is not null as connected, ended_at is not null as ended, duration_seconds, cost_paise,
    coalesce(first_audio, 0) as first_audio, coalesce(llm_first_token, 0) as llm_first_token, coalesce(welcome, 0) as welcome,
    coalesce(tool, 0) as tool
  from ${sql(table)} as c left join lateral latencies_of_call(c.workspace_id, c.id) as latency on c.started_at is not null
  where ${condition}`;

export const sumOf = (sql: AnySql, names: readonly string[]) =>
  sql.unsafe(names.map((name) => `sum(${name}) as ${name}`).join(', '));
