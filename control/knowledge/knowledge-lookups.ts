import type { SessionKnowledge } from '../../shared/bus/messages.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { SearchHit, SearchTerms } from '../workspaces/search.ts';
import { MAX_INLINE_CHARACTERS } from './base-record.ts';
import { lockBasesShared, wholeText } from './store.ts';

/** Look-ups of knowledge bases for other modules. */

/**
 * Returns the first of these ids that is no knowledge base of the workspace, with its position; null when all are. The bases
 * that exist are kept from being deleted until the transaction ends.
 */
export async function findMissingBase(
  tx: Transaction,
  workspaceId: string,
  baseIds: readonly string[],
): Promise<{ index: number; id: string } | null> {
  if (baseIds.length === 0) return null;
  const own = new Set(await lockBasesShared(tx, workspaceId, baseIds));
  const index = baseIds.findIndex((id) => !own.has(id));
  return index < 0 ? null : { index, id: baseIds[index]! };
}

/** Returns an agent's knowledge for the engine, at the start of a call; undefined when there is none. */
export async function knowledgeForCall(
  sql: AnySql,
  workspaceId: string,
  agent: { knowledge_base_ids: readonly string[]; knowledge_mode: 'auto' | 'search' },
): Promise<SessionKnowledge | undefined> {
  if (agent.knowledge_base_ids.length === 0) return undefined;
  const maxCharacters = agent.knowledge_mode === 'auto' ? MAX_INLINE_CHARACTERS : 0;
  const { characters, sources } = await wholeText(sql, workspaceId, agent.knowledge_base_ids, maxCharacters);
  if (characters === 0) return undefined;
  if (sources.length === 0) return { text: '', search: true };
  return { text: sources.map(({ name, text }) => `${name}:\n${text}`).join('\n\n'), search: false };
}

/**
 * Returns knowledge bases whose name or description contains the text, or whose id it is, newest first. A workspace has at
 * most 20, which their primary key finds.
 */
export async function searchBases(
  sql: AnySql,
  workspaceId: string,
  { pattern, text }: SearchTerms,
  limit: number,
): Promise<SearchHit[]> {
  return sql<SearchHit[]>`
    select id, name as title, description as subtitle, updated_at as at from knowledge_bases
    where workspace_id = ${workspaceId}
      and (name ilike ${pattern} or description ilike ${pattern} or id = ${text.toLowerCase()})
    order by id desc limit ${limit}`;
}
