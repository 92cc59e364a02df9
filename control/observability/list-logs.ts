import { boundedTotal, MAX_COUNTED } from '../db/bounded-total.ts';
import type { AnySql, Fragment, Sql } from '../db/connect.ts';
import { LOG_LEVELS, LOG_SOURCES, type LogLevel, type LogRecord, type LogSource } from './log-records.ts';
import type { Page } from './store.ts';

/** The list of server logs: what it reads is bounded by the page, and not by how many lines there are. */

export interface LogFilters {
  level?: readonly LogLevel[] | undefined;
  source?: LogSource | undefined;
  request_id?: string | undefined;
  call_id?: string | undefined;
  /** Text in the message or the data, in capital or small letters. */
  q?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
}

type OtherFilters = Omit<LogFilters, 'q'>;

/** The newest lines show how frequent a text is. */
const SAMPLE = 2_000;
/** In so many of them it is frequent: a page is found sooner by reading than by the index of words. */
const FREQUENT = 20;
/** Of so many of the newest lines those with a frequent text are counted. */
const COUNTED = 5_000;

/** One page, newest first. */
export async function listServerLogs(
  sql: Sql,
  workspaceId: string,
  { q, ...filters }: LogFilters,
  limit: number,
  skip: number,
): Promise<Page<LogRecord>> {
  if (q !== undefined) {
    const { ids, ...total } = await linesWith(sql, workspaceId, q, filters, limit, skip);
    return { items: await linesOf(sql, workspaceId, ids), ...total };
  }
  const ids = await idsOf(sql, newest(sql, workspaceId, filters, limit + skip), limit, skip);
  const order = sql`order by at desc, id desc limit ${MAX_COUNTED + 1}`;
  const matches = sql`select from (${linesOfKinds(sql, workspaceId, filters, order)}) as matching`;
  const total = await boundedTotal(sql, { rows: ids.length, limit, skip }, matches);
  return { items: await linesOf(sql, workspaceId, ids), ...total };
}

async function linesOf(sql: Sql, workspaceId: string, ids: readonly string[]): Promise<LogRecord[]> {
  const lines = await sql<LogRecord[]>`
    select id, at, level, message, source, request_id, call_id, agent_id, method, path, status, duration_ms, data
    from server_logs where workspace_id = ${workspaceId} and id = any(${[...ids]}) order by at desc, id desc`;
  return [...lines];
}

async function idsOf(sql: Sql, lines: Fragment, limit: number, skip: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from (${lines}) as lines order by at desc, id desc limit ${limit} offset ${skip}`;
  return rows.map(({ id }) => id);
}

type Found = { ids: string[] } & Omit<Page<never>, 'items'>;

/** A frequent text is found by reading the newest lines, a rare one by the index of words. */
async function linesWith(
  sql: Sql,
  workspaceId: string,
  q: string,
  filters: OtherFilters,
  limit: number,
  skip: number,
): Promise<Found> {
  const condition = withText(sql, q);
  const withWords = { columns: sql`, message, data` };
  const readNewest = async (max: number) => {
    const [read] = await sql<{ lines: number; ids: string[] | null }[]>`
      select count(*)::integer as lines, array_agg(id order by at desc, id desc) filter (where ${condition}) as ids
      from (${newest(sql, workspaceId, filters, max, withWords)}) as lines`;
    return { lines: read!.lines, ids: read!.ids ?? [] };
  };
  const sample = await readNewest(SAMPLE);
  const page = sample.ids.slice(skip, skip + limit);
  if (sample.lines < SAMPLE) return { ids: page, total: sample.ids.length };
  if (sample.ids.length < FREQUENT) {
    const found = await rareLines(sql, workspaceId, q, filters, limit, skip);
    if (found) return found;
  }
  const ids =
    page.length === limit
      ? page
      : await idsOf(sql, newest(sql, workspaceId, filters, limit + skip, { condition }), limit, skip);
  const counted = await readNewest(COUNTED);
  const total = Math.max(counted.ids.length, skip + ids.length);
  return { ids, total, ...(counted.lines < COUNTED ? {} : { total_is_estimate: true }) };
}

const withText = (sql: AnySql, q: string) => sql`strpos(lower(message || ' ' || data::text), lower(${q})) > 0`;

/** Null when there are more than are counted. A text without three Latin letters or digits in a row has no trigrams: each line is read. */
async function rareLines(
  sql: Sql,
  workspaceId: string,
  q: string,
  filters: OtherFilters,
  limit: number,
  skip: number,
): Promise<Found | null> {
  const pattern = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
  const byWords = /[a-z0-9]{3}/i.test(q)
    ? sql`lower(message || ' ' || data::text) like lower(${pattern})`
    : withText(sql, q);
  const [found] = await sql<Found[]>`
    with found as materialized (
      select id, at from server_logs
      where ${matching(sql, workspaceId, filters)} and ${ofKinds(sql, filters)} and ${byWords}
      limit ${sql.unsafe(`${MAX_COUNTED + 1}`)}
    )
    select (select count(*) from found)::integer as total, array(
      select id from found order by at desc, id desc limit ${limit} offset ${skip}
    ) as ids`;
  return found!.total > MAX_COUNTED ? null : found!;
}

/**
 * The newest lines with these filters, at most `max`. Each level of each part of the service is a range of an index in the list's order;
 * a request or a call has few lines.
 *
 * @param columns besides those of the order: what the indexes do not have is read from the table.
 */
function newest(
  sql: AnySql,
  workspaceId: string,
  filters: OtherFilters,
  max: number,
  { columns = sql``, condition = sql`true` } = {},
) {
  const order = sql`order by at desc, id desc limit ${max}`;
  return sql`${linesOfKinds(sql, workspaceId, filters, order, { columns, condition })} ${hasKinds(filters) ? order : sql``}`;
}

const hasKinds = ({ level, source, request_id, call_id }: OtherFilters) =>
  (level ?? source) !== undefined && (request_id ?? call_id) === undefined;

/** The lines of each kind in that order, one kind after the other. */
function linesOfKinds(
  sql: AnySql,
  workspaceId: string,
  filters: OtherFilters,
  order: Fragment,
  { columns = sql``, condition = sql`true` } = {},
) {
  const { level = LOG_LEVELS, source } = filters;
  const matches = sql`${matching(sql, workspaceId, filters)} and ${condition}`;
  if (!hasKinds(filters)) {
    return sql`select id, at ${columns} from server_logs where ${matches} and ${ofKinds(sql, filters)} ${order}`;
  }
  return sql`
    select line.*
    from unnest(${[...new Set(level)]}::text[]) as levels (name)
    cross join unnest(${source === undefined ? [...LOG_SOURCES] : [source]}::text[]) as sources (name)
    cross join lateral (
      select id, at ${columns} from server_logs
      where ${matches} and level = levels.name and source = sources.name ${order}
    ) as line`;
}

function matching(sql: AnySql, workspaceId: string, { request_id, call_id, since, until }: OtherFilters) {
  return sql`
    workspace_id = ${workspaceId}
    ${request_id === undefined ? sql`` : sql`and request_id = ${request_id} and request_id <> ''`}
    ${call_id === undefined ? sql`` : sql`and call_id = ${call_id} and call_id <> ''`}
    ${since === undefined ? sql`` : sql`and at >= ${since}`}
    ${until === undefined ? sql`` : sql`and at <= ${until}`}`;
}

function ofKinds(sql: AnySql, { level, source }: OtherFilters) {
  return sql`
    true ${level === undefined ? sql`` : sql`and level = any(${[...level]})`}
    ${source === undefined ? sql`` : sql`and source = ${source}`}`;
}
