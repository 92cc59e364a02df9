import type { BlockList } from 'node:net';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { includesAddress, networksOf } from '../../shared/networks.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { createBatchedLookup } from '../db/batched-lookup.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import type { Actor, FindPrincipal, Principal } from '../http/authenticate.ts';
import { createCredentialCache, credentialCachesExpired } from '../http/credential-cache.ts';
import { conflict, HttpError, notFound, validationError } from '../http/errors.ts';
import { displayPrefix, hashOfKey, looksLikeApiKey, newApiKey } from './api-key.ts';
import {
  type ApiKeyRow,
  countKeys,
  findKeysByHash,
  insertKey,
  type KeyLimits,
  listKeys,
  lockKey,
  markKeyReplaced,
  markKeyUsed,
  revokeKeyRow,
} from './keys-store.ts';
import { lockWorkspace } from './lock-workspace.ts';

const MAX_KEYS = 50;
const LAST_USED_INTERVAL_MS = 60_000;
const HOUR_MS = 3_600_000;

const UNLIMITED: KeyLimits = { scopes: null, expires_at: null, allowed_addresses: [] };

export interface NewKey {
  /** The whole key, which is never shown again. */
  key: string;
  record: ApiKeyRow;
}

interface KeyToMake extends Partial<KeyLimits> {
  workspace_id: string;
  name: string;
  created_by: string;
  grant_id?: string | null;
}

/** @returns null when the workspace has the maximum of 50 keys. */
export async function createKey(sql: AnySql, wallMs: number, wanted: KeyToMake): Promise<NewKey | null> {
  if ((await countKeys(sql, wanted.workspace_id, new Date(wallMs))) >= MAX_KEYS) return null;
  return writeNewKey(sql, wallMs, wanted);
}

async function writeNewKey(sql: AnySql, wallMs: number, wanted: KeyToMake): Promise<NewKey> {
  const key = newApiKey();
  const record: ApiKeyRow = {
    ...UNLIMITED,
    ...wanted,
    id: newId(wallMs),
    prefix: displayPrefix(key),
    created_at: new Date(wallMs),
    last_used_at: null,
    last_used_address: '',
    replaced_by: null,
    grant_id: wanted.grant_id ?? null,
  };
  await insertKey(sql, record, hashOfKey(key));
  return { key, record };
}

export interface KeyFinder extends FindPrincipal {
  /** Call it when a key was revoked or a workspace deactivated: drops everything cached in this process. */
  clearCache(): void;
}

/** What a key stands for, and where and until when it is accepted. */
interface KeyPrincipal extends Principal {
  key_id: string;
  ends_at: Date | null;
  /** Null: anywhere. */
  networks: BlockList | null;
  last_used_at: Date | null;
}

