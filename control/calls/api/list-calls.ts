import { type CountedFilters, countedMatching, countOfCalls, kindsOfCalls } from '../../call-totals/count-calls.ts';
import { boundedTotal, MAX_COUNTED } from '../../db/bounded-total.ts';
import type { AnySql, Fragment } from '../../db/connect.ts';
import { validationErrorIn } from '../../http/errors.ts';
import { callSummary } from '../call-record.ts';
import type { CallRow } from '../call-row.ts';
import { type FoundCalls, findCalls, toTwoDigits } from '../search/find-calls.ts';

export interface CallFilters extends CountedFilters {
  batch_id?: string | undefined;
  /** Of either side: E.164, or at least its last 4 digits. */
  number?: string | undefined;
  /** Seconds. */
  min_duration?: number | undefined;
  /** Text in the summary or the transcript. */
  q?: string | undefined;
}

/** A call without the fields that lists leave out. */
export type ListedCall = Omit<CallRow, 'transcript' | 'extracted' | 'usage' | 'cost_breakdown'>;

export interface CallPage {
  items: ListedCall[];
  /** See `versionOfPage`; of a page that has none, undefined. */
  version?: string | undefined;
  total: number;
  /** More calls match than were counted, or `total` was estimated. */
  total_is_estimate?: true;
}

/** Where a page begins: behind this call of the page before, and so many rows later. */
export interface PageStart {
  after?: string | undefined;
  skip: number;
}

/** The list is in the order of these, downwards. */
type Position = Pick<CallRow, 'created_at' | 'id'>;
type PageFilters = CallFilters & { before?: Position | undefined };

const LISTED_COLUMNS = ['workspace_id', ...Object.keys(callSummary.shape).filter((name) => name !== 'queue_position')];

/** Rows of a first page: the number asked for, rounded up. */
const FIRST_PAGES = [20, 50, 100, 200];
/** The newest calls tell how frequent a number or a duration is. */
const MAX_SCANNED = 500;
/** Of so many of them it is frequent. */
const FREQUENT = 20;

/**
 * Returns one page of the workspace's calls, newest first. `total` counts all matches, whatever the page begins behind; with `number`,
 * `min_duration` or `q` it is estimated where these are frequent. Calls that are created meanwhile move what
 * `skip` leaves out, and not what `after` does.
 * @throws HttpError 422 when `after` is no call of the workspace.
 */
export async function listCalls(
  sql: AnySql,
  workspaceId: string,
  filters: CallFilters,
  limit: number,
  { after, skip }: PageStart,
): Promise<CallPage> {
  const before = after === undefined ? undefined : await positionOf(sql, workspaceId, after);
  const page = { ...filters, before };
  if (isCounted(filters)) return await countedPage(sql, workspaceId, page, limit, skip);
  if (filters.q !== undefined) {
    const { ids, ...counted } = await callsWithText(sql, workspaceId, { ...page, q: filters.q }, limit, skip);
    return { items: await listed(sql, workspaceId, ids), ...counted };
  }
  const isNarrow = (filters.number ?? filters.min_duration) !== undefined;
  const { ids, ...counted } = await (isNarrow ? narrowPage : batchPage)(sql, workspaceId, page, limit, skip);
  return { items: await listed(sql, workspaceId, ids), ...counted };
}

async function listed(sql: AnySql, workspaceId: string, ids: readonly string[]): Promise<ListedCall[]> {
  return await sql<ListedCall[]>`
    select ${sql(LISTED_COLUMNS)} from calls where workspace_id = ${workspaceId} and id = any(${[...ids]})
    order by created_at desc, id desc`;
}

function callsWithText(
  sql: AnySql,
  workspaceId: string,
  { q, before, ...filters }: PageFilters & { q: string },
  limit: number,
  skip: number,
): Promise<FoundCalls> {
  const { batch_id: _, number, min_duration, ...counted } = filters;
  const search = {
    ...{ workspaceId, q, counted, matching: callsMatching(sql, workspaceId, filters) },
    behind: before === undefined ? sql`true` : isBehind(sql, before),
    isNarrow: (number ?? min_duration) !== undefined,
  };
  return findCalls(sql, search, limit, skip);
}

