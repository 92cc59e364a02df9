import type { AgentConfig } from '../../../shared/agent.ts';
import type { CallVariables } from '../../../shared/reply/shaped-result.ts';
import { agentOfCall } from '../../agents/agent-for-call.ts';
import { type Analytics, emptyExtraction, hasAnalytics } from '../../analysis/analyse-call.ts';
import type { AnalysedCall } from '../../analysis/call-record-prompt.ts';
import type { AnySql, Transaction } from '../../db/connect.ts';
import { enabledRules, type RuleRow } from '../../guardrails/rules.ts';
import type { CallRow } from '../call-row.ts';
import { dataOfEnd } from '../store.ts';

/** The processing that an ended call needs, by the agent's present configuration, or that of the running canary it was placed with. */
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
  if (call.transcript.length === 0) return null;
  const agent = await agentOfCall(tx, call);
  return agent && afterCallPlan(call, agent.config, await enabledRules(tx));
}

/** The same by the configuration of the call's agent and the rules in force. */
export function afterCallPlan(call: CallRow, agent: AgentConfig, rules: RuleRow[]): AfterCallPlan | null {
  if (call.transcript.length === 0) return null;
  const analytics = hasAnalytics(agent.analytics) ? agent.analytics : null;
  // Not where the agent booked one itself, in a browser call (no number), or when a machine answered (its greeting asks everyone to call back).
  const isPossible = call.rescheduled_to === null && call.channel === 'phone' && call.answered_by !== 'machine';
  const checkCallback = agent.call.auto_reschedule && isPossible;
  return analytics || checkCallback || rules.length > 0 ? { agent, analytics, checkCallback, rules } : null;
}

/** Null for every declared key of a call without speech; null when nothing is declared. */
export function extractedWithoutSpeech(call: CallRow, { analytics }: AgentConfig): Record<string, null> | null {
  return call.transcript.length === 0 && analytics.extractions.length > 0 ? emptyExtraction(analytics) : null;
}

/** The call as the language model is shown it. */
export async function analysedCallOf(sql: AnySql, call: CallRow, timezone: string): Promise<AnalysedCall> {
  return {
    variables: await finalVariables(sql, call),
    transcript: call.transcript,
    started_at_ms: (call.started_at ?? call.created_at).getTime(),
    timezone,
  };
}

/** The variables of a call at its end: as it began with them, and as tools and live control have set them since. */
async function finalVariables(sql: AnySql, { workspace_id, id, user_data }: CallRow): Promise<CallVariables> {
  const data = await dataOfEnd(sql, workspace_id, id);
  const set = Object.entries(data?.variables ?? {}).filter(([, value]) => SCALARS.has(typeof value));
  return { ...user_data, ...Object.fromEntries(set) };
}

const SCALARS = new Set<string>(['string', 'number', 'boolean']);
