import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';

/** An agent that broke a guardrail is frozen until the incident is dismissed or the operator unfreezes it. */

export async function countFrozenAgents(sql: AnySql, workspaceId: string): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from agents where workspace_id = ${workspaceId} and status = 'frozen'`;
  return row!.count;
}

export interface Freezing {
  workspace_id: string;
  agent_id: string;
  incident_id: string;
  /** The rule's name. */
  reason: string;
  at_ms: number;
}

const GUARDRAILS: Actor = { kind: 'service', id: 'guardrails', name: 'guardrails' };

/** Freezes an agent: its queued calls wait, and it can still be edited. False when it is missing or frozen already. */
export async function freezeAgent(tx: Transaction, freezing: Freezing): Promise<boolean> {
  const { workspace_id, agent_id, incident_id, reason, at_ms } = freezing;
  const [agent] = await tx<{ name: string; status: string }[]>`
    select name, status from agents where workspace_id = ${workspace_id} and id = ${agent_id} for no key update`;
  if (!agent || agent.status === 'frozen') return false;
  await tx`
    update agents set status = 'frozen', frozen_at = ${new Date(at_ms)}, frozen_reason = ${reason},
      frozen_incident_id = ${incident_id}, frozen_from = ${agent.status}
    where workspace_id = ${workspace_id} and id = ${agent_id}`;
  await writeAudit(tx, {
    workspace_id,
    actor: GUARDRAILS,
    action: 'agent.frozen',
    target: { kind: 'agent', id: agent_id, name: agent.name },
    changes: { status: [agent.status, 'frozen'] },
    data: { incident_id },
    at_ms,
  });
  return true;
}

export interface Unfreezing {
  workspace_id: string;
  agent_id: string;
  /** Unfreezes only what this incident froze; missing: whatever froze it. */
  incident_id?: string;
  actor: Actor;
  at_ms: number;
}

/** Restores the status from before the freeze. False when the agent is missing, not frozen, or frozen by another incident. */
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
