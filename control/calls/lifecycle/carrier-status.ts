import type { Bus } from '../../../shared/bus/bus.ts';
import type { CarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { errorText, type Logger } from '../../../shared/log.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { beginItem } from '../../db/item-runner.ts';
import type { CallRow } from '../call-row.ts';
import { hasUnreadEvents } from '../events/ingest.ts';
import { type HasRecording, recordingUnknown } from '../recordings/recording-status.ts';
import { lockCallById, lockCallOfCarrier } from '../store.ts';
import { isSameCall } from './answered-call.ts';
import { changeCall, endUnconnected, type UnconnectedEnd, unlessRequested } from './call-state-machine.ts';
import { dialAgain, isOfEarlierDial, markPlaced } from './dial-outcome.ts';
import { finishWithoutEngine } from './finish-call.ts';

export interface CarrierStatusDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Schedules `settleCarrierEnded` for after the time that the engine has to report the end itself. */
  settleLater(callId: string): void;
  /** The carrier takes no more calls of this account now. */
  slowDown?: SlowDown;
}

export type SlowDown = (provider: CarrierName) => Promise<void>;

export interface SettleDeps {
  sql: Sql;
  clock: Clock;
  bus: Pick<Bus, 'sendHangUp' | 'connected' | 'lastEventSeq' | 'reachableForMs'>;
  hasRecording?: HasRecording;
}

/** From the carrier's report of the end: how long an engine that accepted the hang-up command has to report the end itself. */
const ENGINE_END_TIMEOUT_MS = 20_000;

const HANGUP_REASONS = {
  'no-answer': 'no-answer',
  busy: 'busy',
  failed: 'carrier failed',
  canceled: 'canceled',
} as const;

/** Who ended a call before it was connected, and why: an incoming one that is given up was hung up by its caller. */
function whoseEnd({ direction }: CallRow, status: keyof typeof HANGUP_REASONS) {
  if (direction === 'inbound' && status === 'canceled') {
    return { hangup_by: 'caller', hangup_reason: 'caller hung up' } as const;
  }
  return { hangup_by: 'carrier', hangup_reason: HANGUP_REASONS[status] } as const;
}

/** Answered, but no stream reached an engine: a failure of the service. */
export const NO_STREAM: UnconnectedEnd = {
  ...{ status: 'failed', hangup_by: 'service', level: 'error' },
  ...{ hangup_reason: 'error: media', message: 'error: media' },
};
const CALLER_HUNG_UP: UnconnectedEnd = {
  ...{ status: 'canceled', hangup_by: 'caller', level: 'warning' },
  ...{ hangup_reason: 'caller hung up', message: 'not connected: canceled' },
};

/** Handles a carrier's status callback. Late, repeated and unknown statuses change nothing. */
export async function handleCarrierStatus(
  { sql, clock, log, settleLater, slowDown = async () => {} }: CarrierStatusDeps,
  provider: CarrierName,
  callId: string,
  callback: CarrierCallback,
): Promise<void> {
  const ended = await sql.begin(async (tx) => {
    const call = await (callId === ''
      ? lockCallOfCarrier(tx, provider, callback.provider_call_id)
      : lockCallById(tx, callId));
    if (call?.provider !== provider || !isSameCall(call.provider_call_id, callback.provider_call_id)) {
      log.info({ provider, call_id: callId }, 'carrier status for an unknown call');
      return null;
    }
    if (isOfEarlierDial(call, callback)) return null;
    const nowMs = clock.wall();
    if (callback.over_limit && (await dialAgain(tx, call, callback, nowMs))) return 'slowed';
    await markPlaced(tx, call, callback, nowMs);
    const { status, carrier_status } = callback;
    switch (status) {
      case 'no-answer':
      case 'busy':
      case 'failed':
      case 'canceled':
        if (call.status === 'ringing') {
          const message = `not connected: ${status}`;
          const end = {
            status,
            ...whoseEnd(call, status),
            level: 'warning',
            message,
            data: { carrier_status },
          } as const;
          await endUnconnected(tx, call, unlessRequested(call, end), nowMs);
          return null;
        }
        return markCarrierEnded(tx, call, nowMs);
      case 'completed':
        return markCarrierEnded(tx, call, nowMs);
      default:
        return null;
    }
  });
  if (ended === 'slowed') {
    log.warn({ call_id: callId, provider }, 'the carrier had too many calls at once; it is dialled later');
    await slowDown(provider).catch((error: unknown) => {
      log.error({ provider, error: errorText(error) }, "writing a carrier's rate failed");
    });
  } else if (ended) settleLater(ended);
}

/** Records that the carrier ended the call; returns its id while the call is still live here. */
async function markCarrierEnded(tx: Transaction, call: CallRow, nowMs: number): Promise<string | null> {
  if (call.status !== 'ringing' && call.status !== 'in-progress') return null;
  if (call.carrier_ended_at === null) await changeCall(tx, call, { carrier_ended_at: new Date(nowMs) });
  return call.id;
}

/**
 * Ends a call that its carrier reported as ended some time ago. An engine that still holds it gets a hang-up command and reports
 * the end with its usage; without an engine the call is ended here.
 */
export async function settleCarrierEnded(deps: SettleDeps, callId: string): Promise<void> {
  const { sql, clock, bus, hasRecording = recordingUnknown } = deps;
  const [call] = await sql<CallRow[]>`select * from live_calls where id = ${callId}`;
  const endedAt = call?.carrier_ended_at;
  if (!call || !endedAt || (call.status !== 'ringing' && call.status !== 'in-progress')) return;
  // Without the bus it is unknown what the engine has reported.
  if (!bus.connected()) return;
  if (call.media_nonce !== null && clock.wall() - endedAt.getTime() < ENGINE_END_TIMEOUT_MS) {
    const command = { call_id: callId, hangup_by: 'caller', hangup_reason: 'caller hung up' } as const;
    const reply = await bus.sendHangUp(command, 2_000, call.engine_id).catch(() => null);
    // The engine closes the call, and its report has more than is known here.
    if (reply) return;
  }
  if (await hasUnreadEvents(bus, call)) return;
  const recorded = call.status === 'in-progress' ? await hasRecording(call) : null;
  await beginItem(sql, async (tx) => {
    const call = await lockCallById(tx, callId);
    if (!call) return;
    const nowMs = clock.wall();
    if (call.status === 'in-progress') {
      const requested = call.hangup_requested_reason;
      // A live engine would have reported who hung up: the call ended because its engine was lost, so it is not charged.
      const lost = { hangup_by: 'service', hangup_reason: 'media engine lost' } as const;
      const end = requested === '' ? lost : ({ hangup_by: 'member', hangup_reason: requested } as const);
      await finishWithoutEngine(tx, call, { ...end, ended_at_ms: endedAt.getTime(), recorded }, nowMs);
    } else if (call.status === 'ringing') {
      const end = call.media_nonce === null ? NO_STREAM : CALLER_HUNG_UP;
      const data = { carrier_status: 'completed' };
      await endUnconnected(tx, call, unlessRequested(call, { ...end, data }), nowMs);
    }
  });
}
