import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { AnySql, Sql } from '../db/connect.ts';
import { conflict, HttpError, validationErrorIn } from './errors.ts';

/**
 * `Idempotency-Key`: a request that is sent again is not carried out again. The first response is stored for 24 hours unless it
 * is a 5xx: then the key is free again, except when the change was committed (`carried_out`, written in its transaction),
 * because money must not be spent twice. The key of a request that died with its process is freed after a minute by the same
 * rule.
 */

export const IDEMPOTENCY_HEADER = 'idempotency-key';
export const KEY_PATTERN = /^[\x20-\x7e]{1,200}$/;
const RETENTION_MS = 24 * 3_600_000;
/** Longer than any request can run. */
const MAX_RUN_MS = 60_000;

export interface IdempotentRequest {
  workspace_id: string;
  key: string;
  request_id: string;
  method: string;
  /** With its parameters, without the query. */
  path: string;
  body: unknown;
}

export interface StoredResponse {
  status: number;
  body: string;
}

export interface Idempotency {
  /**
   * Takes the key for this request, or returns the stored response of the first one.
   * @throws HttpError 422 for another request with the same key, 409 while the first one runs.
   */
  claim(request: IdempotentRequest): Promise<StoredResponse | null>;
  store(request: IdempotentRequest, response: StoredResponse): Promise<void>;
  /** After a 5xx. */
  release(request: IdempotentRequest): Promise<void>;
}

interface Row {
  fingerprint: Buffer;
  claimed_at: Date;
  carried_out: boolean;
  status: number | null;
  response: string | null;
}

export function createIdempotency({ sql, clock }: { sql: Sql; clock: Clock }): Idempotency {
  return {
    async claim(request) {
      const { workspace_id, key, request_id } = request;
      const fingerprint = fingerprintOf(request);
      const nowMs = clock.wall();
      const now = new Date(nowMs);
      // A key that is old, or whose request died before anything was committed, is taken over in the same statement.
      const taken = await sql`
        insert into idempotency_keys as k (workspace_id, key, fingerprint, request_id, claimed_at)
        values (${workspace_id}, ${key}, ${fingerprint}, ${request_id}, ${now})
        on conflict (workspace_id, key) do update set
          fingerprint = excluded.fingerprint, request_id = excluded.request_id, claimed_at = excluded.claimed_at,
          carried_out = false, status = null, response = null
        where k.claimed_at < ${new Date(nowMs - RETENTION_MS)}
          or (k.status is null and not k.carried_out and k.claimed_at < ${new Date(nowMs - MAX_RUN_MS)}
            and k.fingerprint = excluded.fingerprint)
        returning key`;
      if (taken.length > 0) return null;
      const [row] = await sql<Row[]>`
        select fingerprint, claimed_at, carried_out, status, response from idempotency_keys
        where workspace_id = ${workspace_id} and key = ${key}`;
      // Released between the two statements.
      if (!row) throw conflict(STILL_RUNNING);
      if (!fingerprint.equals(row.fingerprint)) {
        throw validationErrorIn(
          'header',
          'this Idempotency-Key was used for another request',
          [IDEMPOTENCY_HEADER],
          key,
        );
      }
      if (row.status !== null) return { status: row.status, body: row.response ?? '' };
      throw conflict(row.carried_out && nowMs - row.claimed_at.getTime() > MAX_RUN_MS ? RESPONSE_LOST : STILL_RUNNING);
    },

    async store({ workspace_id, key, request_id }, { status, body }) {
      await sql`
        update idempotency_keys set status = ${status}, response = ${body}
        where workspace_id = ${workspace_id} and key = ${key} and request_id = ${request_id}`;
    },

    async release({ workspace_id, key, request_id }) {
      await sql`
        delete from idempotency_keys
        where workspace_id = ${workspace_id} and key = ${key} and request_id = ${request_id} and not carried_out`;
    },
  };
}

const STILL_RUNNING = 'the first request with this Idempotency-Key is still running';
const RESPONSE_LOST = 'the first request with this Idempotency-Key was carried out, but its response was lost';

/** A key that is taken, and by which request. */
export type IdempotencyClaim = Pick<IdempotentRequest, 'workspace_id' | 'key' | 'request_id'>;

/** Call it in the transaction of the change, so that it is certain whether the change was committed. */
export async function markCarriedOut(tx: AnySql, claim: IdempotencyClaim): Promise<void> {
  await carriedOutUpdate(tx, [claim]);
}

/** The same for several requests: a statement, or a part of one, which `onlyIf` (`and …`) may make do nothing. */
export const carriedOutUpdate = (sql: AnySql, claims: readonly IdempotencyClaim[], onlyIf = sql``) => sql`
    update idempotency_keys as k set carried_out = true
    from unnest(
      ${claims.map(({ workspace_id }) => workspace_id)}::text[], ${claims.map(({ key }) => key)}::text[],
      ${claims.map(({ request_id }) => request_id)}::text[]
    ) as claim (workspace_id, key, request_id)
    where k.workspace_id = claim.workspace_id and k.key = claim.key and k.request_id = claim.request_id ${onlyIf}`;

export async function deleteOldIdempotencyKeys(sql: Sql, nowMs: number): Promise<void> {
  await sql`delete from idempotency_keys where claimed_at < ${new Date(nowMs - RETENTION_MS)}`;
}

function fingerprintOf({ method, path, body }: IdempotentRequest): Buffer {
  const text = `${method} ${path}\n${JSON.stringify(body, sortKeys) ?? ''}`;
  return createHash('sha256').update(text).digest();
}

/** Sorts fields, so that the same fields in another order are the same body. */
function sortKeys(_name: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Runs the request, or replays the response of an earlier request with the same `Idempotency-Key`. */
export async function withIdempotency(
  idempotency: Idempotency,
  request: IdempotentRequest,
  run: () => Promise<StoredResponse>,
): Promise<StoredResponse & { replayed: boolean }> {
  const stored = await idempotency.claim(request);
  if (stored) return { ...stored, replayed: true };
  try {
    const response = await run();
    await idempotency.store(request, response);
    return { ...response, replayed: false };
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) {
      const body = JSON.stringify({ detail: error.detail, ...error.extras.body });
      await idempotency.store(request, { status: error.status, body });
    } else await idempotency.release(request).catch(() => {});
    throw error;
  }
}
