import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Caller, FindCaller } from '../http/authenticate.ts';
import { hashOfKey, looksLikeApiKey, newApiKey, shownPrefix } from './api-key.ts';
import { type ApiKeyRow, countKeys, findKeyByHash, insertKey, markKeyUsed } from './store.ts';

const MAX_KEYS = 50;
const USED_EVERY_MS = 60_000;

export interface NewKey {
  /** The whole key, never to be seen again. */
  key: string;
  record: Omit<ApiKeyRow, 'last_used_at'>;
}

/** @returns null when the workspace has all the keys it may have (50). */
export async function createKey(
  sql: AnySql,
  wallMs: number,
  { workspace_id, name, created_by }: { workspace_id: string; name: string; created_by: string },
): Promise<NewKey | null> {
  if ((await countKeys(sql, workspace_id)) >= MAX_KEYS) return null;
  const key = newApiKey();
  const created_at = new Date(wallMs);
  const record = { workspace_id, id: newId(wallMs), name, prefix: shownPrefix(key), created_by, created_at };
  await insertKey(sql, record, hashOfKey(key));
  return { key, record };
}

/** Looks API keys up; a revoked one stops working at once because nothing is remembered. */
export function createKeyFinder({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): FindCaller {
  return async (credential): Promise<Caller | null> => {
    if (!looksLikeApiKey(credential)) return null;
    const key = await findKeyByHash(sql, hashOfKey(credential));
    if (!key) return null;
    const now = new Date(clock.wall());
    if (!key.last_used_at || now.getTime() - key.last_used_at.getTime() >= USED_EVERY_MS) {
      // The request does not wait for this and does not fail with it.
      markKeyUsed(sql, key.workspace_id, key.id, now).catch((error: unknown) =>
        log.warn({ error: errorText(error), key_id: key.id }, 'the last use of a key could not be written'),
      );
    }
    return {
      workspace_id: key.workspace_id,
      workspace_state: key.workspace_state,
      role: 'api_key',
      actor: { kind: 'api_key', id: key.id, name: key.name },
    };
  };
}
