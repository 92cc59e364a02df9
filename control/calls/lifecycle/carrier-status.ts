import type { Bus } from '../../../shared/bus/bus.ts';
import type { Carrier } from '../../../shared/call.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Logger } from '../../../shared/log.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { hasUnreadEvents } from '../events/event-backlog.ts';
import { type HasRecording, recordingUnknown } from '../recordings/recording-status.ts';
import { lockCallById, lockCallOfCarrier } from '../store.ts';
import { isSameCall } from './answered-call.ts';
import { changeCall, endUnconnected } from './call-state-machine.ts';
import { finishWithoutEngine } from './finish-call.ts';
import { markPlaced } from './mark-placed.ts';

export interface CarrierStatusDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  /** Has `settleCarrierEnded` run when the engine has had its time to tell the end by itself. */
  settleLater(callId: string): void;
}

export interface SettleDeps {
  sql: Sql;
  clock: Clock;
  bus: Pick<Bus, 'sendHangUp' | 'connected' | 'lastEventSeq'>;
  hasRecording?: HasRecording;
}

/** An engine that said it hangs up has this long, from the carrier's word, until the call is ended without it. */
const ENGINE_END_TIMEOUT_MS = 20_000;

const HANGUP_REASONS = {
  'no-answer': 'no-answer',
  busy: 'busy',
  failed: 'carrier failed',
  canceled: 'canceled',
} as const;

/** A carrier's word on a call. Late, repeated and unknown words change nothing. */
export async function handleCarrierStatus(
  { sql, clock, log, settleLater }: CarrierStatusDeps,
  provider: Carrier,
  callId: string,
  callback: CarrierCallback,
): Promise<void> {
  const ended = await sql.begin(async (tx) => {
    const call = await (callId === ''
      ? lockCallOfCarrier(tx, provider, callback.provider_call_id)
      : lockCallById(tx, callId));
    if (call?.provider !== provider || !isSameCall(call.provider_call_id, callback.provider_call_id)) {
      log.info({ provider, call_id: callId }, 'a carrier told the status of a call that is not known');
      return null;
    }
    const nowMs = clock.wall();
    await markPlaced(tx, call, callback, nowMs);
    const { status, carrier_status } = callback;
    switch (status) {
      case 'no-answer':
      case 'busy':
      case 'failed':
      case 'canceled':
        if (call.status === 'ringing') {
          await endRinging(tx, call, status, carrier_status, nowMs);
          return null;
        }
        return markCarrierEnded(tx, call, nowMs);
      case 'completed':
        return markCarrierEnded(tx, call, nowMs);
      default:
        return null;
    }
  });
  if (ended) settleLater(ended);
}

/** Never connected, by the carrier's word; a member's order to hang up is what it was when there is one. */
async function endRinging(
  tx: Transaction,
  call: CallRow,
  status: keyof typeof HANGUP_REASONS,
  carrier_status: string,
  nowMs: number,
): Promise<void> {
  const ordered = call.hangup_requested_reason;
  const final = ordered === '' ? status : 'canceled';
  const end = ordered === '' ? HANGUP_REASONS[status] : ordered;
  await endUnconnected(
    tx,
    call,
    {
      status: final,
      hangup_by: ordered === '' ? 'carrier' : 'member',
      hangup_reason: end,
      level: 'warning',
      message: `not connected: ${final}`,
      data: { carrier_status },
    },
    nowMs,
  );
}

/** Remembers it; the id when the call is not over for us yet. */
async function markCarrierEnded(tx: Transaction, call: CallRow, nowMs: number): Promise<string | null> {
  if (call.status !== 'ringing' && call.status !== 'in-progress') return null;
  if (call.carrier_ended_at === null) await changeCall(tx, call, { carrier_ended_at: new Date(nowMs) });
  return call.id;
}

/**
 * The carrier said some time ago that the call is over. An engine that still holds it is told to hang up, so that the
 * end comes with all it knows; without an engine the call is ended here.
 */
export async function settleCarrierEnded(deps: SettleDeps, callId: string): Promise<void> {
  const { sql, clock, bus, hasRecording: recordedOf = recordingUnknown } = deps;
  const [call] = await sql<CallRow[]>`select * from calls where id = ${callId}`;
  const endedAt = call?.carrier_ended_at;
  if (!call || !endedAt || (call.status !== 'ringing' && call.status !== 'in-progress')) return;
  // While the bus is away nobody can know what the engine has told.
  if (!bus.connected()) return;
  if (call.media_nonce !== null && clock.wall() - endedAt.getTime() < ENGINE_END_TIMEOUT_MS) {
    const order = { call_id: callId, hangup_by: 'caller', hangup_reason: 'caller hung up' } as const;
    const reply = await bus.sendHangUp(order, 2_000).catch(() => null);
    // Somebody is there and closing it, or will be: what it tells is better than what we know.
    if (reply) return;
  }
  if (await hasUnreadEvents(bus, call, endedAt, clock.wall())) return;
  const recorded = call.status === 'in-progress' ? await recordedOf(call) : null;
  await sql.begin(async (tx) => {
    const call = await lockCallById(tx, callId);
    if (!call) return;
    const nowMs = clock.wall();
    const ordered = call.hangup_requested_reason;
    const hangup_by = ordered === '' ? 'caller' : 'member';
    if (call.status === 'in-progress') {
      // An engine that lived would have told who hung up. Where it died, the carrier ended the call for want of it: ours, and free.
      const lost = { hangup_by: 'service', hangup_reason: 'media engine lost' } as const;
      const end = ordered === '' ? lost : ({ hangup_by: 'member', hangup_reason: ordered } as const);
      await finishWithoutEngine(tx, call, { ...end, ended_at_ms: endedAt.getTime(), recorded }, nowMs);
    } else if (call.status === 'ringing' && call.media_nonce === null && ordered === '') {
      // Answered, but the sound never reached an engine: that is ours to answer for.
      const reason = 'error: media';
      const data = { carrier_status: 'completed' };
      await endUnconnected(
        tx,
        call,
        { status: 'failed', hangup_by: 'service', hangup_reason: reason, level: 'error', message: reason, data },
        nowMs,
      );
    } else if (call.status === 'ringing') {
      const reason = ordered === '' ? 'caller hung up' : ordered;
      const data = { carrier_status: 'completed' };
      const message = 'not connected: canceled';
      await endUnconnected(
        tx,
        call,
        { status: 'canceled', hangup_by, hangup_reason: reason, level: 'warning', message, data },
        nowMs,
      );
    }
  });
}
