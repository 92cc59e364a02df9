import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { changesBetween } from '../audit/changes.ts';
import { type AuditEntry, writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, validationError } from '../http/errors.ts';
import type { CheckUrl } from '../webhooks/check-url.ts';
import { type BaseRecord, MAX_BASE_CHARACTERS, recordOf, type SourceRecord } from './base-record.ts';
import { type DocumentKind, documentKindOf } from './documents/document-kind.ts';
import { cleanText } from './split-passages.ts';
import {
  type BaseChange,
  countBasesLocked,
  deleteBase,
  deleteSource,
  findBase,
  insertBase,
  insertFile,
  insertSource,
  listBases,
  listSources,
  lockBase,
  lockForDeletion,
  lockSource,
  type NewSource,
  queueSource,
  sizeOfBase,
  updateBase,
} from './store.ts';

const BASE = 'knowledge_base';
const MAX_BASES = 20;
const MAX_SOURCES = 50;
const MAX_NAME_CHARACTERS = 120;

/** Returns the agents that use these bases, by base. Handed in, because `agents` stands above `knowledge`. */
export type AgentsUsing = (
  sql: AnySql,
  workspaceId: string,
  baseIds: readonly string[],
) => Promise<ReadonlyMap<string, readonly string[]>>;

interface AddedSource
  extends Pick<NewSource, 'kind' | 'name' | 'url' | 'file_name' | 'size_bytes' | 'max_pages' | 'named_by_page'> {
  text?: string;
  file?: { kind: DocumentKind; content: Buffer };
}

export interface ManageDeps {
  sql: Sql;
  clock: Clock;
  agentsUsing: AgentsUsing;
  /** Refuses addresses that are not on the public internet. */
  checkUrl: CheckUrl;
  /** Called when a source waits to be processed. */
  onQueued(): void;
}

