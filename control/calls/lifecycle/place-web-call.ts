import type { Clock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import type { STREAM_PROVIDER } from '../../../shared/stream-messages.ts';
import { agentForNewCall, requireActive } from '../../agents/agent-for-call.ts';
import { writeAudit } from '../../audit/write-audit.ts';
import { canPlaceCalls } from '../../billing/wallet.ts';
import type { AnySql, Sql } from '../../db/connect.ts';
import type { Actor } from '../../http/authenticate.ts';
import { conflict, notFound, outOfCredits } from '../../http/errors.ts';
import { lockWorkspace } from '../../workspaces/lock-workspace.ts';
import type { CallRow, UserData } from '../call-row.ts';
import type { EngineRegistry } from '../engines/engine-registry.ts';
import { hasFreeSlot } from '../queue/call-concurrency.ts';
import { insertCall } from '../store.ts';

export interface WebCallRequest {
  workspace_id: string;
  agent_id: string;
  user_data: UserData;
  /** Empty from a browser. */
  provider: typeof STREAM_PROVIDER | '';
  /** Its name becomes `started_by`: a person, or a key's label. */
  actor: Actor;
  /** Marks the idempotent request as carried out, in the transaction of the call. */
  markCarriedOut?: (tx: AnySql) => Promise<void>;
}

export interface WebCallDeps {
  sql: Sql;
  clock: Clock;
  engines: Pick<EngineRegistry, 'headroom'>;
}

/**
 * Creates a call from a browser or over a client's stream. It takes its slot at once, under the workspace's lock, and rings until
 * audio arrives. Its direction is `inbound`: the agent greets and does not detect answering machines. The timeline begins with the
 * engine's `call.started`.
 *
 * @throws HttpError in this order: 404 agent, 409 paused or frozen, 409 no slot or no engine with headroom, 402 no credits.
 */
export async function placeWebCall({ sql, clock, engines }: WebCallDeps, request: WebCallRequest): Promise<CallRow> {
  const { workspace_id, agent_id, user_data, provider, actor } = request;
  return sql.begin(async (tx) => {
    const workspace = await lockWorkspace(tx, workspace_id);
    const nowMs = clock.wall();
    const id = newId(nowMs);
    const agent = workspace && (await agentForNewCall(tx, workspace_id, agent_id, id));
    if (!agent) throw notFound('agent');
    requireActive(agent);
    if (engines.headroom() < 1 || !(await hasFreeSlot(tx, workspace))) throw conflict('all call slots are busy');
    if (!(await canPlaceCalls(tx, workspace_id))) throw outOfCredits();

    const now = new Date(nowMs);
    const call = await insertCall(tx, {
      workspace_id,
      id,
      agent_id,
      agent_name: agent.name,
      agent_version: agent.version,
      direction: 'inbound',
      channel: 'web',
      status: 'ringing',
      from_number: '',
      to_number: '',
      user_data,
      started_by: actor.name,
      provider,
      created_at: now,
      not_before_at: null,
      queued_at: now,
      ringing_at: now,
      currency: workspace.currency,
    });
    const target = { kind: 'call', id: call.id, name: '' };
    await writeAudit(tx, { workspace_id, actor, action: 'call.placed', target, data: { agent_id }, at_ms: nowMs });
    await request.markCarriedOut?.(tx);
    return call;
  });
}
