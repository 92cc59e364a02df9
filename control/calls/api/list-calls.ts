import type { AnsweredBy, CallStatus, Channel, Direction } from '../../../shared/call.ts';
import type { AnySql } from '../../db/connect.ts';
import { validationErrorIn } from '../../http/errors.ts';
import { callSummary } from '../call-record.ts';
import type { CallRow } from '../call-row.ts';

export interface CallFilters {
  agent_id?: string | undefined;
  batch_id?: string | undefined;
  status?: readonly CallStatus[] | undefined;
  direction?: Direction | undefined;
  channel?: Channel | undefined;
  /** Of either side: E.164, or at least its last 4 digits. */
  number?: string | undefined;
  answered_by?: AnsweredBy | undefined;
  /** On created_at; `until` is exclusive. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Seconds. */
  min_duration?: number | undefined;
  /** Text in the summary or the transcript. */
  q?: string | undefined;
}

/** A call without the fields that lists leave out. */
export type ListedCall = Omit<CallRow, 'transcript' | 'extracted' | 'usage' | 'cost_breakdown'>;

export interface CallPage {
  items: ListedCall[];
  total: number;
  /** More calls match than were counted. */
  total_is_minimum?: true;
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

/** A frequent word is found among the newest calls; a rare one by the index. */
const MAX_SCANNED = 1_000;
/** With `q`, every match must be read to be counted. */
const MAX_COUNTED = 10_000;

/**
 * Returns one page of the workspace's calls, newest first. `total` counts all matches, whatever the page begins behind; with `q` at
 * most 10,000. Calls that are created meanwhile move what `skip` leaves out, and not what `after` does.
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
  const ids =
    (await idsAmongNewest(sql, workspaceId, page, limit, skip)) ??
    (await idsOfCalls(sql, workspaceId, page, limit, skip));
  const items = await sql<ListedCall[]>`
    select ${sql(LISTED_COLUMNS)} from calls where workspace_id = ${workspaceId} and id = any(${ids})
    order by created_at desc, id desc`;
  // A first page that is not full needs no count, which would read every match.
  if (!before && skip === 0 && items.length < limit) return { items: [...items], total: items.length };
  const most = filters.q === undefined ? null : MAX_COUNTED + 1;
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::integer as total from (${matching(sql, workspaceId, filters)} limit ${most}) as matching`;
  const { total } = counted!;
  if (most === null || total < most) return { items: [...items], total };
  return { items: [...items], total: MAX_COUNTED, total_is_minimum: true };
}

async function positionOf(sql: AnySql, workspaceId: string, callId: string): Promise<Position> {
  const [position] = await sql<Position[]>`
    select id, created_at from calls where workspace_id = ${workspaceId} and id = ${callId}`;
  if (!position)
    throw validationErrorIn('query', 'no call has this id: send the id of the last call of the page before', ['after']);
  return position;
}

/** Ids of the matching calls, newest first; an index-only scan for all filters but `number` and `q`. */
export async function idsOfCalls(
  sql: AnySql,
  workspaceId: string,
  filters: PageFilters,
  limit: number,
  skip = 0,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from (${matching(sql, workspaceId, filters)}) as matching
    order by created_at desc, id desc limit ${limit} offset ${skip}`;
  return rows.map(({ id }) => id);
}

/** The same for a frequent word: null unless the newest calls fill the page. */
async function idsAmongNewest(
  sql: AnySql,
  workspaceId: string,
  { q, ...filters }: PageFilters,
  limit: number,
  skip: number,
): Promise<string[] | null> {
  if (q === undefined || skip + limit > MAX_SCANNED) return null;
  const rows = await sql<{ id: string }[]>`
    select id from (
      select id, created_at, summary, transcript from calls where ${callsMatching(sql, workspaceId, filters)}
      order by created_at desc, id desc limit ${MAX_SCANNED}
    ) as newest
    where call_search_text(summary, transcript) ilike ${patternOf(q)}
    order by created_at desc, id desc limit ${limit} offset ${skip}`;
  return rows.length === limit ? rows.map(({ id }) => id) : null;
}

/** Only completed calls are in the text index; of the others that have text there are few. */
function matching(sql: AnySql, workspaceId: string, { q, ...filters }: PageFilters) {
  const from = sql`select id, created_at from calls where ${callsMatching(sql, workspaceId, filters)}`;
  if (q === undefined) return from;
  const words = sql`call_search_text(summary, transcript) ilike ${patternOf(q)}`;
  return sql`
    ${from} and completed_at is not null and ${words}
    union all
    ${from} and completed_at is null and started_at is not null and ${words}`;
}

const patternOf = (q: string) => `%${q.replace(/[\\%_]/g, '\\$&')}%`;

/** The condition of all filters but `q`, over the table `calls`. */
function callsMatching(sql: AnySql, workspaceId: string, { before, ...filters }: Omit<PageFilters, 'q'>) {
  const { agent_id, batch_id, status, direction, channel, number, answered_by, since, until, min_duration } = filters;
  return sql`
    workspace_id = ${workspaceId}
    ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}
    ${batch_id === undefined ? sql`` : sql`and batch_id = ${batch_id}`}
    ${status === undefined ? sql`` : sql`and status = any(${[...status]})`}
    ${direction === undefined ? sql`` : sql`and direction = ${direction}`}
    ${channel === undefined ? sql`` : sql`and channel = ${channel}`}
    ${number === undefined ? sql`` : endsWith(sql, number)}
    ${answered_by === undefined ? sql`` : sql`and answered_by = ${answered_by}`}
    ${since === undefined ? sql`` : sql`and created_at >= ${since}`}
    ${until === undefined ? sql`` : sql`and created_at < ${until}`}
    ${before === undefined ? sql`` : sql`and (created_at, id) < (${before.created_at}, ${before.id})`}
    ${min_duration === undefined ? sql`` : sql`and duration_seconds >= ${min_duration}`}`;
}

/** The index is on the reversed number. */
function endsWith(sql: AnySql, number: string) {
  const pattern = `${[...number].reverse().join('')}%`;
  return sql`and (reverse(to_number) like ${pattern} or reverse(from_number) like ${pattern})`;
}
