import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';

/** An agent that broke the guardrails is frozen until the incident is dismissed, or the service's team lifts it. */

export async function countFrozenAgents(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from agents where workspace_id = ${workspaceId} and status = 'frozen'`;
  return row!.count;
}

export interface Unfreezing {
  workspace_id: string;
  agent_id: string;
  /** Only when this incident froze it; left out: whatever did. */
  incident_id?: string;
  actor: Actor;
  at_ms: number;
}

/** Puts the agent back into the state it was frozen in. False when it is not there, not frozen, or frozen by something else. */
export async function unfreezeAgent(tx: Transaction, unfreezing: Unfreezing): Promise<boolean> {
  const { workspace_id, agent_id, incident_id, actor, at_ms } = unfreezing;
  const [agent] = await tx<{ name: string; status: string; frozen_incident_id: string; frozen_from: string }[]>`
    select name, status, frozen_incident_id, frozen_from from agents
    where workspace_id = ${workspace_id} and id = ${agent_id} for update`;
  if (agent?.status !== 'frozen') return false;
  if (incident_id !== undefined && agent.frozen_incident_id !== incident_id) return false;
  const status = agent.frozen_from === 'paused' ? 'paused' : 'active';
  await tx`
    update agents set status = ${status}, frozen_at = null, frozen_reason = '', frozen_incident_id = '', frozen_from = ''
    where workspace_id = ${workspace_id} and id = ${agent_id}`;
  await writeAudit(tx, {
    workspace_id,
    actor,
    action: 'agent.unfrozen',
    target: { kind: 'agent', id: agent_id, name: agent.name },
    changes: { status: ['frozen', status] },
    at_ms,
  });
  return true;
}
