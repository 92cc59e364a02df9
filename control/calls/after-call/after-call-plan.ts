import type { AgentConfig } from '../../../shared/agent.ts';
import { agentForCall } from '../../agents/agent-for-call.ts';
import { type Analytics, emptyExtraction, hasAnalytics } from '../../analysis/analyse-call.ts';
import type { AnalysedCall } from '../../analysis/call-record-prompt.ts';
import type { AnySql, Transaction } from '../../db/connect.ts';
import { enabledRules, type RuleRow } from '../../guardrails/rules.ts';
import type { CallRow } from '../call-row.ts';

/** The processing that an ended call needs, by the agent's present configuration. */
export interface AfterCallPlan {
  agent: AgentConfig;
  /** Null when the agent has no analytics. */
  analytics: Analytics | null;
  /** Look for a requested callback. */
  checkCallback: boolean;
  rules: RuleRow[];
}

/** Null when nothing is to be done. */
export async function planAfterCall(tx: Transaction, call: CallRow): Promise<AfterCallPlan | null> {
  const { workspace_id, agent_id, transcript } = call;
  if (agent_id === null || transcript.length === 0) return null;
  const agent = await agentForCall(tx, workspace_id, agent_id);
  if (!agent) return null;
  const { config } = agent;
  const analytics = hasAnalytics(config.analytics) ? config.analytics : null;
  // Not where the agent booked one itself, in a browser call (no number), or when a machine answered (its greeting asks everyone to call back).
  const isPossible = call.rescheduled_to === null && call.channel === 'phone' && call.answered_by !== 'machine';
  const callback = config.call.auto_reschedule && isPossible;
  const rules = await enabledRules(tx);
  return analytics || callback || rules.length > 0
    ? { agent: config, analytics, checkCallback: callback, rules }
    : null;
}

/** Null for every declared key of a call without speech; null when nothing is declared. */
export async function extractedWithoutSpeech(sql: AnySql, call: CallRow): Promise<Record<string, null> | null> {
  const { workspace_id, agent_id } = call;
  if (agent_id === null || call.transcript.length > 0) return null;
  const [row] = await sql<{ analytics: Analytics }[]>`
    select analytics from agents where workspace_id = ${workspace_id} and id = ${agent_id}`;
  return row && row.analytics.extractions.length > 0 ? emptyExtraction(row.analytics) : null;
}

/** The call as the language model is shown it. */
export function analysedCallOf(call: CallRow, timezone: string): AnalysedCall {
  return {
    transcript: call.transcript,
    started_at_ms: (call.started_at ?? call.created_at).getTime(),
    timezone,
  };
}
