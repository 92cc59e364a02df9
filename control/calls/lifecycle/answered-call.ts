import type { CarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql } from '../../db/connect.ts';
import type { StreamUrl } from '../engines/stream-urls.ts';
import { lockCallById } from '../store.ts';
import { markPlaced } from './dial-outcome.ts';

export interface AnsweredCallDeps {
  sql: Sql;
  clock: Clock;
  streamUrl: StreamUrl;
}

/** Returns the stream URL for an outbound call that was answered; null when the call is no longer wanted. */
export async function handleAnsweredCall(
  { sql, clock, streamUrl }: AnsweredCallDeps,
  provider: CarrierName,
  callId: string,
  callback: CarrierCallback,
): Promise<string | null> {
  return sql.begin(async (tx) => {
    const call = await lockCallById(tx, callId);
    if (call?.provider !== provider || call.direction !== 'outbound' || call.status !== 'ringing') return null;
    if (!isSameCall(call.provider_call_id, callback.provider_call_id)) return null;
    await markPlaced(tx, call, callback, clock.wall());
    if (call.hangup_requested_reason !== '' || call.media_nonce !== null) return null;
    return streamUrl(provider, call.id);
  });
}

/** Compares two ids of the carrier; either may be unknown (empty) still. */
export function isSameCall(known: string, received: string): boolean {
  return known === '' || received === '' || known === received;
}
