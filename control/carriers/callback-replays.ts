import { createHash } from 'node:crypto';
import type { CarrierName } from '../../shared/carriers/registry.ts';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Sql } from '../db/connect.ts';
import { HttpError } from '../http/errors.ts';

/** What makes a callback one of its kind, under the carrier's signature. */
export interface CallbackProof {
  /** A nonce, an id, or the signature itself where it covers the time. */
  text: string;
  /** For how long it is remembered: at least as long as the signature is valid. */
  remembered_ms: number;
}

export interface CallbackReplays {
  /**
   * Handles a callback unless the same one was handled before, by any process. One whose handling failed, or whose process died over
   * it, may come again: carriers repeat what was answered with an error, or not at all. Null: the carrier sends nothing to know it by.
   * @throws HttpError 403 for one that was handled before; 503 while it is being handled.
   */
  once<Result>(provider: CarrierName, proof: CallbackProof | null, handle: () => Promise<Result>): Promise<Result>;
}

const ROWS_AT_ONCE = 5_000;
/** No handling takes longer: requests to the API end before. */
const HANDLING_MS = 30_000;

export function createCallbackReplays({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): CallbackReplays {
  return {
    async once(provider, proof, handle) {
      if (!proof) return handle();
      const hash = createHash('sha256').update(proof.text).digest();
      const nowMs = clock.wall();
      const before = await remember(sql, { provider, hash, nowMs, untilMs: nowMs + proof.remembered_ms });
      if (before) {
        log.warn({ provider, handled: before.handled }, 'a carrier callback that came before was refused');
        if (before.handled) throw new HttpError(403, 'this callback came before');
        throw new HttpError(503, 'this callback is being handled', { headers: { 'Retry-After': '5' } });
      }
      try {
        const result = await handle();
        // It is answered also when this fails: it was handled, and handling it again comes to the same.
        await markHandled(sql, provider, hash).catch((failure: unknown) => {
          log.warn({ provider, error: errorText(failure) }, 'a carrier callback was not marked as handled');
        });
        return result;
      } catch (error) {
        await forget(sql, provider, hash).catch((failure: unknown) => {
          log.warn({ provider, error: errorText(failure) }, 'a carrier callback that failed cannot come again at once');
        });
        throw error;
      }
    },
  };
}

interface RememberedCallback {
  provider: CarrierName;
  hash: Buffer;
  nowMs: number;
  untilMs: number;
}

/** Null when it is this one's turn; else what became of the one before. */
async function remember(
  sql: Sql,
  { provider, hash, nowMs, untilMs }: RememberedCallback,
): Promise<{ handled: boolean } | null> {
  const [now, until] = [new Date(nowMs), new Date(untilMs)];
  const taken = await sql`
    insert into carrier_callbacks as c (provider, proof_hash, begun_at, expires_at)
    values (${provider}, ${hash}, ${now}, ${until})
    on conflict (provider, proof_hash) do update set begun_at = ${now}, handled = false, expires_at = ${until}
    where c.expires_at < ${now} or (not c.handled and c.begun_at < ${new Date(nowMs - HANDLING_MS)})
    returning provider`;
  if (taken.length > 0) return null;
  const [before] = await sql<{ handled: boolean }[]>`
    select handled from carrier_callbacks where provider = ${provider} and proof_hash = ${hash}`;
  return before ?? { handled: false };
}

async function markHandled(sql: Sql, provider: CarrierName, hash: Buffer): Promise<void> {
  await sql`update carrier_callbacks set handled = true where provider = ${provider} and proof_hash = ${hash}`;
}

async function forget(sql: Sql, provider: CarrierName, hash: Buffer): Promise<void> {
  await sql`delete from carrier_callbacks where provider = ${provider} and proof_hash = ${hash}`;
}

export async function deleteOldCallbacks(sql: Sql, nowMs: number): Promise<void> {
  for (let deleted = ROWS_AT_ONCE; deleted === ROWS_AT_ONCE; ) {
    const { count } = await sql`
      delete from carrier_callbacks where (provider, proof_hash) in (
        select provider, proof_hash from carrier_callbacks
        where expires_at < ${new Date(nowMs)} order by expires_at limit ${ROWS_AT_ONCE})`;
    deleted = count;
  }
}
