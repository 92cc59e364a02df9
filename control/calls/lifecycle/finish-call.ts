import {
  type AnsweredBy,
  endedByFailure,
  type HangupBy,
  type HangupReason,
  isAllowedTransition,
} from '../../../shared/call.ts';
import { emptyUsage, type ProviderUsage, type Usage } from '../../../shared/usage.ts';
import { type AgentForCall, agentsOfCalls } from '../../agents/agent-for-call.ts';
import { checkRequest } from '../../alerts/request-check.ts';
import { type CallToCharge, chargeCalls } from '../../billing/charge-call.ts';
import { usageAsConfigured } from '../../billing/price-call.ts';
import { lockWallets, type WalletRow } from '../../billing/wallet.ts';
import type { Transaction } from '../../db/connect.ts';
import { enabledRules } from '../../guardrails/rules.ts';
import { insertAfterCallJobs } from '../after-call/after-call-jobs.ts';
import { afterCallPlan, extractedWithoutSpeech } from '../after-call/after-call-plan.ts';
import type { CallRow } from '../call-row.ts';
import { insertEvents, type NewEvent } from '../events/timeline.ts';
import { withUnchargedTransfer } from '../transfers/transfer-row.ts';
import { traceEndedCall } from './call-spans.ts';
import { dialDecided, wakeDispatcher } from './call-state-machine.ts';
import { completedColumns, completedEvent } from './complete-call.ts';
import { changeLiveCalls, moveChangedCalls } from './move-finished-calls.ts';

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

/** The end of a connected call, whose row is locked. */
export interface CallEnd {
  /** With the whole transcript. */
  call: CallRow;
  ending: Ending;
  /** Not on the timeline yet; the last one is `call.ended`. */
  events: readonly NewEvent[];
  /** How far its events are written, where that changes with its end. */
  readUpTo?: Pick<CallRow, 'media_seq' | 'media_stream_seq'>;
}

/** `failed` after a failure of the service. */
const statusAfter = ({ hangup_reason }: Ending) => (endedByFailure(hangup_reason) ? 'failed' : 'ended');

/** False for a call that is not connected, or has ended already. */
export const canFinish = ({ status }: CallRow, ending: Ending): boolean =>
  isAllowedTransition(status, statusAfter(ending));

/**
 * Ends and charges connected calls, and updates `call` of each: the status, the events, the charge. Then the call waits for its
 * processing, when it needs any, or for its transfer; every other call is completed at once, also one that failed, and moved. As many
 * statements as for one call.
 *
 * @param wallets of the calls' workspaces, locked after the calls' rows.
 * @param ends of different calls; `canFinish` is true of each.
 */
export async function finishCalls(
  tx: Transaction,
  wallets: ReadonlyMap<string, WalletRow>,
  ends: readonly CallEnd[],
  nowMs: number,
): Promise<void> {
  if (ends.length === 0) return;
  const calls = ends.map(({ call }) => call);
  const [agentOf, rules, transferred] = await Promise.all([
    agentsOfCalls(tx, calls),
    enabledRules(tx),
    withUnchargedTransfer(
      tx,
      calls.map(({ id }) => id),
    ),
  ]);
  const changes = ends.map(endedColumns);
  for (const [nth, call] of calls.entries()) Object.assign(call, changes[nth]);
  const charges = await chargeCalls(
    tx,
    wallets,
    ends.map((end) => callToCharge(end, agentOf(end.call))),
  );

  const waiting: CallRow[] = [];
  const toProcess: CallRow[] = [];
  const completed: { id: string; last: Partial<CallRow> }[] = [];
  const timelines = ends.map(({ call, events }, nth) => {
    const { cost_breakdown, ...cost } = charges[nth]!;
    const agent = agentOf(call)?.config;
    const last: Partial<CallRow> = { ...changes[nth], ...cost, cost_breakdown: { ...cost_breakdown } };
    const isProcessed = agent !== undefined && call.status === 'ended' && afterCallPlan(call, agent, rules) !== null;
    const extracted = agent && call.status === 'ended' ? extractedWithoutSpeech(call, agent) : null;
    if (extracted) last.extracted = extracted;
    const timeline = { call: { ...call }, events: [...events] };
    if (isProcessed || transferred.has(call.id)) {
      Object.assign(call, last);
      waiting.push(call);
      if (isProcessed) toProcess.push(call);
    } else {
      Object.assign(last, completedColumns(call, nowMs));
      Object.assign(call, last, { finished: true });
      timeline.events.push(completedEvent(call, nowMs));
      completed.push({ id: call.id, last });
    }
    call.event_seq += timeline.events.length;
    last.event_seq = call.event_seq;
    return timeline;
  });
  const endedMs = Math.min(...ends.map(({ ending }) => ending.ended_at_ms));
  const workspaceIds = [...new Set(calls.map(({ workspace_id }) => workspace_id))];
  // Before the rows: what is counted of a call is read from its timeline.
  await insertEvents(tx, timelines);
  await Promise.all([
    moveChangedCalls(tx, completed),
    changeLiveCalls(tx, waiting, ENDED_COLUMNS),
    insertAfterCallJobs(tx, toProcess, nowMs),
    checkRequest(tx, workspaceIds, 'calls', endedMs),
  ]);
  for (const workspaceId of workspaceIds) await wakeDispatcher(tx, workspaceId);
  for (const call of calls) traceEndedCall(tx, call);
}

