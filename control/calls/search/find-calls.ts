import { type CountedFilters, countedMatching, countOfCalls } from '../../call-totals/count-calls.ts';
import type { AnySql, Fragment } from '../../db/connect.ts';
import { searchKeys } from './search-keys.ts';

/** Calls by words of their summary or transcript. Finished ones are found by their texts, live and just finished ones by reading them. */

export interface TextSearch {
  workspaceId: string;
  /** In capital or small letters. */
  q: string;
  /** The filters that totals have. */
  counted: CountedFilters;
  /** The condition of all filters, over any table of calls. */
  matching: Fragment;
  /** The condition of what is behind the page's cursor. */
  behind: Fragment;
  /** Whether a filter is given that few calls may match and that has an index of its own. */
  isNarrow: boolean;
}

export interface FoundCalls {
  ids: string[];
  total: number;
  total_is_estimate?: true;
}

/** The newest texts tell how frequent the words are. */
const SAMPLE = 2_000;
/** In so many of them they are frequent: a page of the newest is found sooner by reading than by the index. */
const FREQUENT = 20;
/** So many texts are read one by one. */
const FEW = 5_000;
/** The newest finished calls whose texts are not written yet; others that wait for theirs are not found until then. */
const WAITING = 200;

/** One page of matching calls, newest first, and how many there are: exact unless the words are frequent. */
export async function findCalls(sql: AnySql, search: TextSearch, limit: number, skip: number): Promise<FoundCalls> {
  const { workspaceId, q, matching, behind } = search;
  if (search.isNarrow) {
    const few = await sql<{ id: string }[]>`
      select id from finished_calls where ${matching} limit ${sql.unsafe(`${FEW + 1}`)}`;
    const ids = few.map(({ id }) => id);
    const condition = sql`id = any(${ids}) and ${contains(sql, q)}`;
    if (ids.length <= FEW) return await allMatches(sql, search, condition, limit, skip);
  }
  const { hits, scanned, oldest } = await sampleOf(sql, search);
  if (scanned < SAMPLE) return await allMatches(sql, search, contains(sql, q), limit, skip);
  if (hits < FREQUENT) return await allMatches(sql, search, indexed(sql, q), limit, skip);
  const rows = await sql<{ id: string }[]>`
    select id from (
      (
        select id, created_at from call_search_texts where ${matching} and ${behind} and ${contains(sql, q)}
        order by created_at desc, id desc limit ${skip + limit}
      )
      union
      select id, created_at from (${withoutText(sql, search)}) as others where ${behind}
    ) as found
    order by created_at desc, id desc limit ${limit} offset ${skip}`;
  const [counted] = await sql<{ all: number; sampled: number }[]>`
    select ${countOfCalls(sql, workspaceId, search.counted)} as all,
      ${countOfCalls(sql, workspaceId, { ...search.counted, since: oldest! })} as sampled`;
  const total = toTwoDigits((hits * counted!.all) / Math.max(1, counted!.sampled));
  return { ids: rows.map(({ id }) => id), total: Math.max(total, skip + rows.length), total_is_estimate: true };
}

/** How many of the newest texts of the period match. */
async function sampleOf(sql: AnySql, { workspaceId, q, counted: { since, until }, matching }: TextSearch) {
  const [sample] = await sql<{ scanned: number; hits: number; oldest: Date | null }[]>`
    select count(*)::integer as scanned, (count(*) filter (where ${matching} and ${contains(sql, q)}))::integer as hits,
      min(created_at) as oldest
    from (
      select * from call_search_texts where ${countedMatching(sql, workspaceId, { since, until })}
      order by created_at desc, id desc limit ${sql.unsafe(`${SAMPLE}`)}
    ) as newest`;
  return sample!;
}

async function allMatches(
  sql: AnySql,
  search: TextSearch,
  condition: Fragment,
  limit: number,
  skip: number,
): Promise<FoundCalls> {
  const [found] = await sql<FoundCalls[]>`
    with found as materialized (
      select id, created_at from call_search_texts where ${search.matching} and ${condition}
      union
      ${withoutText(sql, search)}
    )
    select (select count(*) from found)::integer as total, array(
      select id from found where ${search.behind} order by created_at desc, id desc limit ${limit} offset ${skip}
    ) as ids`;
  return found!;
}

/** Live calls, and finished ones whose text is not written yet. */
function withoutText(sql: AnySql, { workspaceId, q, matching }: TextSearch) {
  const condition = sql`
    ${matching} and started_at is not null and strpos(lower(call_search_text(summary, transcript)), lower(${q})) > 0`;
  return sql`
    select id, created_at from live_calls where ${condition} and status in ('in-progress', 'ended', 'completed', 'failed')
    union
    select id, created_at from finished_calls where ${condition} and id in (
      select call_id from call_search_changes where workspace_id = ${workspaceId} order by seq desc limit ${sql.unsafe(`${WAITING}`)}
    )`;
}

const contains = (sql: AnySql, q: string) => sql`strpos(text, lower(${q})) > 0`;

/** By the index, as far as it knows parts of the words. */
function indexed(sql: AnySql, q: string) {
  const { pairs, letters, hasTrigrams } = searchKeys(q);
  const keys = [...pairs, ...letters];
  const known =
    keys.length === 0
      ? sql``
      : sql`call_search_keys(text) @> array(select hashtext(lower(key)) from unnest(${keys}::text[]) as key) and`;
  // Trigrams of frequent words cost more than they leave out.
  if (pairs.length > 0 || !hasTrigrams) return sql`${known} ${contains(sql, q)}`;
  return sql`${known} text like lower(${`%${q.replace(/[\\%_]/g, '\\$&')}%`})`;
}

/** An estimate's. */
export const toTwoDigits = (count: number) => Number(count.toPrecision(2));
