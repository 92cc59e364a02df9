import type { HangupReason } from '../../../shared/call.ts';
import type { CarrierName } from '../../../shared/carriers/registry.ts';
import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { Logger } from '../../../shared/log.ts';
import { maskNumber } from '../../../shared/phone.ts';
import { agentForNewCall } from '../../agents/agent-for-call.ts';
import { canPlaceCalls } from '../../billing/wallet.ts';
import type { CarrierCallback } from '../../carriers/callback.ts';
import type { Sql, Transaction } from '../../db/connect.ts';
import { ownerOfNumber } from '../../numbers/number-lookups.ts';
import { type LockedWorkspace, lockWorkspace } from '../../workspaces/lock-workspace.ts';
import type { EngineRegistry } from '../engines/engine-registry.ts';
import type { StreamUrl } from '../engines/stream-urls.ts';
import { writeEvents } from '../events/timeline.ts';
import { hasFreeSlot } from '../queue/call-concurrency.ts';
import { insertCall, lockCallOfCarrier, type NewCall } from '../store.ts';
import { moveFinishedCall } from './move-finished-calls.ts';

export interface InboundCallDeps {
  sql: Sql;
  clock: Clock;
  log: Logger;
  streamUrl: StreamUrl;
  engines: Pick<EngineRegistry, 'headroom'>;
}

/**
 * Accepts a call to a number of a workspace and returns its stream URL, or null to reject it as busy. A call that its workspace
 * cannot take is stored as `failed`; one to an unassigned number is only logged. A repeated request for the same call gets the
 * same call.
 */
export async function handleInboundCall(
  { sql, clock, log, streamUrl, engines }: InboundCallDeps,
  provider: CarrierName,
  { provider_call_id, from_number, to_number }: CarrierCallback,
): Promise<string | null> {
  if (provider_call_id === '') return null;
  const owner = await ownerOfNumber(sql, provider, to_number);
  if (!owner) {
    log.warn({ provider, number: maskNumber(to_number) }, 'inbound call to an unassigned number rejected');
    return null;
  }
  const { workspace_id, agent_id } = owner;
  return sql.begin(async (tx) => {
    const workspace = await lockWorkspace(tx, workspace_id);
    if (!workspace) return null;
    const known = await lockCallOfCarrier(tx, provider, provider_call_id);
    if (known) {
      const waits = known.direction === 'inbound' && known.status === 'ringing' && known.media_nonce === null;
      return waits ? streamUrl(provider, known.id) : null;
    }

    const nowMs = clock.wall();
    const id = newId(nowMs);
    const agent = agent_id === null ? null : await agentForNewCall(tx, workspace_id, agent_id, id);
    const available = workspace.state === 'active' && agent?.status === 'active';
    const refusal = available ? await refusalOf(tx, workspace, engines) : 'agent not available';

    const now = new Date(nowMs);
    const call: NewCall = {
      workspace_id,
      id,
      agent_id,
      agent_name: agent?.name ?? '',
      agent_version: agent?.version ?? 0,
      direction: 'inbound',
      channel: 'phone',
      status: 'ringing',
      from_number,
      to_number,
      user_data: {},
      started_by: '',
      provider,
      provider_call_id,
      created_at: now,
      not_before_at: null,
      queued_at: now,
      ringing_at: now,
      currency: workspace.currency,
    };
    if (refusal === null) {
      await insertCall(tx, call);
      return streamUrl(provider, call.id);
    }
    const hangup_by = 'service';
    const end = { ended_at: now, hangup_by, hangup_reason: refusal } as const;
    const rejected = await insertCall(tx, { ...call, status: 'failed', ...end });
    await writeEvents(tx, rejected, [
      { type: 'call.ended', level: 'warning', message: refusal, latency_ms: null, data: { hangup_by }, at_ms: nowMs },
    ]);
    await moveFinishedCall(tx, rejected);
    return null;
  });
}

async function refusalOf(
  tx: Transaction,
  workspace: LockedWorkspace,
  engines: Pick<EngineRegistry, 'headroom'>,
): Promise<HangupReason | null> {
  if (engines.headroom() < 1 || !(await hasFreeSlot(tx, workspace))) return 'all call slots are busy';
  return (await canPlaceCalls(tx, workspace.id)) ? null : 'out of credits';
}
