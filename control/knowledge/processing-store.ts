import type { AnySql, Transaction } from '../db/connect.ts';
import type { DocumentKind } from './documents/document-kind.ts';
import type { StoredPage } from './pages/read-pages.ts';

/** The SQL of processing a source: claim it, write its passages, finish it. */

/** A source that is being processed. */
export interface ClaimedSource {
  workspace_id: string;
  knowledge_base_id: string;
  id: string;
  kind: 'file' | 'url' | 'text';
  name: string;
  url: string;
  max_pages: number;
  named_by_page: boolean;
  text: string;
  tries: number;
  claim: number;
}

/**
 * Claims the source that has waited longest until `until`; null when none is due. A source whose claim has expired is claimed
 * again. Sources of `lastWorkspaceId` come after those of all other workspaces.
 */
export async function claimSource(
  sql: AnySql,
  at: Date,
  until: Date,
  lastWorkspaceId: string,
): Promise<ClaimedSource | null> {
  const [row] = await sql<ClaimedSource[]>`
    update knowledge_sources set
      status = 'processing', due_at = ${until}, tries = tries + 1, claim = claim + 1, updated_at = ${at}
    where (workspace_id, id) = (
      select workspace_id, id from knowledge_sources
      where status in ('queued', 'processing') and due_at <= ${at}
      order by workspace_id = ${lastWorkspaceId}, due_at limit 1 for update skip locked
    )
    returning
      workspace_id, knowledge_base_id, id, kind, name, url, max_pages, named_by_page, text, tries, claim`;
  return row ?? null;
}

/** Locks the source; false when the claim was lost to another process. */
export async function lockClaim(tx: Transaction, { workspace_id, id, claim }: ClaimedSource): Promise<boolean> {
  const rows = await tx`
    select id from knowledge_sources
    where workspace_id = ${workspace_id} and id = ${id} and claim = ${claim} and status = 'processing' for update`;
  return rows.length > 0;
}

/** Returns the uploaded file; null once its text has been read. */
export async function findFile(
  sql: AnySql,
  { workspace_id, id }: ClaimedSource,
): Promise<{ kind: DocumentKind; content: Buffer } | null> {
  const [file] = await sql<{ kind: DocumentKind; bytes: number }[]>`
    select kind, (
      select coalesce(sum(octet_length(content)), 0)::integer from knowledge_file_parts p
      where p.workspace_id = f.workspace_id and p.source_id = f.source_id
    ) as bytes
    from knowledge_files f where workspace_id = ${workspace_id} and source_id = ${id}`;
  if (!file) return null;
  const content = Buffer.alloc(file.bytes);
  for (let filled = 0, number = 1; filled < content.length; number++) {
    const [part] = await sql<{ content: Buffer }[]>`
      select content from knowledge_file_parts
      where workspace_id = ${workspace_id} and source_id = ${id} and number = ${number}`;
    // Deleted meanwhile.
    if (!part) return null;
    filled += part.content.copy(content, filled);
  }
  return { kind: file.kind, content };
}

export async function deleteFile(sql: AnySql, { workspace_id, id }: ClaimedSource): Promise<void> {
  await sql`delete from knowledge_files where workspace_id = ${workspace_id} and source_id = ${id}`;
}

/** Returns how many characters the other sources of the base have. The base's row must be locked. */
export async function charactersOfOthers(
  tx: Transaction,
  { workspace_id, knowledge_base_id, id }: ClaimedSource,
): Promise<number> {
  const [row] = await tx<{ characters: number }[]>`
    select coalesce(sum(text_characters), 0)::integer as characters from knowledge_sources
    where workspace_id = ${workspace_id} and knowledge_base_id = ${knowledge_base_id} and id <> ${id}`;
  return row!.characters;
}

/** Returns the pages that were read the last time. */
export async function listPages(sql: AnySql, { workspace_id, id }: ClaimedSource): Promise<StoredPage[]> {
  return sql<StoredPage[]>`
    select url, canonical_url, etag, last_modified, title, text, links from knowledge_pages
    where workspace_id = ${workspace_id} and source_id = ${id} order by number`;
}

