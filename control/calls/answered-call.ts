import type { Carrier } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import type { CarrierCallback } from '../carriers/callback.ts';
import type { Sql } from '../db/connect.ts';
import { markPlaced } from './placed.ts';
import { lockCallById } from './store.ts';
import type { StreamAddress } from './stream-pass.ts';

export interface AnsweredDeps {
  sql: Sql;
  clock: Clock;
  streamAddress: StreamAddress;
}

/** A call we placed was answered: the address of its stream, or null when it is not wanted any more. */
export async function takeAnsweredCall(
  { sql, clock, streamAddress }: AnsweredDeps,
  provider: Carrier,
  callId: string,
  callback: CarrierCallback,
): Promise<string | null> {
  return sql.begin(async (tx) => {
    const call = await lockCallById(tx, callId);
    if (call?.provider !== provider || call.direction !== 'outbound' || call.status !== 'ringing') return null;
    if (!isSameCall(call.provider_call_id, callback.provider_call_id)) return null;
    await markPlaced(tx, call, callback, clock.wall());
    if (call.hangup_ordered_reason !== '' || call.media_nonce !== null) return null;
    return streamAddress(provider, call.id);
  });
}

/** Either side may not know the carrier's id yet. */
export function isSameCall(known: string, told: string): boolean {
  return known === '' || told === '' || known === told;
}
