import type { CarrierName } from '../../../shared/carriers/registry.ts';
import { type Clock, pause } from '../../../shared/clock.ts';
import type { TransferStatus } from '../../../shared/transfer.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { endUnconnected, unlessRequested } from '../lifecycle/call-state-machine.ts';
import { NO_STREAM } from '../lifecycle/carrier-status.ts';
import { lockCallById } from '../store.ts';
import type { StreamUrl } from './stream-urls.ts';

export interface ReopenStreamDeps {
  sql: Sql;
  clock: Clock;
  streamUrl: StreamUrl;
  /** At another engine than before. */
  anotherStreamUrl: StreamUrl;
  /** Called when a call was ended here, because its stream did not open a second time. */
  onCallEnded?(call: CallRow): void;
}

/** An engine that closed the stream on purpose reports the call's end within this time. */
const END_REPORT_DELAY_MS = 400;

/** Outcomes of a transfer after which the caller talks with the agent again. */
const UNSUCCESSFUL: readonly string[] = ['no-answer', 'busy', 'failed', 'canceled'] satisfies TransferStatus[];

/**
 * Returns a new stream URL for a call whose stream broke, at the engine that holds the call; for one whose stream did not open, at
 * another engine, once: the second time the call is ended. Null when the call has ended, is being ended, or its caller is being
 * transferred.
 */
export async function reopenStream(
  deps: ReopenStreamDeps,
  provider: CarrierName,
  { provider_call_id, stream_id = '' }: CarrierCallback,
): Promise<string | null> {
  const { sql, clock, streamUrl } = deps;
  const findLiveCall = async () => {
    const [call] = await sql<
      Pick<CallRow, 'id' | 'status' | 'hangup_requested_reason' | 'transfer' | 'engine_id' | 'media_nonce'>[]
    >`
      select id, status, hangup_requested_reason, transfer, engine_id, media_nonce from live_calls
      where provider = ${provider} and provider_call_id = ${provider_call_id} and provider_call_id <> ''`;
    const leaves = call?.transfer && !UNSUCCESSFUL.includes(call.transfer.status);
    const goesOn = call?.status === 'in-progress' || call?.status === 'ringing';
    return call && goesOn && call.hangup_requested_reason === '' && !leaves ? call : null;
  };
  if (!(await findLiveCall())) return null;
  await pause(clock, END_REPORT_DELAY_MS);
  const call = await findLiveCall();
  if (!call) return null;
  if (call.media_nonce === null) return openElsewhere(deps, provider, call.id, stream_id);
  return streamUrl(provider, call.id, call.engine_id);
}

/** For a call that no engine has. A carrier may report one failure twice. */
async function openElsewhere(
  { sql, clock, anotherStreamUrl, onCallEnded }: ReopenStreamDeps,
  provider: CarrierName,
  callId: string,
  stream_id: string,
): Promise<string | null> {
  let ended: CallRow | null = null;
  const goesOn = await sql.begin(async (tx) => {
    const call = await lockCallById(tx, callId);
    if (call?.status !== 'ringing' || call.media_nonce !== null || call.hangup_requested_reason !== '') return false;
    const before = await failedStream(tx, callId);
    if (before !== null && before === stream_id) return true;
    const at_ms = clock.wall();
    if (before !== null) {
      await endUnconnected(tx, call, unlessRequested(call, NO_STREAM), at_ms);
      ended = call;
      return false;
    }
    const message = 'the media stream did not open; another engine is tried';
    await writeEvents(tx, call, [
      { type: 'error', level: 'error', message, latency_ms: null, data: { stream_id }, at_ms },
    ]);
    return true;
  });
  if (ended) onCallEnded?.(ended);
  return goesOn ? anotherStreamUrl(provider, callId) : null;
}

/** The carrier's id of the stream that did not open, or empty where it has none; null when all did. */
async function failedStream(tx: Transaction, callId: string): Promise<string | null> {
  const [event] = await tx<{ stream_id: string }[]>`
    select data ->> 'stream_id' as stream_id from call_events
    where call_id = ${callId} and type = 'error' and data ? 'stream_id' limit 1`;
  return event?.stream_id ?? null;
}
