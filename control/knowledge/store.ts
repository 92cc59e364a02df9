import type { AnySql, Transaction } from '../db/connect.ts';
import type { BaseRow, SourceRecord } from './base-record.ts';

/** The SQL of knowledge bases and their sources; of processing and search in `processing-store.ts` and `search-store.ts`. */

const SOURCE_COLUMNS = (sql: AnySql) => sql`
  id, kind, name, status, error, url, file_name, size_bytes, characters, passages, created_by, created_at, updated_at`;

const withCounts = (sql: AnySql) => sql`
  select b.id, b.name, b.description, b.created_by, b.created_at, b.updated_at,
    count(s.id)::integer as source_count,
    (count(s.id) filter (where s.status in ('queued', 'processing')))::integer as unfinished,
    (count(s.id) filter (where s.status = 'failed'))::integer as failed,
    coalesce(sum(s.characters), 0)::integer as characters
  from knowledge_bases b
  left join knowledge_sources s on s.workspace_id = b.workspace_id and s.knowledge_base_id = b.id`;

export async function listBases(sql: AnySql, workspaceId: string): Promise<BaseRow[]> {
  return sql<BaseRow[]>`
    ${withCounts(sql)} where b.workspace_id = ${workspaceId} group by b.workspace_id, b.id order by b.id desc`;
}

export async function findBase(sql: AnySql, workspaceId: string, baseId: string): Promise<BaseRow | null> {
  const [row] = await sql<BaseRow[]>`
    ${withCounts(sql)} where b.workspace_id = ${workspaceId} and b.id = ${baseId} group by b.workspace_id, b.id`;
  return row ?? null;
}