/** Whether the page has a version: it is a first one, with the filters that totals have. */
export const hasVersion = (filters: CallFilters, { after, skip }: PageStart) =>
  isCounted(filters) && after === undefined && skip === 0;

/**
 * A text that changes with everything a first page shows of its calls: their order, the version of each row, and how many there are.
 * Every update of a row makes a new row version, with the transaction's number and a position of its own (PostgreSQL's system columns
 * `xmin` and `ctid`). It costs a fifth of the rows themselves.
 */
export async function versionOfPage(
  sql: AnySql,
  workspaceId: string,
  filters: CallFilters,
  limit: number,
): Promise<string> {
  const rows = rowsOfPage(sql, workspaceId, filters, limit, 0, sql`created_at, id, ${rowVersion(sql)}`);
  const [page] = await sql<{ total: number; versions: string[] }[]>`
    select ${countOfCalls(sql, workspaceId, filters)} as total,
      array(select row_version from (${rows}) as page order by created_at desc, id desc) as versions`;
  return versionFrom(page!.total, page!.versions.slice(0, limit));
}

const rowVersion = (sql: AnySql) => sql`calls.id || ' ' || calls.xmin::text || ' ' || calls.ctid::text as row_version`;

const versionFrom = (total: number, rows: readonly string[]) => [total, ...rows].join();

/** Page and total in one statement, so that they agree. */
async function countedPage(
  sql: AnySql,
  workspaceId: string,
  filters: PageFilters,
  limit: number,
  skip: number,
): Promise<CallPage> {
  const { before, ...counted } = filters;
  const columns = sql`${sql(LISTED_COLUMNS)}, ${rowVersion(sql)}`;
  const rows = await sql<({ total: number; row_version: string } & ListedCall)[]>`
    select counted.total, listed.*
    from (select ${countOfCalls(sql, workspaceId, counted)} as total) as counted
    left join (${rowsOfPage(sql, workspaceId, filters, limit, skip, columns)}) as listed on true
    order by listed.created_at desc, listed.id desc`;
  const { total } = rows[0]!;
  const items = rows[0]!.id === null ? [] : rows.slice(0, limit);
  const versions = items.map(({ row_version }) => row_version);
  return { items, total, version: before || skip > 0 ? undefined : versionFrom(total, versions) };
}

/** Of a page further behind, the ids are read first: an index has them, and the rows that are left out are not touched. */
function rowsOfPage(
  sql: AnySql,
  workspaceId: string,
  filters: PageFilters,
  limit: number,
  skip: number,
  columns: Fragment,
) {
  return isOfKinds(filters) || skip > 0
    ? sql`
        select ${columns} from calls join (${idsOf(sql, workspaceId, filters, limit, skip)}) as page (id, position) using (id)
        where workspace_id = ${workspaceId}`
    : sql`
        select ${columns} from calls where ${callsMatching(sql, workspaceId, filters)}
        order by created_at desc, id desc ${pageOf(sql, limit, 0)}`;
}

/**
 * The first page as a fixed number of rows, of which the caller takes as many as it wants: PostgreSQL cannot estimate a limit that is a
 * parameter, and would plan every request anew, which takes longer than the rest of it.
 */
function pageOf(sql: AnySql, limit: number, skip: number) {
  const fixed = FIRST_PAGES.find((rows) => rows >= limit);
  return skip > 0 || fixed === undefined ? sql`limit ${limit} offset ${skip}` : sql.unsafe(`limit ${fixed}`);
}

async function positionOf(sql: AnySql, workspaceId: string, callId: string): Promise<Position> {
  const [position] = await sql<Position[]>`
    select id, created_at from calls where workspace_id = ${workspaceId} and id = ${callId}`;
  if (!position)
    throw validationErrorIn('query', 'no call has this id: send the id of the last call of the page before', ['after']);
  return position;
}

