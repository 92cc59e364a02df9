import type { Carrier } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql } from '../../db/connect.ts';
import type { StreamUrl } from '../engines/stream-urls.ts';
import { lockCallById } from '../store.ts';
import { markPlaced } from './mark-placed.ts';

export interface AnsweredCallDeps {
  sql: Sql;
  clock: Clock;
  streamUrl: StreamUrl;
}

/** A call we placed was answered: the address of its stream, or null when it is not wanted any more. */
export async function handleAnsweredCall(
  { sql, clock, streamUrl: streamAddress }: AnsweredCallDeps,
  provider: Carrier,
  callId: string,
  callback: CarrierCallback,
): Promise<string | null> {
  return sql.begin(async (tx) => {
    const call = await lockCallById(tx, callId);
    if (call?.provider !== provider || call.direction !== 'outbound' || call.status !== 'ringing') return null;
    if (!isSameCall(call.provider_call_id, callback.provider_call_id)) return null;
    await markPlaced(tx, call, callback, clock.wall());
    if (call.hangup_requested_reason !== '' || call.media_nonce !== null) return null;
    return streamAddress(provider, call.id);
  });
}

/** Either side may not know the carrier's id yet. */
export function isSameCall(known: string, received: string): boolean {
  return known === '' || received === '' || known === received;
}