/** Locks the workspace, so that two bases created at once cannot both be the last allowed one. */
export async function countBasesLocked(tx: Transaction, workspaceId: string): Promise<number> {
  await tx`select id from workspaces where id = ${workspaceId} for no key update`;
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from knowledge_bases where workspace_id = ${workspaceId}`;
  return row!.count;
}

export interface NewBase {
  workspace_id: string;
  id: string;
  name: string;
  description: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
}

export async function insertBase(tx: Transaction, base: NewBase): Promise<void> {
  await tx`insert into knowledge_bases ${tx(base as never)}`;
}

export interface BaseChange {
  name?: string | undefined;
  description?: string | undefined;
}

/** Fields that are missing stay as they are; false when there is no such base. */
export async function updateBase(
  sql: AnySql,
  workspaceId: string,
  baseId: string,
  { name, description }: BaseChange,
  at: Date,
): Promise<boolean> {
  const rows = await sql`
    update knowledge_bases set
      name = coalesce(${name ?? null}, name), description = coalesce(${description ?? null}, description),
      updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${baseId} returning id`;
  return rows.length > 0;
}

/** Locks the base for a change of its sources. */
export async function lockBase(tx: Transaction, workspaceId: string, baseId: string): Promise<boolean> {
  const rows = await tx`
    select id from knowledge_bases where workspace_id = ${workspaceId} and id = ${baseId} for no key update`;
  return rows.length > 0;
}

/** Locks the base against every other use; waits for an agent that is being saved with it. */
export async function lockForDeletion(tx: Transaction, workspaceId: string, baseId: string): Promise<boolean> {
  const rows = await tx`
    select id from knowledge_bases where workspace_id = ${workspaceId} and id = ${baseId} for update`;
  return rows.length > 0;
}

/** Returns which of these are bases of the workspace, and keeps them from being deleted until the transaction ends. */
export async function lockBasesShared(
  tx: Transaction,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<string[]> {
  const rows = await tx<{ id: string }[]>`
    select id from knowledge_bases where workspace_id = ${workspaceId} and id = any(${[...baseIds]}) for key share`;
  return rows.map(({ id }) => id);
}

/** Foreign keys delete its sources and passages. */
export async function deleteBase(tx: Transaction, workspaceId: string, baseId: string): Promise<void> {
  await tx`delete from knowledge_bases where workspace_id = ${workspaceId} and id = ${baseId}`;
}

export async function listSources(sql: AnySql, workspaceId: string, baseId: string): Promise<SourceRecord[]> {
  return sql<SourceRecord[]>`
    select ${SOURCE_COLUMNS(sql)} from knowledge_sources
    where workspace_id = ${workspaceId} and knowledge_base_id = ${baseId} order by id desc`;
}

export async function sizeOfBase(
  tx: Transaction,
  workspaceId: string,
  baseId: string,
): Promise<{ sources: number; characters: number }> {
  const [row] = await tx<{ sources: number; characters: number }[]>`
    select count(*)::integer as sources, coalesce(sum(text_characters), 0)::integer as characters
    from knowledge_sources where workspace_id = ${workspaceId} and knowledge_base_id = ${baseId}`;
  return row!;
}

export interface NewSource {
  workspace_id: string;
  knowledge_base_id: string;
  id: string;
  kind: 'file' | 'url' | 'text';
  name: string;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  due_at: Date;
  text: string;
  text_characters: number;
  url?: string;
  file_name?: string;
  size_bytes?: number;
  max_pages?: number;
  named_by_page?: boolean;
}

export async function insertSource(tx: Transaction, source: NewSource): Promise<SourceRecord> {
  const [row] = await tx<SourceRecord[]>`
    insert into knowledge_sources ${tx(source as never)} returning ${SOURCE_COLUMNS(tx)}`;
  return row!;
}

/** Of a file, in one statement: the database's driver needs several times as much memory. */
const FILE_PART_BYTES = 128 * 1024;

/** Keeps the file of a source until its text is read. */
export async function insertFile(tx: Transaction, { workspace_id, source_id, kind, content }: NewFile): Promise<void> {
  await tx`insert into knowledge_files ${tx({ workspace_id, source_id, kind } as never)}`;
  for (let from = 0; from < content.length; from += FILE_PART_BYTES) {
    const number = 1 + from / FILE_PART_BYTES;
    const part = { workspace_id, source_id, number, content: content.subarray(from, from + FILE_PART_BYTES) };
    await tx`insert into knowledge_file_parts ${tx(part as never)}`;
  }
}

export interface NewFile {
  workspace_id: string;
  source_id: string;
  kind: string;
  content: Uint8Array;
}

export async function lockSource(
  tx: Transaction,
  workspaceId: string,
  baseId: string,
  sourceId: string,
): Promise<SourceRecord | null> {
  const [row] = await tx<SourceRecord[]>`
    select ${SOURCE_COLUMNS(tx)} from knowledge_sources
    where workspace_id = ${workspaceId} and knowledge_base_id = ${baseId} and id = ${sourceId} for update`;
  return row ?? null;
}

export async function queueSource(
  tx: Transaction,
  workspaceId: string,
  sourceId: string,
  at: Date,
): Promise<SourceRecord> {
  const [row] = await tx<SourceRecord[]>`
    update knowledge_sources set status = 'queued', error = '', tries = 0, due_at = ${at}, updated_at = ${at}
    where workspace_id = ${workspaceId} and id = ${sourceId} returning ${SOURCE_COLUMNS(tx)}`;
  return row!;
}

/** A foreign key deletes its passages. */
export async function deleteSource(tx: Transaction, workspaceId: string, sourceId: string): Promise<void> {
  await tx`delete from knowledge_sources where workspace_id = ${workspaceId} and id = ${sourceId}`;
}

/** Returns the texts of the bases' sources, oldest first; no sources when they are longer than `maxCharacters` together. */
export async function wholeText(
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
  maxCharacters: number,
): Promise<{ characters: number; sources: { name: string; text: string }[] }> {
  const [size] = await sql<{ characters: number }[]>`
    select coalesce(sum(characters), 0)::integer as characters from knowledge_sources
    where workspace_id = ${workspaceId} and knowledge_base_id = any(${[...baseIds]}) and passages > 0`;
  const { characters } = size!;
  if (characters === 0 || characters > maxCharacters) return { characters, sources: [] };
  const sources = await sql<{ name: string; text: string }[]>`
    select name, text from knowledge_sources
    where workspace_id = ${workspaceId} and knowledge_base_id = any(${[...baseIds]}) and passages > 0 order by id`;
  return { characters, sources };
}