/** Looks API keys up and caches the result for a moment, see `credential-cache.ts`. */
export function createKeyFinder({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): KeyFinder {
  const findKey = createBatchedLookup((hashes) => findKeysByHash(sql, hashes));
  const cache = createCredentialCache<KeyPrincipal>(clock);

  async function lookUp(credential: string): Promise<KeyPrincipal | null> {
    if (!looksLikeApiKey(credential)) return null;
    const cacheResult = cache.beginLookup(credential);
    const key = await findKey(hashOfKey(credential).toString('hex'));
    if (!key) return null;
    const { scopes, expires_at, allowed_addresses } = key;
    const isLimited = scopes !== null || expires_at !== null || allowed_addresses.length > 0;
    const principal: KeyPrincipal = {
      workspace_id: key.workspace_id,
      workspace_state: key.workspace_state,
      role: 'api_key',
      actor: { kind: 'api_key', id: key.id, name: key.name },
      user_id: null,
      session_id: null,
      key_id: key.id,
      grant_id: key.grant_id,
      // A key that could make keys would have no limits.
      unconfirmed: isLimited || !key.keys_may_make_keys,
      requests_per_minute: key.requests_per_minute,
      ends_at: expires_at,
      networks: allowed_addresses.length === 0 ? null : networksOf(allowed_addresses),
      last_used_at: key.last_used_at,
      ...(scopes === null ? {} : { scopes }),
    };
    cacheResult(principal);
    return principal;
  }

  function noteUse({ workspace_id, key_id, last_used_at }: KeyPrincipal, address: string): void {
    const now = new Date(clock.wall());
    if (last_used_at && now.getTime() - last_used_at.getTime() < LAST_USED_INTERVAL_MS) return;
    // Not awaited: the request neither waits for this nor fails with it.
    markKeyUsed(sql, { workspace_id, id: key_id, address, now }).catch((error: unknown) =>
      log.warn({ error: errorText(error), key_id }, 'last use of a key could not be written'),
    );
  }

  function accepted(key: KeyPrincipal, address: string): KeyPrincipal | null {
    if (key.ends_at !== null && key.ends_at.getTime() <= clock.wall()) return null;
    if (key.networks && !includesAddress(key.networks, address)) {
      throw new HttpError(403, `this key is not accepted from ${address}`);
    }
    return key;
  }

  async function findInDatabase(credential: string, address: string): Promise<KeyPrincipal | null> {
    const found = await lookUp(credential);
    const key = found && accepted(found, address);
    if (key) noteUse(key, address);
    return key;
  }

  const find: FindPrincipal = (credential, _choice, address = '') => {
    const cached = cache.get(credential);
    return cached ? accepted(cached, address) : findInDatabase(credential, address);
  };
  return Object.assign(find, { clearCache: cache.clear });
}

/** Who makes a key. */
interface KeyMaker {
  workspace_id: string;
  actor: Actor;
  /** Of a connected app, or of a key that one made. */
  grant_id: string | null;
}

export interface KeyManagerDeps {
  sql: Sql;
  clock: Clock;
  /** Called after the commit, to clear the cache of this process. */
  onRevoked?: () => void;
}

/** Manages the API keys of a workspace. */
export function createKeyManager({ sql, clock, onRevoked }: KeyManagerDeps) {
  async function stopped(): Promise<void> {
    onRevoked?.();
    await credentialCachesExpired(clock);
  }

  return {
    list: (workspaceId: string): Promise<ApiKeyRow[]> => listKeys(sql, workspaceId, new Date(clock.wall())),

    /** @throws HttpError 409 at 50 keys, 422 for an end in the past. */
    async create(
      { workspace_id, actor, grant_id }: KeyMaker,
      { name, ...limits }: { name: string } & KeyLimits,
    ): Promise<ApiKeyRow & { key: string }> {
      return sql.begin(async (tx) => {
        // Counted under the lock, so that two cannot both be the last.
        await lockWorkspace(tx, workspace_id);
        const at_ms = clock.wall();
        if (limits.expires_at !== null && limits.expires_at.getTime() <= at_ms) {
          throw validationError('Input should be in the future', ['expires_at']);
        }
        const made = await createKey(tx, at_ms, { ...limits, workspace_id, name, created_by: actor.name, grant_id });
        if (!made) throw conflict(`key limit reached (${MAX_KEYS})`);
        const target = { kind: 'key', id: made.record.id, name };
        await writeAudit(tx, { workspace_id, actor, action: 'key.created', target, at_ms });
        return { ...made.record, key: made.key };
      });
    },

    /**
     * Makes a key with the name and limits of another one, which works for `overlapHours` more. The new one lasts as long as the other
     * was made to last.
     *
     * @throws HttpError 404 key, 409 when it was rotated before.
     */
    async rotate(
      { workspace_id, actor, grant_id }: KeyMaker,
      { keyId, overlapHours }: { keyId: string; overlapHours: number },
    ): Promise<ApiKeyRow & { key: string }> {
      const made = await sql.begin(async (tx) => {
        const at_ms = clock.wall();
        const old = await lockKey(tx, workspace_id, keyId, new Date(at_ms));
        if (!old) throw notFound('key');
        if (old.replaced_by !== null) throw conflict('the key was rotated before');
        const { name, scopes, allowed_addresses, created_at, expires_at } = old;
        const lastsMs = expires_at && expires_at.getTime() - created_at.getTime();
        const { key, record } = await writeNewKey(tx, at_ms, {
          ...{ workspace_id, name, created_by: actor.name, scopes, allowed_addresses },
          grant_id: old.grant_id ?? grant_id,
          expires_at: lastsMs === null ? null : new Date(at_ms + lastsMs),
        });
        const overlapEnds = new Date(at_ms + overlapHours * HOUR_MS);
        await markKeyReplaced(tx, { workspace_id, id: keyId, replaced_by: record.id, ends: overlapEnds });
        const target = { kind: 'key', id: keyId, name };
        const data = { replaced_by: record.id, overlap_hours: overlapHours };
        await writeAudit(tx, { workspace_id, actor, action: 'key.rotated', target, data, at_ms });
        return { ...record, key };
      });
      if (overlapHours === 0) await stopped();
      return made;
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
      await stopped();
    },
  };
}
