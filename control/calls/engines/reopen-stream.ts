import type { Carrier } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
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

/** The engine that closed a stream on purpose tells the end of its call within this time; it waits longer for a broken one. */
const END_REPORT_DELAY_MS = 400;

/** Transfers after which the caller talks with the agent again. */
const UNSUCCESSFUL: readonly string[] = ['no-answer', 'busy', 'failed', 'canceled'] satisfies TransferStatus[];

/**
 * A carrier's stream broke and it asks for another: the address, when the call is on and its engine may be waiting. Null when
 * the call is over, is being ended, or its caller is on the way to a person.
 */
export async function reopenStream(
  { sql, clock, streamUrl: streamAddress }: ReopenStreamDeps,
  provider: Carrier,
  { provider_call_id }: CarrierCallback,
): Promise<string | null> {
  const findLiveCall = async () => {
    const [call] = await sql<Pick<CallRow, 'id' | 'status' | 'hangup_requested_reason' | 'transfer' | 'engine_id'>[]>`
      select id, status, hangup_ordered_reason, transfer, engine_id from calls
      where provider = ${provider} and provider_call_id = ${provider_call_id} and provider_call_id <> ''`;
    const leaves = call?.transfer && !UNSUCCESSFUL.includes(call.transfer.status);
    return call?.status === 'in-progress' && call.hangup_requested_reason === '' && !leaves ? call : null;
  };
  if (!(await findLiveCall())) return null;
  await new Promise<void>((resolve) => clock.after(END_REPORT_DELAY_MS, resolve));
  const call = await findLiveCall();
  return call && streamAddress(provider, call.id, call.engine_id);
}
