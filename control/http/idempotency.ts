import { createHash } from 'node:crypto';
import type { Clock } from '../../shared/clock.ts';
import type { AnySql, Fragment, Sql } from '../db/connect.ts';
import { conflict, HttpError, validationErrorIn } from './errors.ts';

/**
 * `Idempotency-Key`: a request that is sent again is not carried out again. The first response is stored for 24 hours unless it
 * is a 5xx: then the key is free again, except when the change was committed (`carried_out`, written in its transaction),
 * because money must not be spent twice. The key of a request that died with its process is freed after a minute by the same
 * rule.
 *
 * A change that is one statement takes the key in it (`keyInsertion`) and stores its response with it, so that there is no time between
 * the change and its mark; a process remembers which of these keys it works on.
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
  /**
   * Runs a request whose change takes the key itself.
   * @throws HttpError 422 and 409 as `claim`, when this process is working on the key.
   */
  withoutClaim<Result>(request: IdempotentRequest, run: () => Promise<Result>): Promise<Result>;
}

interface Row {
  fingerprint: Buffer;
  claimed_at: Date;
  carried_out: boolean;
  status: number | null;
  response: string | null;
}

export function createIdempotency({ sql, clock }: { sql: Sql; clock: Clock }): Idempotency {
  /** The fingerprints of the requests that run without a claim. */
  const running = new Map<string, Buffer>();

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
        ${unlessInUse(sql, nowMs)}
        returning key`;
      if (taken.length > 0) return null;
      const [row] = await sql<Row[]>`
        select fingerprint, claimed_at, carried_out, status, response from idempotency_keys
        where workspace_id = ${workspace_id} and key = ${key}`;
      // Released between the two statements.
      if (!row) throw conflict(STILL_RUNNING);
      if (!fingerprint.equals(row.fingerprint)) throw usedForAnother(key);
      if (row.status !== null) return { status: row.status, body: row.response ?? '' };
      throw conflict(row.carried_out && nowMs - row.claimed_at.getTime() > MAX_RUN_MS ? RESPONSE_LOST : STILL_RUNNING);
    },

    async withoutClaim(request, run) {
      const name = `${request.workspace_id} ${request.key}`;
      const fingerprint = fingerprintOf(request);
      const other = running.get(name);
      if (other) throw fingerprint.equals(other) ? conflict(STILL_RUNNING) : usedForAnother(request.key);
      running.set(name, fingerprint);
      try {
        return await run();
      } finally {
        running.delete(name);
      }
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

/** Takes a key over that is old, or whose request died before anything was committed; one in use stays as it is. */
const unlessInUse = (sql: AnySql, nowMs: number) => sql`
    on conflict (workspace_id, key) do update set
      fingerprint = excluded.fingerprint, request_id = excluded.request_id, claimed_at = excluded.claimed_at,
      carried_out = excluded.carried_out, status = excluded.status, response = excluded.response
    where k.claimed_at < ${new Date(nowMs - RETENTION_MS)}
      or (k.status is null and not k.carried_out and k.claimed_at < ${new Date(nowMs - MAX_RUN_MS)}
        and k.fingerprint = excluded.fingerprint)`;

const usedForAnother = (key: string) =>
  validationErrorIn('header', 'this Idempotency-Key was used for another request', [IDEMPOTENCY_HEADER], key);

const STILL_RUNNING = 'the first request with this Idempotency-Key is still running';
const RESPONSE_LOST = 'the first request with this Idempotency-Key was carried out, but its response was lost';

/** A key that is taken, and by which request. */
export type IdempotencyClaim = Pick<IdempotentRequest, 'workspace_id' | 'key' | 'request_id'>;

/** Call it in the transaction of the change, so that it is certain whether the change was committed. */
export async function markCarriedOut(tx: AnySql, { workspace_id, key, request_id }: IdempotencyClaim): Promise<void> {
  await tx`
    update idempotency_keys set carried_out = true
    where workspace_id = ${workspace_id} and key = ${key} and request_id = ${request_id}`;
}

/** A key that the statement of the change takes. */
export interface KeyToTake extends IdempotencyClaim {
  fingerprint: Buffer;
  /** Serializes what the handler is going to return, to be stored with the change; it is also what is sent. */
  responseTo(result: unknown): StoredResponse;
}

/** The key, and the response to the change that takes it. */
export type KeyWithResponse = Omit<KeyToTake, 'responseTo'> & StoredResponse;

/**
 * Takes keys and stores their responses: a part of the statement that makes the changes, with `onlyIf` (`where …`). Returns the
 * `workspace_id` and `key` of those that were free; what another one stands for must not happen.
 */
export const keyInsertion = (sql: AnySql, keys: readonly KeyWithResponse[], nowMs: number, onlyIf: Fragment) => sql`
    insert into idempotency_keys as k (
      workspace_id, key, fingerprint, request_id, claimed_at, carried_out, status, response
    )
    select workspace_id, key, decode(fingerprint, 'hex'), request_id, ${new Date(nowMs)}::timestamptz, true, status, response
    from unnest(
      ${keys.map(({ workspace_id }) => workspace_id)}::text[], ${keys.map(({ key }) => key)}::text[],
      ${keys.map(({ fingerprint }) => fingerprint.toString('hex'))}::text[],
      ${keys.map(({ request_id }) => request_id)}::text[], ${keys.map(({ status }) => status)}::integer[],
      ${keys.map(({ body }) => body)}::text[]
    ) as taken (workspace_id, key, fingerprint, request_id, status, response)
    ${onlyIf} order by key
    ${unlessInUse(sql, nowMs)}
    returning k.workspace_id, k.key`;

/** The key was in use when the statement of the change would have taken it: nothing was changed. */
export class KeyTakenError extends Error {
  constructor() {
    super('the Idempotency-Key is in use');
  }
}

export async function deleteOldIdempotencyKeys(sql: Sql, nowMs: number): Promise<void> {
  await sql`delete from idempotency_keys where claimed_at < ${new Date(nowMs - RETENTION_MS)}`;
}

export function fingerprintOf({ method, path, body }: IdempotentRequest): Buffer {
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
    const refused = refusalOf(error);
    if (refused) await idempotency.store(request, refused);
    else await idempotency.release(request).catch(() => {});
    throw error;
  }
}

const MAX_TRIES = 3;

/** The same for a request whose change takes the key, and throws `KeyTakenError` when it is in use. */
export function withKeyTakenByChange(
  idempotency: Idempotency,
  request: IdempotentRequest,
  run: () => Promise<StoredResponse>,
): Promise<StoredResponse & { replayed: boolean }> {
  return idempotency.withoutClaim(request, async () => {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      try {
        return { ...(await run()), replayed: false };
      } catch (error) {
        const refused = refusalOf(error);
        if (!refused && !(error instanceof KeyTakenError)) throw error;
        // What was stored before counts, also where this request was refused.
        const stored = await idempotency.claim(request);
        if (stored) return { ...stored, replayed: true };
        if (refused) {
          await idempotency.store(request, refused);
          throw error;
        }
        // It became free meanwhile.
        await idempotency.release(request);
      }
    }
    throw conflict(STILL_RUNNING);
  });
}

/** What is stored of an error; null for a 5xx. */
function refusalOf(error: unknown): StoredResponse | null {
  if (!(error instanceof HttpError) || error.status >= 500) return null;
  return { status: error.status, body: JSON.stringify({ detail: error.detail, ...error.extras.body }) };
}
