import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { createBatchedLookup } from '../db/batched-lookup.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Actor, FindPrincipal, Principal } from '../http/authenticate.ts';
import { createCredentialCache, credentialCachesExpired } from '../http/credential-cache.ts';
import { conflict, notFound } from '../http/errors.ts';
import { displayPrefix, hashOfKey, looksLikeApiKey, newApiKey } from './api-key.ts';
import { lockWorkspace } from './lock-workspace.ts';
import { type ApiKeyRow, countKeys, findKeysByHash, insertKey, listKeys, markKeyUsed, revokeKeyRow } from './store.ts';

const MAX_KEYS = 50;
const LAST_USED_INTERVAL_MS = 60_000;

export interface NewKey {
  /** The whole key, which is never shown again. */
  key: string;
  record: Omit<ApiKeyRow, 'last_used_at'>;
}

/** @returns null when the workspace has the maximum of 50 keys. */
export async function createKey(
  sql: AnySql,
  wallMs: number,
  { workspace_id, name, created_by }: { workspace_id: string; name: string; created_by: string },
): Promise<NewKey | null> {
  if ((await countKeys(sql, workspace_id)) >= MAX_KEYS) return null;
  const key = newApiKey();
  const created_at = new Date(wallMs);
  const record = { workspace_id, id: newId(wallMs), name, prefix: displayPrefix(key), created_by, created_at };
  await insertKey(sql, record, hashOfKey(key));
  return { key, record };
}

export interface KeyFinder extends FindPrincipal {
  /** Call it when a key was revoked or a workspace deactivated: drops everything cached in this process. */
  clearCache(): void;
}

/** Looks API keys up and caches the result for a moment, see `credential-cache.ts`. */
export function createKeyFinder({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): KeyFinder {
  const findKey = createBatchedLookup((hashes) => findKeysByHash(sql, hashes));
  const cache = createCredentialCache(clock);

  async function lookUp(credential: string): Promise<Principal | null> {
    if (!looksLikeApiKey(credential)) return null;
    const cacheResult = cache.beginLookup(credential);
    const key = await findKey(hashOfKey(credential).toString('hex'));
    if (!key) return null;
    const now = new Date(clock.wall());
    if (!key.last_used_at || now.getTime() - key.last_used_at.getTime() >= LAST_USED_INTERVAL_MS) {
      // Not awaited: the request neither waits for this nor fails with it.
      markKeyUsed(sql, key.workspace_id, key.id, now).catch((error: unknown) =>
        log.warn({ error: errorText(error), key_id: key.id }, 'last use of a key could not be written'),
      );
    }
    const principal: Principal = {
      workspace_id: key.workspace_id,
      workspace_state: key.workspace_state,
      role: 'api_key',
      actor: { kind: 'api_key', id: key.id, name: key.name },
      user_id: null,
      session_id: null,
      key_id: key.id,
      requests_per_minute: key.requests_per_minute,
    };
    cacheResult(principal);
    return principal;
  }

  const find = async (credential: string) => cache.get(credential) ?? lookUp(credential);
  return Object.assign(find, { clearCache: cache.clear });
}

export interface KeyManagerDeps {
  sql: Sql;
  clock: Clock;
  /** Called after the commit, to clear the cache of this process. */
  onRevoked?: () => void;
}

/** Manages the API keys of a workspace. */
export function createKeyManager({ sql, clock, onRevoked }: KeyManagerDeps) {
  return {
    list: (workspaceId: string): Promise<ApiKeyRow[]> => listKeys(sql, workspaceId),

    /** @throws HttpError 409 at 50 keys. */
    async create(workspaceId: string, actor: Actor, name: string): Promise<ApiKeyRow & { key: string }> {
      return sql.begin(async (tx) => {
        // Counted under the lock, so that two cannot both be the last.
        await lockWorkspace(tx, workspaceId);
        const at_ms = clock.wall();
        const made = await createKey(tx, at_ms, { workspace_id: workspaceId, name, created_by: actor.name });
        if (!made) throw conflict(`key limit reached (${MAX_KEYS})`);
        const target = { kind: 'key', id: made.record.id, name };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'key.created', target, at_ms });
        return { ...made.record, last_used_at: null, key: made.key };
      });
    },

    /** @throws HttpError 404 key. */
    async revoke(workspaceId: string, actor: Actor, keyId: string): Promise<void> {
      await sql.begin(async (tx) => {
        const at_ms = clock.wall();
        const name = await revokeKeyRow(tx, workspaceId, keyId, new Date(at_ms));
        if (name === null) throw notFound('key');
        const target = { kind: 'key', id: keyId, name };
        await writeAudit(tx, { workspace_id: workspaceId, actor, action: 'key.revoked', target, at_ms });
      });
      onRevoked?.();
      await credentialCachesExpired(clock);
    },
  };
}
