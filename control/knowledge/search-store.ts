import type { AnySql, Sql } from '../db/connect.ts';

/** The SQL of a search: by words, and by vectors. */

export interface SearchedBase {
  id: string;
  passages: number;
}

export async function basesToSearch(
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<SearchedBase[]> {
  return sql<SearchedBase[]>`
    select b.id, coalesce(sum(s.passages), 0)::integer as passages
    from knowledge_bases b
    left join knowledge_sources s on s.workspace_id = b.workspace_id and s.knowledge_base_id = b.id
    where b.workspace_id = ${workspaceId} and b.id = any(${[...baseIds]})
    group by b.workspace_id, b.id order by b.id`;
}

export interface FoundPassage {
  source_id: string;
  number: number;
  /** Positions of the terms that it contains, from 1. */
  matched: number[];
  text_rank: number;
  found: number;
}

/** Returns passages with any of the terms, by PostgreSQL's text rank: those with most of them and closest together first. */
export async function findByKeywords(
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
  terms: readonly string[],
  limit: number,
): Promise<FoundPassage[]> {
  const anyBase = baseIds.map((id) => `'=${id}'`).join(' | ');
  const anyWord = terms.join(' | ');
  return sql<FoundPassage[]>`
    select source_id, number, ts_rank(words, ${anyWord}::tsquery) as text_rank, (count(*) over ())::integer as found,
      array(
        select nth::integer from unnest(${[...terms]}::text[]) with ordinality as asked (term, nth)
        where words @@ term::tsquery
      ) as matched
    from knowledge_passages
    where workspace_id = ${workspaceId} and knowledge_base_id = any(${[...baseIds]})
      and words @@ ${`(${anyBase}) & (${anyWord})`}::tsquery
    order by text_rank desc, source_id, number limit ${limit}`;
}

export interface PassageText {
  source_id: string;
  number: number;
  source_name: string;
  text: string;
}

export async function textsOf(
  sql: AnySql,
  workspaceId: string,
  wanted: readonly { source_id: string; number: number }[],
): Promise<PassageText[]> {
  return sql<PassageText[]>`
    select p.source_id, p.number, s.name as source_name, p.text
    from unnest(${wanted.map((each) => each.source_id)}::text[], ${wanted.map((each) => each.number)}::integer[])
      as w (source_id, number)
    join knowledge_passages p on p.workspace_id = ${workspaceId} and p.source_id = w.source_id and p.number = w.number
    join knowledge_sources s on s.workspace_id = p.workspace_id and s.id = p.source_id`;
}

export interface StoredVector {
  source_id: string;
  number: number;
  embedding: Buffer;
}

export interface SignsQuery {
  workspace_id: string;
  ids: readonly string[];
  model: string;
  /** As bits in text. */
  signs: string;
  limit: number;
}

const vectorsOf = (sql: AnySql, workspaceId: string, nearest: ReturnType<AnySql>) => sql<StoredVector[]>`
  select p.source_id, p.number, p.embedding from (${nearest}) n
  join knowledge_passages p on p.workspace_id = ${workspaceId} and p.source_id = n.source_id and p.number = n.number`;

/** Returns the vectors of the passages whose signs differ least from these, by comparing those of all passages of the bases. */
export async function findBySigns(
  sql: AnySql,
  { workspace_id, ids, model, signs, limit }: SignsQuery,
): Promise<StoredVector[]> {
  return vectorsOf(
    sql,
    workspace_id,
    sql`
      select source_id, number from knowledge_passages
      where workspace_id = ${workspace_id} and knowledge_base_id = any(${[...ids]}) and embedding_model = ${model}
        and signs is not null
      order by bit_count(signs # ${signs}::bit(2048)) limit ${limit}`,
  );
}

/** The same by pgvector's index, which may miss one of them. */
export async function findBySignsIndex(
  sql: Sql,
  { workspace_id, ids, model, signs, limit }: SignsQuery,
): Promise<StoredVector[]> {
  return sql.begin(async (tx) => {
    await tx`
      select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', ${String(limit)}, true),
        set_config('enable_sort', 'off', true)`;
    return vectorsOf(
      tx,
      workspace_id,
      tx`
        select source_id, number from knowledge_passages
        where workspace_id = ${workspace_id} and knowledge_base_id = any(${[...ids]}) and embedding_model = ${model}
          and signs is not null
        order by signs <~> ${signs}::bit(2048) limit ${limit}`,
    );
  });
}
