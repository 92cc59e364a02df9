import { endedByFailure, isOver } from '../../../shared/call.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { changeCall, transitionCall } from '../lifecycle/call-state-machine.ts';
import { markPlaced } from '../lifecycle/dial-outcome.ts';
import { answeredByChange, concludeCall, type Ending, finishCall } from '../lifecycle/finish-call.ts';
import { markTransferReported } from '../transfers/transfer-row.ts';
import type { MediaEvent } from './media-event.ts';
import { writeEvents } from './timeline.ts';

/**
 * Applies an engine's events to a call in the given order: timeline, transcript and status. The caller holds the lock on the
 * call's row. `mediaSeq` is the number up to which all events are written or dead-lettered.
 */
export async function applyMediaEvents(
  tx: Transaction,
  call: CallRow,
  events: readonly MediaEvent[],
  mediaSeq: number,
  nowMs: number,
): Promise<void> {
  let unwritten: MediaEvent[] = [];
  const write = async (late: readonly MediaEvent[] = []) => {
    await writeEvents(tx, call, unwritten);
    const lines = [...unwritten, ...late].flatMap((event) => event.transcript);
    unwritten = [];
    if (lines.length === 0) return;
    call.transcript.push(...lines);
    await tx`
      update calls set transcript = transcript || ${tx.json(lines as never)}
      where workspace_id = ${call.workspace_id} and id = ${call.id}`;
  };

  for (const event of events) {
    if (event.type === 'call.started') {
      await write();
      // The stream can open before the carrier has responded to the dial request.
      await markPlaced(tx, call, { provider_call_id: '', provider_request_id: '' }, nowMs);
      const started_at = new Date(event.at_ms);
      await transitionCall(tx, call, 'in-progress', { started_at, heartbeat_at: new Date(nowMs) });
    }
    // Control has ended the call without its engine; `call.ended` is written once.
    if (event.type === 'call.ended' && isOver(call.status) && (await endIsOnTimeline(tx, call))) {
      if (event.source_seq <= call.media_seq) continue;
      await write([event]);
      await recordLateUsage(tx, call, event.ending);
      continue;
    }
    unwritten.push(event);
    if (event.type === 'call.transfer_status') await markTransferReported(tx, call.id);
    if (event.type === 'call.voicemail') {
      await write();
      await changeCall(tx, call, { answered_by: 'machine' });
    }
    if (event.type === 'call.ended') {
      await write();
      await applyEnd(tx, call, event, nowMs);
    }
  }
  await write();
  if (mediaSeq !== call.media_seq) await changeCall(tx, call, { media_seq: mediaSeq });
}

async function applyEnd(tx: Transaction, call: CallRow, { ending }: MediaEvent, nowMs: number): Promise<void> {
  if (!ending) return;
  if (call.status === 'ringing') {
    // The conversation never began: the call counts as not connected, without `call.completed`.
    const { hangup_by, hangup_reason, ended_at_ms } = ending;
    const status = endedByFailure(hangup_reason) ? 'failed' : 'canceled';
    await transitionCall(tx, call, status, { hangup_by, hangup_reason, ended_at: new Date(ended_at_ms) });
    return;
  }
  if (await finishCall(tx, call, ending)) await concludeCall(tx, call, nowMs);
  else await recordLateUsage(tx, call, ending);
}

async function endIsOnTimeline(tx: Transaction, { id }: CallRow): Promise<boolean> {
  const [event] = await tx`select from call_events where call_id = ${id} and type = 'call.ended' limit 1`;
  return event !== undefined;
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
