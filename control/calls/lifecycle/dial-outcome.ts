import { isOver } from '../../../shared/call.ts';
import { maskNumber } from '../../../shared/phone.ts';
import type { CarrierCallRef } from '../../carriers/callback.ts';
import type { DialOutcome } from '../../carriers/dial.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { eventParts, eventRowsOf, isOnTimeline, writeEvents } from '../events/timeline.ts';
import { lockCall } from '../store.ts';
import { type CallChange, changeCall, endUnconnected, unlessRequested } from './call-state-machine.ts';

type DialRefusal = Extract<DialOutcome, { accepted: false }>;

/** A dial request takes at most 10 seconds; one without an outcome after this time is looked up, also when its process died. */
export const DIAL_TIMEOUT_MS = 15_000;
/** After an answer that did not come. */
const FIRST_LOOK_UP_MS = 1_000;
/** So often a carrier may ask for the dial later. */
const MAX_SLOWED = 10;
/** Longer pauses are not kept: a call that is due waits for minutes at most. */
const MAX_SLOWED_MS = 60_000;
/** For a carrier that asks to slow down and does not say for how long. */
const SLOWED_MS = 1_000;

/** The columns of a call that is dialled now. */
export function dialRequested(nowMs: number): CallChange {
  return { dial_state: 'requested', dial_due_at: new Date(nowMs + DIAL_TIMEOUT_MS), ringing_at: new Date(nowMs) };
}

/**
 * Writes what the carrier said to the dial request: `call.placed`, the end, or when the dial is looked up or sent again. What came
 * before it, from the carrier's callbacks or the call's stream, counts more: a call that was placed is not ended by a late answer.
 * Returns the call when it is not wanted any more; the caller then hangs up at the carrier.
 */
export async function writeDialOutcome(
  sql: Sql,
  workspaceId: string,
  callId: string,
  outcome: DialOutcome,
  nowMs: number,
): Promise<CallRow | null> {
  return sql.begin(async (tx) => {
    const call = await lockCall(tx, workspaceId, callId);
    if (!call) return null;
    if (outcome.accepted === true) return recordAccepted(tx, call, outcome, nowMs);
    if (call.status !== 'ringing' || isKnownToBeDialled(call)) return null;
    if (outcome.accepted === 'unknown') {
      await changeCall(tx, call, { dial_state: 'unknown', dial_due_at: new Date(nowMs + FIRST_LOOK_UP_MS) });
    } else if (outcome.accepted === 'later' && call.dial_tries < MAX_SLOWED) {
      const pauseMs = Math.min(outcome.retry_after_ms ?? SLOWED_MS, MAX_SLOWED_MS);
      await changeCall(tx, call, dialLater(call, nowMs + pauseMs));
    } else {
      const by = outcome.accepted === false ? outcome.by : undefined;
      await refuseDial(tx, call, { accepted: false, reason: outcome.reason, ...(by ? { by } : {}) }, nowMs);
    }
    return null;
  });
}

/**
 * Writes with one statement that the carrier accepted a call that is as it was when it was dialled.
 *
 * @param call as it was dialled.
 * @returns false, and nothing is written, when anything came of the call since: `writeDialOutcome` then decides.
 */
export async function writeFirstAcceptance(
  sql: Sql,
  call: CallRow,
  { provider_call_id, provider_request_id }: CarrierCallRef,
  nowMs: number,
): Promise<boolean> {
  const { workspace_id, id, event_seq } = call;
  const events = eventRowsOf([{ call, events: [placedEvent(call, nowMs)] }]);
  const accepted = await sql`
    with accepted as (
      update live_calls set placed_at = ${new Date(nowMs)}, provider_call_id = ${provider_call_id},
        provider_request_id = ${provider_request_id}, dial_state = '', dial_due_at = null, event_seq = event_seq + 1
      where workspace_id = ${workspace_id} and id = ${id} and event_seq = ${event_seq}
        and status = 'ringing' and dial_state = 'requested' and dial_tries = 0 and placed_at is null
        and provider_call_id = '' and provider_request_id = '' and hangup_requested_reason = ''
      returning id
    ), ${eventParts(sql, events, { onlyIf: sql`where call_id in (select id from accepted)` })}
    select from accepted`;
  return accepted.length > 0;
}

