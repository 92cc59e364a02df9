import { boundsOf } from '../db/bucket-bounds.ts';
import type { AnySql, Fragment } from '../db/connect.ts';
import { callsAsChanges, MEASURES, measuresOfChange, overOfChange, sumOf } from './call-measures.ts';
import { type LatencyHistogram, readHistogram } from './latency-histogram.ts';
import { HOUR_MS, QUARTER_MS, type Span, splitPeriod } from './whole-spans.ts';

/** Figures of a workspace's calls over a period: totals of finished calls, and what is not in them yet counted one by one. */

export interface Period {
  agent_id?: string | undefined;
  /** On created_at; `until` is exclusive. */
  since: Date;
  until: Date;
}

export interface CallFigures {
  /** Number of the bucket, from 1; null for the whole period. */
  bucket: number | null;
  calls: number;
  /** Calls that have ended, with any status. */
  over: number;
  /** Answered calls. */
  connected: number;
  /** Answered calls that have ended. */
  measured: number;
  completed: number;
  failed: number;
  no_answer: number;
  busy: number;
  canceled: number;
  voicemail: number;
  /** Of answered calls. */
  duration_seconds: number;
  cost_paise: number;
  /** From the caller's last word to the agent's first audio. */
  first_audio: LatencyHistogram;
  llm_first_token: LatencyHistogram;
  welcome: LatencyHistogram;
  /** Requests of tools. */
  tool: LatencyHistogram;
}

const HISTOGRAMS = ['first_audio', 'llm_first_token', 'welcome', 'tool'] as const;
type Histogram = (typeof HISTOGRAMS)[number];
const isHistogram = (name: string): name is Histogram => HISTOGRAMS.some((each) => each === name);
const MAX_REASONS = 50;

/**
 * Sums the calls of each bucket of the period, and of the whole period. Buckets without calls are left out.
 *
 * @param starts of the buckets, ascending; the first is not after `since`.
 * @param histograms those that are wanted; the others stay empty. Of many buckets each takes as long as all other figures.
 */
export async function callFigures(
  sql: AnySql,
  workspaceId: string,
  period: Period,
  starts: readonly Date[],
  histograms: readonly Histogram[] = HISTOGRAMS,
): Promise<CallFigures[]> {
  const { whole, single } = partsOf(sql, workspaceId, period, QUARTER_MS);
  const wanted = MEASURES.filter((name) => !isHistogram(name) || histograms.includes(name));
  const rows = await sql<SummedRow[]>`
    select bucket, ${sumOf(sql, ['over', ...wanted])}
    from (
      select width_bucket(quarter, ${boundsOf(sql, starts)}) as bucket, calls as over, ${sql(wanted as never)}
      from call_totals
      where workspace_id = ${workspaceId} and agent_id = ${period.agent_id ?? ''}
        and quarter >= ${whole.since} and quarter < ${whole.until}
      union all
      select width_bucket(created_at, ${boundsOf(sql, starts)}), over, ${sql(wanted as never)}
      from (select created_at, ${overOfChange(sql)}, ${measuresOfChange(sql)} from (${single}) as changes) as measured
    ) as counted
    group by grouping sets ((), (bucket))
    having count(*) > 0`;
  return rows.map(figuresOf);
}

/** Sums as the database writes them: every number is a text. */
type SummedRow = Record<string, string | null>;

function figuresOf(row: SummedRow): CallFigures {
  const numbers = Object.entries(row).filter(([name]) => !isHistogram(name));
  return Object.fromEntries([
    ...numbers.map(([name, value]) => [name, value === null ? null : Number(value)]),
    ...HISTOGRAMS.map((name) => [name, readHistogram(row[name] ?? '')]),
  ]) as CallFigures;
}

/**
 * Sums calls one by one, whose timelines are read.
 *
 * @param finished and `live`: conditions over the tables of these calls.
 */
export async function figuresOfCalls(
  sql: AnySql,
  { finished, live }: { finished: Fragment; live: Fragment },
): Promise<CallFigures> {
  const [row] = await sql<[SummedRow]>`
    select null as bucket, ${sumOf(sql, ['over', ...MEASURES])}
    from (
      select ${overOfChange(sql)}, ${measuresOfChange(sql)}
      from (${callsAsChanges(sql, 'finished_calls', finished)} union all ${callsAsChanges(sql, 'live_calls', live)}) as changes
    ) as measured`;
  return figuresOf(row);
}

/** Hangup reasons, the most frequent first. */
export async function hangupReasons(
  sql: AnySql,
  workspaceId: string,
  period: Period,
): Promise<{ reason: string; count: number }[]> {
  const { whole, single } = partsOf(sql, workspaceId, period, HOUR_MS);
  return sql<{ reason: string; count: number }[]>`
    select hangup_reason as reason, sum(calls)::integer as count
    from (
      select hangup_reason, calls from call_hangup_reasons
      where workspace_id = ${workspaceId} and agent_id = ${period.agent_id ?? ''}
        and hour >= ${whole.since} and hour < ${whole.until}
      union all
      select hangup_reason, calls from (${single}) as changes where hangup_reason <> ''
    ) as counted
    group by hangup_reason having sum(calls) > 0
    order by 2 desc, 1 limit ${MAX_REASONS}`;
}

/** The time that totals cover, and what is counted besides: their later changes, calls at the ends of the period, live ones. */
function partsOf(sql: AnySql, workspaceId: string, { agent_id, since, until }: Period, stepMs: number) {
  const { whole, ends } = splitPeriod({ fromMs: since.getTime(), untilMs: until.getTime() }, stepMs);
  const inside = ({ fromMs, untilMs }: Span) => sql`
    workspace_id = ${workspaceId} ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}
    and created_at >= ${new Date(fromMs)} and created_at < ${new Date(untilMs)}`;
  const atEnds = ends.map((end) => sql`union all ${callsAsChanges(sql, 'finished_calls', inside(end))}`);
  const single = sql`
    select calls, created_at, status, answered_by, hangup_reason, connected, ended, duration_seconds, cost_paise, first_audio,
      llm_first_token, welcome, tool
    from call_changes where ${inside(whole)}
    ${atEnds.length === 0 ? sql`` : atEnds}
    union all ${callsAsChanges(sql, 'live_calls', inside({ fromMs: since.getTime(), untilMs: until.getTime() }))}`;
  return { whole: { since: new Date(whole.fromMs), until: new Date(whole.untilMs) }, single };
}
