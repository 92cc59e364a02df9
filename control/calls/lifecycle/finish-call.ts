import {
  type AnsweredBy,
  endedByFailure,
  type HangupBy,
  type HangupReason,
  isAllowedTransition,
  isOver,
} from '../../../shared/call.ts';
import { emptyUsage, type ProviderUsage, type Usage } from '../../../shared/usage.ts';
import { agentForCall } from '../../agents/agent-for-call.ts';
import { chargeCall } from '../../billing/charge-call.ts';
import { usageAsConfigured } from '../../billing/price-call.ts';
import type { Transaction } from '../../db/connect.ts';
import { hasAfterCallJob, insertAfterCallJob } from '../after-call/after-call-jobs.ts';
import { extractedWithoutSpeech, planAfterCall } from '../after-call/after-call-plan.ts';
import { callEventData } from '../call-record.ts';
import type { CallRow } from '../call-row.ts';
import { writeEvents } from '../events/timeline.ts';
import { hasUnchargedTransfer } from '../transfers/transfer-row.ts';
import { type CallChange, changeCall, transitionCall } from './call-state-machine.ts';
import { moveFinishedCall } from './move-finished-calls.ts';

/** How a connected call ended. */
export interface Ending {
  hangup_by: HangupBy;
  hangup_reason: HangupReason;
  ended_at_ms: number;
  duration_seconds: number;
  avg_first_audio_ms: number | null;
  usage: Usage;
  /** Null when the engine did not report it: it is then looked up in the store (`recording-retention.ts`). */
  recorded: boolean | null;
  /** What each provider and model consumed. */
  provider_usage: ProviderUsage[];
  /** Null when the engine does not know. */
  answered_by: AnsweredBy | null;
}

/**
 * Ends and charges a connected call: `ended`, or `failed` after a failure of the service. `call.ended` is written by the caller, in
 * the same transaction. False when the call has ended already.
 *
 * @param readUpTo how far its events are written, where that changes with its end.
 */
export async function finishCall(
  tx: Transaction,
  call: CallRow,
  ending: Ending,
  readUpTo: Partial<Pick<CallRow, 'media_seq' | 'media_stream_seq'>> = {},
): Promise<boolean> {
  const { hangup_by, hangup_reason, ended_at_ms, avg_first_audio_ms, usage, recorded } = ending;
  const status = endedByFailure(hangup_reason) ? 'failed' : 'ended';
  if (!isAllowedTransition(call.status, status)) return false;
  const end = {
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
    ...readUpTo,
  };
  const cost = await chargeEnded(tx, { ...call, ...end, status }, ended_at_ms);
  return transitionCall(tx, call, status, { ...end, ...cost });
}

/** Keeps the known value when the engine does not know. */
export function answeredByChange({ answered_by }: Ending): { answered_by?: AnsweredBy } {
  return answered_by === null ? {} : { answered_by };
}

/**
 * Follows `call.ended`: queues the post-call processing when the call needs any, and completes every other call at once, also one
 * that failed.
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

/**
 * Completes a connected call: its record is final, and `call.completed` carries all of it. A call with a transfer whose legs are
 * not charged yet stays as it is; `completeTransferredCall` completes it after that.
 */
export async function completeCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  if (await hasUnchargedTransfer(tx, call.id)) return;
  // Written when the row is moved.
  const last = { completed_at: new Date(nowMs), ...(call.status === 'ended' ? { status: 'completed' as const } : {}) };
  Object.assign(call, last);
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
  await moveFinishedCall(tx, call, last);
}

/** Completes a call that waited for its transfer only; the caller has settled or charged one. */
export async function completeTransferredCall(tx: Transaction, call: CallRow, nowMs: number): Promise<void> {
  if (!isOver(call.status) || call.started_at === null || call.completed_at !== null) return;
  if (!(await hasAfterCallJob(tx, call.id))) await completeCall(tx, call, nowMs);
}

/**
 * Ends a connected call whose engine does not report the end: `call.ended`, the status, `call.completed`. The usage is unknown;
 * `apply-media-events.ts` adds it if the engine still reports it.
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
      data: { hangup_by, duration_seconds: call.duration_seconds, avg_first_audio_ms: null, usage },
      at_ms: nowMs,
    },
  ]);
  await concludeCall(tx, call, nowMs);
  return true;
}

/** Charges a call in the transaction that ends it. Returns the cost, for its record. */
async function chargeEnded(tx: Transaction, call: CallRow, endedAtMs: number): Promise<CallChange> {
  const { workspace_id, id, channel, provider, duration_seconds, status, agent_name, started_by } = call;
  const charge = await chargeCall(
    tx,
    {
      workspace_id,
      call_id: id,
      channel,
      carrier: provider,
      duration_seconds,
      provider_usage: await providerUsageOf(tx, call),
      failed: status === 'failed',
      note: `call with ${agent_name}`,
      by_name: started_by,
    },
    endedAtMs,
  );
  return { ...charge, cost_breakdown: { ...charge.cost_breakdown } };
}

/** As the engine reported it; for an engine that reports totals only, by the agent's configuration. */
async function providerUsageOf(
  tx: Transaction,
  { workspace_id, agent_id, provider_usage, usage }: CallRow,
): Promise<ProviderUsage[]> {
  const consumed = usage && (usage.stt_seconds > 0 || usage.tts_characters > 0 || usage.llm_input_tokens > 0);
  if (provider_usage.length > 0 || !consumed || agent_id === null) return provider_usage;
  const agent = await agentForCall(tx, workspace_id, agent_id);
  return agent ? usageAsConfigured(usage, agent.config) : provider_usage;
}
