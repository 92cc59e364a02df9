import type { ProviderUsage } from '../../../shared/usage.ts';
import { agentForCall } from '../../agents/agent-for-call.ts';
import { chargeCall } from '../../billing/charge-call.ts';
import { usageAsConfigured } from '../../billing/price-call.ts';
import type { Transaction } from '../../db/connect.ts';
import type { CallRow } from '../call-row.ts';
import { changeCall } from './call-state-machine.ts';

/** Charges a connected call that has just ended, in the same transaction, and writes the cost into its record. */
export async function chargeEndedCall(tx: Transaction, call: CallRow, endedAtMs: number): Promise<void> {
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
  await changeCall(tx, call, { ...charge, cost_breakdown: { ...charge.cost_breakdown } });
}

/** As the engine told it; an engine that only counted is taken to have used what the agent is set to. */
async function providerUsageOf(
  tx: Transaction,
  { workspace_id, agent_id, provider_usage: served, usage }: CallRow,
): Promise<ProviderUsage[]> {
  const consumed = usage && (usage.stt_seconds > 0 || usage.tts_characters > 0 || usage.llm_input_tokens > 0);
  if (served.length > 0 || !consumed || agent_id === null) return served;
  const agent = await agentForCall(tx, workspace_id, agent_id);
  return agent ? usageAsConfigured(usage, agent.config) : served;
}