/** What changes of a call with its end, besides what it costs. */
function endedColumns({ call, ending, readUpTo = call }: CallEnd) {
  const { hangup_by, hangup_reason, ended_at_ms, avg_first_audio_ms, usage, recorded, provider_usage } = ending;
  const { media_seq, media_stream_seq } = readUpTo;
  return {
    status: statusAfter(ending),
    hangup_by,
    hangup_reason,
    ended_at: new Date(ended_at_ms),
    duration_seconds: Math.ceil(ending.duration_seconds),
    avg_first_audio_ms,
    usage,
    recorded: recorded ?? false,
    recording_unknown: recorded === null,
    provider_usage,
    media_seq,
    media_stream_seq,
    ...answeredByChange(ending),
    ...dialDecided(call),
  } satisfies Partial<CallRow>;
}

/** What may differ from the row of a call that has ended and waits. */
const ENDED_COLUMNS = [
  ...(['status', 'hangup_by', 'hangup_reason', 'ended_at', 'duration_seconds', 'avg_first_audio_ms', 'usage'] as const),
  ...(['recorded', 'recording_unknown', 'provider_usage', 'media_seq', 'media_stream_seq', 'answered_by'] as const),
  ...(['dial_state', 'dial_due_at', 'cost_paise', 'cost_breakdown', 'plan_seconds_covered', 'extracted'] as const),
  'event_seq',
] as const;

/** Keeps the known value when the engine does not know. */
export function answeredByChange({ answered_by }: Ending): { answered_by?: AnsweredBy } {
  return answered_by === null ? {} : { answered_by };
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
  if (!canFinish(call, ending)) return false;
  const ended: NewEvent = {
    type: 'call.ended',
    level: endedByFailure(hangup_reason) ? 'error' : 'info',
    message: hangup_reason,
    latency_ms: null,
    data: { hangup_by, duration_seconds: Math.ceil(duration_seconds), avg_first_audio_ms: null, usage },
    at_ms: nowMs,
  };
  const wallets = await lockWallets(tx, [call.workspace_id]);
  await finishCalls(tx, wallets, [{ call, ending, events: [ended] }], nowMs);
  return true;
}

function callToCharge({ call, ending }: CallEnd, agent: AgentForCall | null): CallToCharge {
  const { workspace_id, id, channel, provider, duration_seconds, status, agent_name, started_by } = call;
  return {
    workspace_id,
    call_id: id,
    channel,
    carrier: provider,
    duration_seconds,
    provider_usage: providerUsageOf(call, agent),
    failed: status === 'failed',
    note: `call with ${agent_name}`,
    by_name: started_by,
    at_ms: ending.ended_at_ms,
  };
}

/** As the engine reported it; for an engine that reports totals only, by the agent's configuration. */
function providerUsageOf({ provider_usage, usage }: CallRow, agent: AgentForCall | null): ProviderUsage[] {
  const consumed = usage && (usage.stt_seconds > 0 || usage.tts_characters > 0 || usage.llm_input_tokens > 0);
  return provider_usage.length > 0 || !consumed || !agent ? provider_usage : usageAsConfigured(usage, agent.config);
}
