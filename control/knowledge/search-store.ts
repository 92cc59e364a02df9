import type { AnySql } from '../db/connect.ts';

/** The SQL of a search: by words in PostgreSQL, and the vectors for the one in memory. */

export interface SearchedBase {
  id: string;
  revision: number;
  passages: number;
}

export async function basesToSearch(
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<SearchedBase[]> {
  return sql<SearchedBase[]>`
    select b.id, b.revision, coalesce(sum(s.passages), 0)::integer as passages
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

/** Returns vectors in the order of their keys, those after `after`. */
export async function readVectors(
  sql: AnySql,
  workspaceId: string,
  baseId: string,
  model: string,
  after: { source_id: string; number: number },
  limit: number,
): Promise<StoredVector[]> {
  return sql<StoredVector[]>`
    select source_id, number, embedding from knowledge_passages
    where workspace_id = ${workspaceId} and knowledge_base_id = ${baseId} and embedding_model = ${model}
      and embedding is not null and (source_id, number) > (${after.source_id}, ${after.number})
    order by source_id, number limit ${limit}`;
}
