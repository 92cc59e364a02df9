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
   * Handles a callback unless the same one was handled before, by any process. One whose handling failed may come again: carriers
   * repeat what was answered with an error. Null: the carrier sends nothing to know it by.
   * @throws HttpError 403 for one that came before.
   */
  once<Result>(provider: CarrierName, proof: CallbackProof | null, handle: () => Promise<Result>): Promise<Result>;
}

const ROWS_AT_ONCE = 5_000;

export function createCallbackReplays({ sql, clock, log }: { sql: Sql; clock: Clock; log: Logger }): CallbackReplays {
  return {
    async once(provider, proof, handle) {
      if (!proof) return handle();
      const hash = createHash('sha256').update(proof.text).digest();
      const nowMs = clock.wall();
      const isNew = await remember(sql, { provider, hash, nowMs, untilMs: nowMs + proof.remembered_ms });
      if (!isNew) {
        log.warn({ provider }, 'a carrier callback that came before was refused');
        throw new HttpError(403, 'this callback came before');
      }
      try {
        return await handle();
      } catch (error) {
        await forget(sql, provider, hash).catch((failure: unknown) => {
          log.warn({ provider, error: errorText(failure) }, 'a carrier callback that failed cannot come again');
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

/** False when it is remembered already. */
async function remember(sql: Sql, { provider, hash, nowMs, untilMs }: RememberedCallback): Promise<boolean> {
  const rows = await sql`
    insert into carrier_callbacks as c (provider, proof_hash, expires_at)
    values (${provider}, ${hash}, ${new Date(untilMs)})
    on conflict (provider, proof_hash) do update set expires_at = excluded.expires_at
    where c.expires_at < ${new Date(nowMs)}
    returning provider`;
  return rows.length > 0;
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