/** The rules of creating, changing and deleting knowledge bases and their sources. */
export function createBases({ sql, clock, agentsUsing, onQueued, checkUrl }: ManageDeps) {
  const now = () => new Date(clock.wall());

  async function find(workspaceId: string, baseId: string): Promise<BaseRecord> {
    const row = await findBase(sql, workspaceId, baseId);
    if (!row) throw notFound('knowledge base');
    const using = await agentsUsing(sql, workspaceId, [baseId]);
    return recordOf(row, using.get(baseId) ?? []);
  }

  async function audit(
    tx: Transaction,
    workspace_id: string,
    actor: Actor,
    action: AuditAction,
    target: AuditEntry['target'],
    facts: Pick<AuditEntry, 'changes' | 'data'> = {},
  ): Promise<void> {
    await writeAudit(tx, { workspace_id, actor, action, target, ...facts, at_ms: clock.wall() });
  }

  async function change<Result>(workspaceId: string, baseId: string, run: (tx: Transaction) => Promise<Result>) {
    return sql.begin(async (tx) => {
      if (!(await lockBase(tx, workspaceId, baseId))) throw notFound('knowledge base');
      return run(tx);
    });
  }

  /** Stores the source and queues it. */
  async function addSource(workspaceId: string, baseId: string, actor: Actor, added: AddedSource) {
    const { kind, name, text = '', file, ...of } = added;
    const { named_by_page: _, ...told } = of;
    const source = await change(workspaceId, baseId, async (tx) => {
      const size = await sizeOfBase(tx, workspaceId, baseId);
      if (size.sources >= MAX_SOURCES) throw conflict(`source limit reached (${MAX_SOURCES})`);
      if (size.characters + text.length > MAX_BASE_CHARACTERS) {
        throw conflict(`character limit reached (${MAX_BASE_CHARACTERS})`);
      }
      const at = now();
      const id = newId(clock.wall());
      const facts = {
        data: { knowledge_base_id: baseId, kind, ...(kind === 'text' ? { characters: text.length } : told) },
      };
      await audit(tx, workspaceId, actor, 'source.added', { kind: 'source', id, name }, facts);
      const stored = await insertSource(tx, {
        ...{ workspace_id: workspaceId, knowledge_base_id: baseId, id, kind, name, ...of },
        ...{ created_by: actor.name, created_at: at, updated_at: at, due_at: at, text, text_characters: text.length },
      });
      if (file) await insertFile(tx, { workspace_id: workspaceId, source_id: id, ...file });
      return stored;
    });
    onQueued();
    return source;
  }

  return {
    async list(workspaceId: string): Promise<BaseRecord[]> {
      const rows = await listBases(sql, workspaceId);
      const ids = rows.map(({ id }) => id);
      const using = await agentsUsing(sql, workspaceId, ids);
      return rows.map((row) => recordOf(row, using.get(row.id) ?? []));
    },

    async findWithSources(workspaceId: string, baseId: string): Promise<BaseRecord & { sources: SourceRecord[] }> {
      return { ...(await find(workspaceId, baseId)), sources: await listSources(sql, workspaceId, baseId) };
    },

    async create(workspaceId: string, actor: Actor, { name, description }: { name: string; description: string }) {
      const at = now();
      const id = newId(clock.wall());
      await sql.begin(async (tx) => {
        if ((await countBasesLocked(tx, workspaceId)) >= MAX_BASES) {
          throw conflict(`knowledge base limit reached (${MAX_BASES})`);
        }
        const base = {
          workspace_id: workspaceId,
          id,
          name,
          description,
          created_by: actor.name,
          created_at: at,
          updated_at: at,
        };
        await insertBase(tx, base);
        await audit(tx, workspaceId, actor, 'knowledge_base.created', { kind: BASE, id, name });
      });
      return find(workspaceId, id);
    },

    async update(workspaceId: string, baseId: string, sent: BaseChange, actor: Actor): Promise<BaseRecord> {
      await change(workspaceId, baseId, async (tx) => {
        const before = (await findBase(tx, workspaceId, baseId))!;
        await updateBase(tx, workspaceId, baseId, sent, now());
        const { name, description } = { ...before, ...withoutUndefined(sent) };
        const changes = changesBetween({ name: before.name, description: before.description }, { name, description });
        await audit(tx, workspaceId, actor, 'knowledge_base.updated', { kind: BASE, id: baseId, name }, { changes });
      });
      return find(workspaceId, baseId);
    },

    async remove(workspaceId: string, baseId: string, actor: Actor): Promise<void> {
      await sql.begin(async (tx) => {
        if (!(await lockForDeletion(tx, workspaceId, baseId))) throw notFound('knowledge base');
        const agents = (await agentsUsing(tx, workspaceId, [baseId])).get(baseId) ?? [];
        if (agents.length > 0) throw conflict(`used by ${agents.length} agents`);
        const base = await findBase(tx, workspaceId, baseId);
        await deleteBase(tx, workspaceId, baseId);
        const target = { kind: BASE, id: baseId, name: base?.name ?? '' };
        await audit(tx, workspaceId, actor, 'knowledge_base.deleted', target);
      });
    },

    async addText(
      workspaceId: string,
      baseId: string,
      actor: Actor,
      { name, text: sent }: { name: string; text: string },
    ) {
      const text = cleanText(sent);
      if (text === '') throw validationError('there are no words in it', ['text'], sent.slice(0, 200));
      return addSource(workspaceId, baseId, actor, { kind: 'text', name, text });
    },

    /** The file's text is read in the background; what the file is, is told by its content. */
    async addFile(workspaceId: string, baseId: string, actor: Actor, content: Buffer, sentName: string) {
      if (content.length === 0) throw validationError('the file is empty', ['file']);
      const kind = documentKindOf(content, sentName);
      if (kind === null) throw new HttpError(415, 'only PDF, TXT, MD, HTML or CSV files');
      const file_name = sentName || `document.${kind}`;
      const file = { kind, content };
      return addSource(workspaceId, baseId, actor, {
        ...{ kind: 'file', name: file_name, file_name, size_bytes: content.length, file },
      });
    },

    /** The page is read in the background, and the pages that it leads to. Its title is its name where none is given. */
    async addUrl(
      workspaceId: string,
      baseId: string,
      actor: Actor,
      added: { url: string; name?: string | undefined; max_pages: number },
    ) {
      const { url: text, name, max_pages } = added;
      await checkUrl(text);
      const url = new URL(text);
      const from = `${url.host}${url.pathname}`.slice(0, MAX_NAME_CHARACTERS);
      const named = { name: name ?? from, named_by_page: name === undefined };
      return addSource(workspaceId, baseId, actor, { kind: 'url', url: url.href, max_pages, ...named });
    },

    async removeSource(workspaceId: string, baseId: string, sourceId: string, actor: Actor): Promise<void> {
      await change(workspaceId, baseId, async (tx) => {
        const source = await lockSource(tx, workspaceId, baseId, sourceId);
        if (!source) throw notFound('source');
        await deleteSource(tx, workspaceId, sourceId);
        const target = { kind: 'source', id: sourceId, name: source.name };
        await audit(tx, workspaceId, actor, 'source.deleted', target, { data: { knowledge_base_id: baseId } });
      });
    },

    /** Queues the source again; its old passages are found until the new ones are stored. */
    async reprocess(workspaceId: string, baseId: string, sourceId: string, actor: Actor): Promise<SourceRecord> {
      const source = await change(workspaceId, baseId, async (tx) => {
        const stored = await lockSource(tx, workspaceId, baseId, sourceId);
        if (!stored) throw notFound('source');
        if (stored.status === 'processing') throw conflict('the source is being processed');
        const target = { kind: 'source', id: sourceId, name: stored.name };
        await audit(tx, workspaceId, actor, 'source.reprocessed', target, { data: { knowledge_base_id: baseId } });
        return queueSource(tx, workspaceId, sourceId, now());
      });
      onQueued();
      return source;
    },
  };
}

const withoutUndefined = (change: BaseChange) =>
  Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) as Partial<
    Record<keyof BaseChange, string>
  >;
