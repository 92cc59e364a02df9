import { endedByFailure, isOver } from '../../../shared/call.ts';
import { lockWallets } from '../../billing/wallet.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow, StoredTranscriptItem } from '../call-row.ts';
import { changeCall, transitionCall } from '../lifecycle/call-state-machine.ts';
import { markPlaced } from '../lifecycle/dial-outcome.ts';
import { answeredByChange, canFinish, type Ending, finishCalls } from '../lifecycle/finish-call.ts';
import { moveFinishedCall } from '../lifecycle/move-finished-calls.ts';
import { tableOf } from '../store.ts';
import { markTransferReported } from '../transfers/transfer-row.ts';
import { type AppliedEvent, connectedBy } from './media-event.ts';
import { isOnTimeline, writeEvents } from './timeline.ts';

/** No token's. */
const FORGOTTEN_NONCE = 'forgotten';

/** How far a call's events are written or dead-lettered. */
export interface ReadUpTo {
  /** The engine's number. */
  seq: number;
  /** In the bus's stream. */
  position: number;
}

/**
 * Applies an engine's events to a call in the given order: timeline, transcript and status. The caller holds the lock on the
 * call's row.
 */
export async function applyMediaEvents(
  tx: Transaction,
  call: CallRow,
  events: readonly AppliedEvent[],
  readUpTo: ReadUpTo,
  nowMs: number,
): Promise<void> {
  let unwritten: AppliedEvent[] = [];
  const lines: StoredTranscriptItem[] = [];
  const write = async () => {
    await writeEvents(tx, call, unwritten);
    unwritten = [];
  };

  for (const event of events) {
    const startedMs = call.status === 'ringing' ? connectedBy(event) : null;
    if (startedMs !== null) {
      await write();
      await connect(tx, call, event, startedMs, nowMs);
    }
    // Control has ended the call without its engine; `call.ended` is written once.
    const endsAgain =
      event.type === 'call.ended' && isOver(call.status) && (await isOnTimeline(tx, call.id, 'call.ended'));
    if (endsAgain && (event.source_seq ?? 0) <= call.media_seq) continue;
    lines.push(...event.transcript);
    call.transcript.push(...event.transcript);
    if (endsAgain) {
      await recordLateUsage(tx, call, event.ending);
      continue;
    }
    unwritten.push(event);
    if (event.type === 'call.transfer_status') await markTransferReported(tx, call.id);
    if (event.type === 'call.voicemail') await changeCall(tx, call, { answered_by: 'machine' });
    if (event.type === 'call.ended' && event.ending) {
      // Ahead of the end, which moves the row.
      if (lines.length > 0) await recordRead(tx, call, lines.splice(0), readUpTo);
      if (canFinish(call, event.ending)) {
        const read = { media_seq: readUpTo.seq, media_stream_seq: readUpTo.position };
        const end = { call, ending: event.ending, events: unwritten, readUpTo: read };
        unwritten = [];
        await finishCalls(tx, await lockWallets(tx, [call.workspace_id]), [end], nowMs);
      } else {
        await write();
        await applyOtherEnd(tx, call, event.ending, readUpTo);
      }
    }
  }
  await write();
  await recordRead(tx, call, lines, readUpTo);
}

/**
 * The stream can open before the carrier has responded to the dial request. A call that a crash of the database let forget its engine
 * (`takeCall`) has it again.
 */
async function connect(
  tx: Transaction,
  call: CallRow,
  { engine_id = '' }: AppliedEvent,
  startedMs: number,
  nowMs: number,
): Promise<void> {
  await markPlaced(tx, call, { provider_call_id: '', provider_request_id: '' }, nowMs);
  const forgotten = call.media_nonce === null && engine_id !== '' ? { engine_id, media_nonce: FORGOTTEN_NONCE } : {};
  await transitionCall(tx, call, 'in-progress', { ...forgotten, started_at: new Date(startedMs) });
}

async function recordRead(
  tx: Transaction,
  call: CallRow,
  lines: readonly StoredTranscriptItem[],
  { seq: media_seq, position: media_stream_seq }: ReadUpTo,
): Promise<void> {
  const isNew = media_seq !== call.media_seq || media_stream_seq !== call.media_stream_seq;
  if (lines.length === 0 && !isNew) return;
  await tx`
    update ${tableOf(tx, call)} set media_seq = ${media_seq}, media_stream_seq = ${media_stream_seq}
      ${lines.length > 0 ? tx`, transcript = transcript || ${tx.json(lines as never)}` : tx``}
    where workspace_id = ${call.workspace_id} and id = ${call.id}`;
  Object.assign(call, { media_seq, media_stream_seq });
}

/** The end of a call that is not connected, or has ended already. */
async function applyOtherEnd(
  tx: Transaction,
  call: CallRow,
  ending: Ending,
  { seq: media_seq, position: media_stream_seq }: ReadUpTo,
): Promise<void> {
  if (call.status !== 'ringing') return recordLateUsage(tx, call, ending);
  // The conversation never began: the call counts as not connected, without `call.completed`.
  const { hangup_by, hangup_reason, ended_at_ms } = ending;
  const status = endedByFailure(hangup_reason) ? 'failed' : 'canceled';
  const ended = { hangup_by, hangup_reason, ended_at: new Date(ended_at_ms), media_seq, media_stream_seq };
  await transitionCall(tx, call, status, ended);
  await moveFinishedCall(tx, call);
}

/** For a call that was ended without its engine: status and cost stay, the usage is added. */
async function recordLateUsage(tx: Transaction, call: CallRow, ending: Ending | null): Promise<void> {
  if (!ending || call.started_at === null) return;
  const { usage, avg_first_audio_ms, provider_usage } = ending;
  const recorded = { recorded: ending.recorded ?? false, recording_unknown: false };
  await changeCall(tx, call, {
    usage,
    avg_first_audio_ms,
    ...recorded,
    provider_usage,
    ...answeredByChange(ending),
  });
}
