import type { AnsweredBy, CallStatus, Channel, Direction } from '../../shared/call.ts';
import type { AnySql } from '../db/connect.ts';
import { DAY_MS, type Span, splitMonths, splitPeriod } from './whole-spans.ts';

/** How many calls there are with these, at any moment exactly: without reading them, except those of incomplete days. */
export interface CountedFilters {
  agent_id?: string | undefined;
  status?: readonly CallStatus[] | undefined;
  direction?: Direction | undefined;
  channel?: Channel | undefined;
  answered_by?: AnsweredBy | undefined;
  /** On created_at; `until` is exclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
}

/** An expression for the number of calls. */
export function countOfCalls(sql: AnySql, workspaceId: string, { since, until, ...filters }: CountedFilters) {
  const period = periodOf(since, until);
  const { whole, ends } = splitPeriod(period, DAY_MS);
  const { months, days } = splitMonths(whole);
  const spans = [...months.map((span) => ['month', span] as const), ...days.map((span) => ['day', span] as const)];
  const counted = spans.map(
    ([name, { fromMs, untilMs }]) => sql`
      + coalesce((
        select sum(calls) from call_counts
        where workspace_id = ${workspaceId} and agent_id = ${filters.agent_id ?? ''} and span = ${name}
          and starts_on >= ${dateOf(fromMs)}::text::date and starts_on < ${dateOf(untilMs)}::text::date ${kindIn(sql, filters)}
      ), 0)`,
  );
  const atEnds = ends.map(
    (end) => sql`
      + (select count(*) from finished_calls where workspace_id = ${workspaceId} ${filtersIn(sql, filters)} ${during(sql, end)})`,
  );
  return sql`(
    (select count(*) from live_calls where workspace_id = ${workspaceId} ${filtersIn(sql, filters)} ${during(sql, period)})
    + coalesce((
      select sum(calls) from call_changes where workspace_id = ${workspaceId} ${filtersIn(sql, filters)} ${during(sql, whole)}
    ), 0)
    ${counted.length === 0 ? sql`` : counted} ${atEnds.length === 0 ? sql`` : atEnds}
  )::integer`;
}

/** The statuses, directions, channels and answers that there are among the finished calls, as rows. */
export function kindsOfCalls(sql: AnySql, workspaceId: string, filters: CountedFilters) {
  const kind = sql`status, direction, channel, answered_by`;
  return sql`
    select ${kind} from call_counts
    where workspace_id = ${workspaceId} and agent_id = ${filters.agent_id ?? ''} and span = 'month' and calls > 0
      ${kindIn(sql, filters)}
    union
    select ${kind} from call_changes where workspace_id = ${workspaceId} and calls > 0 ${filtersIn(sql, filters)}`;
}

/** The same of each of these agents, with its `agent_id`. */
export function kindsOfCallsOfAgents(sql: AnySql, workspaceId: string, agentIds: readonly string[]) {
  const kind = sql`agent_id, status, direction, channel, answered_by`;
  const ofAgents = sql`workspace_id = ${workspaceId} and agent_id = any(${[...agentIds]}) and calls > 0`;
  return sql`
    select ${kind} from call_counts where ${ofAgents} and span = 'month' union select ${kind} from call_changes where ${ofAgents}`;
}

/** A condition of all these filters, over any table of calls. */
export function countedMatching(sql: AnySql, workspaceId: string, { since, until, ...filters }: CountedFilters) {
  return sql`workspace_id = ${workspaceId} ${filtersIn(sql, filters)} ${during(sql, periodOf(since, until))}`;
}

function periodOf(since: Date | undefined, until: Date | undefined): Span {
  return { fromMs: since?.getTime() ?? -Infinity, untilMs: until?.getTime() ?? Infinity };
}

function filtersIn(sql: AnySql, filters: CountedFilters) {
  const { agent_id } = filters;
  return sql`${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`} ${kindIn(sql, filters)}`;
}

/** Conditions over any of the tables. */
function kindIn(sql: AnySql, { status, direction, channel, answered_by }: CountedFilters) {
  return sql`
    ${status === undefined ? sql`` : sql`and status = any(${[...status]})`}
    ${direction === undefined ? sql`` : sql`and direction = ${direction}`}
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    ${answered_by === undefined ? sql`` : sql`and answered_by = ${answered_by}`}`;
}

function during(sql: AnySql, { fromMs, untilMs }: Span) {
  return sql`
    ${fromMs === -Infinity ? sql`` : sql`and created_at >= ${new Date(fromMs)}`}
    ${untilMs === Infinity ? sql`` : sql`and created_at < ${new Date(untilMs)}`}`;
}

const dateOf = (ms: number) =>
  Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : ms < 0 ? '-infinity' : 'infinity';