/** Ids of the matching calls, newest first. */
export async function idsOfCalls(
  sql: AnySql,
  workspaceId: string,
  filters: PageFilters,
  limit: number,
  skip = 0,
): Promise<string[]> {
  const { q } = filters;
  if (q !== undefined) return (await callsWithText(sql, workspaceId, { ...filters, q }, limit, skip)).ids;
  const rows = await sql<{ id: string }[]>`${idsOf(sql, workspaceId, filters, limit, skip)}`;
  return rows.slice(0, limit).map(({ id }) => id);
}

function idsOf(sql: AnySql, workspaceId: string, filters: PageFilters, limit: number, skip: number) {
  const ofKinds = isCounted(filters) && isOfKinds(filters);
  return sql`
    select id, created_at
    from (${ofKinds ? newestOfKinds(sql, workspaceId, filters, limit, skip) : matching(sql, workspaceId, filters)}) as matching
    order by created_at desc, id desc ${pageOf(sql, limit, skip)}`;
}

/** Whether all filters are those that calls are counted by. */
const isCounted = ({ batch_id, number, min_duration, q }: CallFilters) =>
  [batch_id, number, min_duration, q].every((value) => value === undefined);

const isOfKinds = ({ agent_id, status, direction, channel, answered_by }: CallFilters) =>
  [agent_id, status, direction, channel, answered_by].some((value) => value !== undefined);

/**
 * The newest calls of each combination of status, direction, channel and answer that there is: each is a range of one index. Their
 * limit is one that PostgreSQL does not know: it takes a combination's calls for fewer than they are, and would sort them all for twenty.
 */
function newestOfKinds(sql: AnySql, workspaceId: string, filters: PageFilters, limit: number, skip: number) {
  const { agent_id, since, until, before } = filters;
  const newest = sql`order by created_at desc, id desc limit (select ${limit + skip}::integer)`;
  return sql`
    select newest.* from (${kindsOfCalls(sql, workspaceId, filters)}) as kind
    cross join lateral (
      select id, created_at from finished_calls as call
      where ${callsMatching(sql, workspaceId, { agent_id, since, until, before })} and call.status = kind.status
        and call.direction = kind.direction and call.channel = kind.channel and coalesce(call.answered_by, '') = kind.answered_by
      ${newest}
    ) as newest
    union all
    (select id, created_at from live_calls where ${callsMatching(sql, workspaceId, filters)} ${newest})`;
}