const dialLater = ({ dial_tries }: CallRow, dueMs: number) =>
  ({ dial_state: 'slowed', dial_due_at: new Date(dueMs), dial_tries: dial_tries + 1 }) as const;

/**
 * Dials a call again later that the carrier accepted and ended at once, because the account had too many calls. The carrier's id of the
 * request stays in the row until the next dial is accepted: what still comes of the first one is recognized by it.
 *
 * @returns false when it was tried often enough, or the call is not one to be dialled.
 */
export async function dialAgain(
  tx: Transaction,
  call: CallRow,
  refused: CarrierCallRef,
  nowMs: number,
): Promise<boolean> {
  const { status, direction, media_nonce, hangup_requested_reason, dial_tries } = call;
  const isWanted = status === 'ringing' && direction === 'outbound' && media_nonce === null;
  if (!isWanted || hangup_requested_reason !== '' || dial_tries >= MAX_SLOWED) return false;
  const { provider_request_id } = refused;
  // Without the request's id a repeated callback could not be told from one of the next dial.
  if (provider_request_id === '') return false;
  const later = dialLater(call, nowMs + SLOWED_MS);
  await changeCall(tx, call, { ...later, placed_at: null, provider_call_id: '', provider_request_id });
  return true;
}

/** Whether the ids are those of a dial that the call is dialled again after. */
export const isOfEarlierDial = (call: CallRow, { provider_request_id }: CarrierCallRef) =>
  provider_request_id !== '' &&
  (call.dial_state !== ''
    ? call.provider_request_id === provider_request_id
    : call.dial_tries > 0 && call.provider_request_id !== '' && call.provider_request_id !== provider_request_id);

/** The carrier called back, or the call's stream came. */
export const isKnownToBeDialled = ({ placed_at, media_nonce }: CallRow) => placed_at !== null || media_nonce !== null;

/** Records the carrier's id of a call; returns the call when it is not wanted any more. */
export async function recordAccepted(
  tx: Transaction,
  call: CallRow,
  ids: CarrierCallRef,
  nowMs: number,
): Promise<CallRow | null> {
  await markPlaced(tx, call, ids, nowMs);
  const hangupRequested = call.status === 'ringing' && call.hangup_requested_reason !== '';
  return hangupRequested || isOver(call.status) ? call : null;
}

/**
 * Records that the carrier accepted the call, and the carrier's ids. The response to the dial request, a status callback and the
 * opened stream can come in any order: the first of them writes `call.placed`.
 */
export async function markPlaced(tx: Transaction, call: CallRow, ids: CarrierCallRef, nowMs: number): Promise<void> {
  if (isOfEarlierDial(call, ids)) return;
  const change: CallChange = call.dial_state === '' ? {} : { dial_state: '', dial_due_at: null };
  if (call.provider_call_id === '' && ids.provider_call_id !== '') change.provider_call_id = ids.provider_call_id;
  if ((call.provider_request_id === '' || call.dial_state !== '') && ids.provider_request_id !== '') {
    change.provider_request_id = ids.provider_request_id;
  }
  const first = call.direction === 'outbound' && call.placed_at === null && call.status === 'ringing';
  if (first) change.placed_at = new Date(nowMs);
  if (Object.keys(change).length > 0) await changeCall(tx, call, change);
  if (!first || (call.dial_tries > 0 && (await isOnTimeline(tx, call.id, 'call.placed')))) return;
  await writeEvents(tx, call, [placedEvent(call, nowMs)]);
}

const placedEvent = ({ provider, to_number }: CallRow, nowMs: number) =>
  ({
    type: 'call.placed',
    level: 'info',
    message: `${provider} is calling ${maskNumber(to_number)}`,
    latency_ms: null,
    data: { provider },
    at_ms: nowMs,
  }) as const;

/** Ends a call that the carrier refused to dial, or that no carrier could be asked to dial. */
export async function refuseDial(
  tx: Transaction,
  call: CallRow,
  { reason, by: hangup_by = 'carrier' }: DialRefusal,
  nowMs: number,
): Promise<boolean> {
  const hangup_reason = `dial refused: ${reason}` as const;
  const end = { status: 'failed', hangup_by, hangup_reason, level: 'error', message: hangup_reason } as const;
  return endUnconnected(tx, call, unlessRequested(call, end), nowMs);
}
