import { type AnsweredBy, endedByFault, type HangupBy } from '../../shared/call.ts';
import { noUsage, type ServedPart, type Usage } from '../../shared/usage.ts';
import type { Transaction } from '../db/connect.ts';
import { callInEvent } from './call-record.ts';
import type { CallRow } from './call-row.ts';
import { changeCall, moveCall } from './move.ts';
import { writeEvents } from './timeline.ts';

/** How a connected call ended. */
export interface Ending {
  hangup_by: HangupBy;
  hangup_reason: string;
  ended_at_ms: number;
  duration_seconds: number;
  avg_first_audio_ms: number | null;
  usage: Usage;
  recorded: boolean;
  /** Which provider and model served how much. */
  served: ServedPart[];
  /** Null when the engine does not know. */
  answered_by: AnsweredBy | null;
}

/**
 * The end of a connected call: `ended`, or `failed` when we broke it. The caller has written `call.ended`, or writes it
 * in the same transaction before this. False when the call is over already.
 */
export async function finishCall(tx: Transaction, call: CallRow, ending: Ending): Promise<boolean> {
  const { hangup_by, hangup_reason, ended_at_ms, avg_first_audio_ms, usage, recorded } = ending;
  return moveCall(tx, call, endedByFault(hangup_reason) ? 'failed' : 'ended', {
    hangup_by,
    hangup_reason,
    ended_at: new Date(ended_at_ms),
    duration_seconds: Math.ceil(ending.duration_seconds),
    avg_first_audio_ms,
    usage,
    recorded,
    served: ending.served,
    ...answerer(ending),
  });
}

/** What was known before stays where nothing better is told. */
export function answerer({ answered_by }: Ending): { answered_by?: AnsweredBy } {
  return answered_by === null ? {} : { answered_by };
}

/** The last step of a connected call: nothing of it changes any more, and `call.completed` tells all of it. */
export async function completeCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  const completed_at = new Date(nowMs);
  if (call.status === 'ended') await moveCall(tx, call, 'completed', { completed_at });
  else await changeCall(tx, call, { completed_at });
  await writeEvents(tx, call, [
    {
      type: 'call.completed',
      level: 'info',
      message: 'call completed',
      latency_ms: null,
      data: { call: callInEvent(call) },
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
  { hangup_by, hangup_reason, ended_at_ms }: Pick<Ending, 'hangup_by' | 'hangup_reason' | 'ended_at_ms'>,
  nowMs: number,
): Promise<boolean> {
  const duration_seconds = Math.max(0, ended_at_ms - (call.started_at?.getTime() ?? ended_at_ms)) / 1_000;
  const usage = noUsage();
  const ending: Ending = {
    hangup_by,
    hangup_reason,
    ended_at_ms,
    duration_seconds,
    avg_first_audio_ms: null,
    usage,
    recorded: false,
    served: [],
    answered_by: null,
  };
  if (!(await finishCall(tx, call, ending))) return false;
  await writeEvents(tx, call, [
    {
      type: 'call.ended',
      level: endedByFault(hangup_reason) ? 'error' : 'info',
      message: hangup_reason,
      latency_ms: null,
      data: { duration_seconds: call.duration_seconds, avg_first_audio_ms: null, usage },
      at_ms: nowMs,
    },
  ]);
  await completeCall(tx, call, nowMs);
  return true;
}
