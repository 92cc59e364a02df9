import { type AnsweredBy, endedByFailure, type HangupBy } from '../../../shared/call.ts';
import { emptyUsage, type ProviderUsage, type Usage } from '../../../shared/usage.ts';
import type { Transaction } from '../../db/connect.ts';
import { insertAfterCallJob } from '../after-call/after-call-jobs.ts';
import { extractedWithoutSpeech, planAfterCall } from '../after-call/after-call-plan.ts';
import { callEventData } from '../call-record.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { changeCall, transitionCall } from './call-state-machine.ts';
import { chargeEndedCall } from './charge-ended-call.ts';

/** How a connected call ended. */
export interface Ending {
  hangup_by: HangupBy;
  hangup_reason: string;
  ended_at_ms: number;
  duration_seconds: number;
  avg_first_audio_ms: number | null;
  usage: Usage;
  /** Null when the engine did not tell: it is looked up in the store then (`keep-recordings.ts`). */
  recorded: boolean | null;
  /** Which provider and model served how much. */
  provider_usage: ProviderUsage[];
  /** Null when the engine does not know. */
  answered_by: AnsweredBy | null;
}

/**
 * The end of a connected call: `ended`, or `failed` when we broke it. The caller has written `call.ended`, or writes it
 * in the same transaction before this. Charged in it too, once. False when the call is over already.
 */
export async function finishCall(tx: Transaction, call: CallRow, ending: Ending): Promise<boolean> {
  const { hangup_by, hangup_reason, ended_at_ms, avg_first_audio_ms, usage, recorded } = ending;
  const moved = await transitionCall(tx, call, endedByFailure(hangup_reason) ? 'failed' : 'ended', {
    hangup_by,
    hangup_reason,
    ended_at: new Date(ended_at_ms),
    duration_seconds: Math.ceil(ending.duration_seconds),
    avg_first_audio_ms,
    usage,
    recorded: recorded ?? false,
    recording_unknown: recorded === null,
    provider_usage: ending.provider_usage,
    ...answeredByChange(ending),
  });
  if (moved) await chargeEndedCall(tx, call, ended_at_ms);
  return moved;
}

/** What was known before stays where nothing better is told. */
export function answeredByChange({ answered_by }: Ending): { answered_by?: AnsweredBy } {
  return answered_by === null ? {} : { answered_by };
}

/**
 * Behind `ended`: a call after which something is to be done completes when that is done, every other one at once; so does one that
 * we broke.
 */
export async function concludeCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  if (call.status === 'ended' && (await planAfterCall(tx, call))) {
    await insertAfterCallJob(tx, call, nowMs);
    return;
  }
  const extracted = call.status === 'ended' ? await extractedWithoutSpeech(tx, call) : null;
  if (extracted) await changeCall(tx, call, { extracted });
  await completeCall(tx, call, nowMs);
}

/** The last step of a connected call: nothing of it changes any more, and `call.completed` tells all of it. */
export async function completeCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  const completed_at = new Date(nowMs);
  if (call.status === 'ended') await transitionCall(tx, call, 'completed', { completed_at });
  else await changeCall(tx, call, { completed_at });
  await writeEvents(tx, call, [
    {
      type: 'call.completed',
      level: 'info',
      message: 'call completed',
      latency_ms: null,
      data: { call: callEventData(call) },
      at_ms: nowMs,
    },
  ]);
}

/**
 * Ends a connected call whose engine does not tell its end: `call.ended`, the status, `call.completed`. What was
 * consumed is not known; should the engine still tell, `ingest.ts` adds it.
 */
export async function finishWithoutEngine(
  tx: Transaction,
  call: CallRow,
  {
    hangup_by,
    hangup_reason,
    ended_at_ms,
    recorded = null,
  }: Pick<Ending, 'hangup_by' | 'hangup_reason' | 'ended_at_ms'> & Partial<Pick<Ending, 'recorded'>>,
  nowMs: number,
): Promise<boolean> {
  const duration_seconds = Math.max(0, ended_at_ms - (call.started_at?.getTime() ?? ended_at_ms)) / 1_000;
  const usage = emptyUsage();
  const ending: Ending = {
    hangup_by,
    hangup_reason,
    ended_at_ms,
    duration_seconds,
    avg_first_audio_ms: null,
    usage,
    recorded,
    provider_usage: [],
    answered_by: null,
  };
  if (!(await finishCall(tx, call, ending))) return false;
  await writeEvents(tx, call, [
    {
      type: 'call.ended',
      level: endedByFailure(hangup_reason) ? 'error' : 'info',
      message: hangup_reason,
      latency_ms: null,
      data: { duration_seconds: call.duration_seconds, avg_first_audio_ms: null, usage },
      at_ms: nowMs,
    },
  ]);
  await concludeCall(tx, call, nowMs);
  return true;
}
