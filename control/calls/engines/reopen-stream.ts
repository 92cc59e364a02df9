import type { CarrierName } from '../../../shared/carriers/registry.ts';
import { type Clock, pause } from '../../../shared/clock.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import type { StreamUrl } from './stream-urls.ts';

export interface ReopenStreamDeps {
  sql: Sql;
  clock: Clock;
  streamUrl: StreamUrl;
}

/** An engine that closed the stream on purpose reports the call's end within this time. */
const END_REPORT_DELAY_MS = 400;

/** Outcomes of a transfer after which the caller talks with the agent again. */
const UNSUCCESSFUL: readonly string[] = ['no-answer', 'busy', 'failed', 'canceled'] satisfies TransferStatus[];

/**
 * Returns a new stream URL for a call whose stream broke, at the engine that holds the call. Null when the call has ended, is
 * being ended, or its caller is being transferred.
 */
export async function reopenStream(
  { sql, clock, streamUrl }: ReopenStreamDeps,
  provider: CarrierName,
  { provider_call_id }: CarrierCallback,
): Promise<string | null> {
  const findLiveCall = async () => {
    const [call] = await sql<Pick<CallRow, 'id' | 'status' | 'hangup_requested_reason' | 'transfer' | 'engine_id'>[]>`
      select id, status, hangup_requested_reason, transfer, engine_id from live_calls
      where provider = ${provider} and provider_call_id = ${provider_call_id} and provider_call_id <> ''`;
    const leaves = call?.transfer && !UNSUCCESSFUL.includes(call.transfer.status);
    return call?.status === 'in-progress' && call.hangup_requested_reason === '' && !leaves ? call : null;
  };
  if (!(await findLiveCall())) return null;
  await pause(clock, END_REPORT_DELAY_MS);
  const call = await findLiveCall();
  return call && streamUrl(provider, call.id, call.engine_id);
}