async function batchPage(sql: AnySql, workspaceId: string, page: PageFilters, limit: number, skip: number) {
  const { before: _, ...filters } = page;
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::integer as total from (${matching(sql, workspaceId, filters)}) as matching`;
  return { ids: await idsOfCalls(sql, workspaceId, page, limit, skip), ...counted! };
}

/** Calls of a number or a duration: when the newest calls say that it is frequent, few are read, and otherwise each of them. */
async function narrowPage(
  sql: AnySql,
  workspaceId: string,
  page: PageFilters,
  limit: number,
  skip: number,
): Promise<FoundCalls> {
  const { before, number, min_duration, ...others } = page;
  const [newest] = await sql<{ scanned: number; ids: string[] | null }[]>`
    select count(*)::integer as scanned, array_agg(id order by created_at desc, id desc) filter (
      where ${callsMatching(sql, workspaceId, { number, min_duration })}
    ) as ids
    from (
      select id, workspace_id, created_at, from_number, to_number, duration_seconds from calls
      where ${callsMatching(sql, workspaceId, others)}
      order by created_at desc, id desc limit ${sql.unsafe(`${MAX_SCANNED}`)}
    ) as newest`;
  const scanned = newest!.scanned;
  const ids = newest!.ids ?? [];
  const isFrequent = ids.length >= FREQUENT;
  if (!isFrequent && scanned === MAX_SCANNED) {
    const found = await eachMatch(sql, workspaceId, page, limit, skip);
    if (found) return found;
    const ids = await idsOfCalls(sql, workspaceId, page, limit, skip);
    return { ids, total: Math.max(MAX_COUNTED, skip + ids.length), total_is_estimate: true };
  }
  const onePage = ids.slice(skip, skip + limit);
  const hasPage = !before && (scanned < MAX_SCANNED || onePage.length === limit);
  const pageIds = hasPage ? onePage : await idsOfCalls(sql, workspaceId, page, limit, skip);
  if (scanned < MAX_SCANNED) return { ids: pageIds, total: ids.length };
  if (isFrequent && others.batch_id === undefined) {
    const [counted] = await sql<{ all: number }[]>`select ${countOfCalls(sql, workspaceId, others)} as all`;
    const total = toTwoDigits((counted!.all * ids.length) / scanned);
    if (total > MAX_COUNTED) return { ids: pageIds, total, total_is_estimate: true };
  }
  const { before: _, ...filters } = page;
  // Not a first page: it is counted.
  const counted = await boundedTotal(sql, { rows: limit, limit, skip }, matching(sql, workspaceId, filters));
  return { ids: pageIds, ...counted };
}

/**
 * The same by reading each match, in indexes alone where no other filter is given; null when there are more than are counted. The
 * longest calls come first out of their index. A number is looked up on either side: a call with it on both is one.
 */
async function eachMatch(
  sql: AnySql,
  workspaceId: string,
  { before, ...filters }: PageFilters,
  limit: number,
  skip: number,
): Promise<FoundCalls | null> {
  const { number, ...others } = filters;
  const finished = (condition: Fragment, order = sql``) => sql`
    (select id, created_at from finished_calls where ${callsMatching(sql, workspaceId, others)} ${condition}
      ${order} limit ${sql.unsafe(`${MAX_COUNTED + 1}`)})`;
  const matches =
    number === undefined
      ? finished(sql``, sql`order by duration_seconds desc`)
      : sql`${finished(sideEndsWith(sql, 'to_number', number))} union ${finished(sideEndsWith(sql, 'from_number', number))}`;
  const [found] = await sql<FoundCalls[]>`
    with found as materialized (
      select id, created_at from live_calls where ${callsMatching(sql, workspaceId, filters)} union ${matches}
    )
    select (select count(*) from found)::integer as total, array(
      select id from found where ${before ? isBehind(sql, before) : sql`true`}
      order by created_at desc, id desc limit ${limit} offset ${skip}
    ) as ids`;
  return found!.total > MAX_COUNTED ? null : found!;
}

/** As a range of its index, which PostgreSQL also finds in a plan for any number; a pattern it does not. */
function sideEndsWith(sql: AnySql, side: 'to_number' | 'from_number', number: string) {
  const first = [...number].reverse().join('');
  return sql`and reverse(${sql(side)}) ~>=~ ${first} and reverse(${sql(side)}) ~<~ ${`${first}\u{10ffff}`}`;
}

function matching(sql: AnySql, workspaceId: string, filters: PageFilters) {
  return sql`select id, created_at from calls where ${callsMatching(sql, workspaceId, filters)}`;
}

/** The condition of all filters but `q`, over any of the tables. */
function callsMatching(sql: AnySql, workspaceId: string, { before, ...filters }: Omit<PageFilters, 'q'>) {
  const { batch_id, number, min_duration } = filters;
  return sql`
    ${countedMatching(sql, workspaceId, filters)}
    ${batch_id === undefined ? sql`` : sql`and batch_id = ${batch_id}`}
    ${number === undefined ? sql`` : endsWith(sql, number)}
    ${before === undefined ? sql`` : sql`and ${isBehind(sql, before)}`}
    ${min_duration === undefined ? sql`` : sql`and duration_seconds >= ${min_duration}`}`;
}

const isBehind = (sql: AnySql, { created_at, id }: Position) => sql`(created_at, id) < (${created_at}, ${id})`;

/** The index is on the reversed number. */
function endsWith(sql: AnySql, number: string) {
  const pattern = `${[...number].reverse().join('')}%`;
  return sql`and (reverse(to_number) like ${pattern} or reverse(from_number) like ${pattern})`;
}