export async function replacePages(
  tx: Transaction,
  { workspace_id, id: source_id }: ClaimedSource,
  pages: readonly StoredPage[],
): Promise<void> {
  await tx`delete from knowledge_pages where workspace_id = ${workspace_id} and source_id = ${source_id}`;
  if (pages.length === 0) return;
  const rows = pages.map((page, index) => ({ workspace_id, source_id, number: index + 1, ...page }));
  await tx`insert into knowledge_pages ${tx(rows as never)}`;
}

/** Stores what was read of a file or a page. */
export async function storeContent(
  tx: Transaction,
  { workspace_id, id }: ClaimedSource,
  { text, name }: { text: string; name: string },
): Promise<void> {
  await tx`
    update knowledge_sources set
      text = ${text}, text_characters = ${text.length}, name = ${name}
    where workspace_id = ${workspace_id} and id = ${id}`;
}

export interface NewPassage {
  number: number;
  text: string;
  /** A tsvector as text. */
  words: string;
  embedding: Buffer | null;
  /** Of the vector, as bits in text. */
  signs: string | null;
  embedding_model: string;
}

/** A statement may have 65,535 values. */
const INSERT_BATCH_ROWS = 500;

/** Replaces the source's passages. */
export async function replacePassages(tx: Transaction, source: ClaimedSource, passages: NewPassage[]): Promise<void> {
  const { workspace_id, knowledge_base_id, id: source_id } = source;
  await tx`delete from knowledge_passages where workspace_id = ${workspace_id} and source_id = ${source_id}`;
  for (let from = 0; from < passages.length; from += INSERT_BATCH_ROWS) {
    const rows = passages
      .slice(from, from + INSERT_BATCH_ROWS)
      .map((passage) => ({ workspace_id, knowledge_base_id, source_id, ...passage }));
    await tx`insert into knowledge_passages ${tx(rows as never)}`;
  }
}

export async function finishSource(
  sql: AnySql,
  { workspace_id, id, claim }: ClaimedSource,
  result: {
    status: 'ready' | 'failed' | 'queued';
    error?: string;
    characters?: number;
    passages?: number;
    at: Date;
    due: Date;
  },
): Promise<void> {
  const { status, error = '', characters = null, passages = null, at, due } = result;
  await sql`
    update knowledge_sources set
      status = ${status}, error = ${error}, due_at = ${due}, updated_at = ${at},
      characters = coalesce(${characters}, characters), passages = coalesce(${passages}, passages)
    where workspace_id = ${workspace_id} and id = ${id} and claim = ${claim} and status = 'processing'`;
}

/** Returns vectors of before signs were stored. */
export async function listUnsignedVectors(sql: AnySql, limit: number): Promise<UnsignedVector[]> {
  return sql<UnsignedVector[]>`
    select workspace_id, source_id, number, embedding from knowledge_passages
    where embedding is not null and signs is null order by workspace_id, source_id, number limit ${limit}`;
}

export interface UnsignedVector {
  workspace_id: string;
  source_id: string;
  number: number;
  embedding: Buffer;
}

/** Stores the signs of these vectors, unless others have taken their places meanwhile. */
export async function storeSigns(
  sql: AnySql,
  passages: readonly (UnsignedVector & { signs: string })[],
): Promise<void> {
  await sql`
    update knowledge_passages p set signs = n.signs::bit(2048)
    from unnest(
      ${passages.map(({ workspace_id }) => workspace_id)}::text[], ${passages.map(({ source_id }) => source_id)}::text[],
      ${passages.map(({ number }) => number)}::integer[], ${passages.map(({ embedding }) => embedding.toString('hex'))}::text[],
      ${passages.map(({ signs }) => signs)}::text[]
    ) as n (workspace_id, source_id, number, embedding, signs)
    where p.workspace_id = n.workspace_id and p.source_id = n.source_id and p.number = n.number
      and p.embedding = decode(n.embedding, 'hex')`;
}
