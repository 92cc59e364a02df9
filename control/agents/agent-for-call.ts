import type { AgentConfig } from '../../shared/agent.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import { conflict } from '../http/errors.ts';
import type { AgentRow } from './agent-record.ts';
import { isInShare } from './canary-share.ts';
import {
  type CallColumns,
  type CanarySettings,
  canariesOfCalls,
  canaryConfigOf,
  findCanaryWithSettings,
  type PlacedCallOfAgent,
} from './canary-store.ts';
import { isCaptured } from './capture-setting.ts';
import { agentAsJson, lockAgentShared, lockAgentsShared } from './store.ts';

/** An agent as a call needs it. */
export interface AgentForCall {
  id: string;
  name: string;
  /** The one in use, or its canary's. */
  version: number;
  status: 'active' | 'paused' | 'frozen';
  /** The first number connected to it, or empty. */
  phone_number: string;
  /** As given to the engine; its `status` is `paused` for a frozen agent. */
  config: AgentConfig;
}

/** Reads the agent in use and keeps it from being deleted until the transaction ends; null when there is none. */
export async function agentForCall(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
): Promise<AgentForCall | null> {
  const row = await lockAgentShared(tx, workspaceId, agentId);
  return row && agentOf(row);
}

/** The same for a call that is about to be made with this id: it may belong to the share of the agent's canary. */
export async function agentForNewCall(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
  callId: string,
): Promise<AgentForCall | null> {
  const row = await lockAgentShared(tx, workspaceId, agentId);
  const canary = row && (await findCanaryWithSettings(tx, workspaceId, agentId));
  return row && agentOf(row, canary && isInShare(agentId, callId, canary.percent) ? canary : null);
}

/** The same for a call that was made: with the canary's settings while it runs, where the call was placed with it. */
export async function agentOfCall(tx: Transaction, call: PlacedCallOfAgent): Promise<AgentForCall | null> {
  return (await agentsOfCalls(tx, [call]))(call);
}

/** The same of several calls; the function returned finds a call's. */
export async function agentsOfCalls(
  tx: Transaction,
  calls: readonly PlacedCallOfAgent[],
): Promise<(call: PlacedCallOfAgent) => AgentForCall | null> {
  const ofAgents = calls.filter(({ agent_id }) => agent_id !== null);
  if (ofAgents.length === 0) return () => null;
  const nameOf = ({ workspace_id, agent_id }: PlacedCallOfAgent) => `${workspace_id} ${agent_id}`;
  const [rows, canaries] = await Promise.all([
    lockAgentsShared(tx, [...new Set(ofAgents.map(nameOf))]),
    canariesOfCalls(tx, ofAgents),
  ]);
  return (call) => {
    const row = rows.get(nameOf(call));
    return row ? agentOf(row, canaries.get(call.id)) : null;
  };
}

/** The call's agent as columns of a statement that reads the call, for `agentFromColumns`; it may be deleted meanwhile. */
export const agentColumns = (sql: AnySql, call: CallColumns) => sql`
  ${agentAsJson(sql, call.workspace_id, call.agent_id)} as agent, ${isCaptured(sql, call.workspace_id, call.agent_id)} as captured,
  ${canaryConfigOf(sql, call)} as canary_config`;

export interface AgentColumns {
  /** As JSON has it. */
  agent: AgentRow | null;
  /** Whether its calls are captured. */
  captured: boolean | null;
  /** Of the running canary that the call was placed with. */
  canary_config: AgentConfig | null;
}

export const agentFromColumns = ({
  agent,
  canary_config: config,
  agent_version: version,
}: AgentColumns & Pick<PlacedCallOfAgent, 'agent_version'>): AgentForCall | null =>
  agent && agentOf(agent, config && { version, config });

/**
 * Keeps the agent from being deleted until the transaction ends, as a part of a statement; it has no row when there is no such agent.
 */
export const agentLockedShared = (sql: AnySql, workspaceId: string, agentId: string) => sql`
  select id from agents where workspace_id = ${workspaceId} and id = ${agentId} for key share`;

function agentOf(row: AgentRow, canary: CanarySettings | null = null): AgentForCall {
  const { id, name, status, phone_number } = row;
  const inUse = configOf(row);
  if (!canary) return { id, name, version: row.version, status, phone_number, config: inUse };
  return { id, name, version: canary.version, status, phone_number, config: canaryConfig(inUse, canary) };
}

/** What the agent is known by, and where its webhooks go, is the same for all its calls. */
function canaryConfig({ name, status, webhook_url, avatar }: AgentConfig, { config }: CanarySettings): AgentConfig {
  return { ...config, name, status, webhook_url, avatar };
}

/** @throws HttpError 409 for an agent that is paused or frozen and so takes no calls. */
export function requireActive({ status }: Pick<AgentForCall, 'status'>): void {
  if (status !== 'active') throw conflict(`the agent is ${status}`);
}

/** The configuration without the rest of the row, in the order of the specification. */
export function configOf(row: AgentRow): AgentConfig {
  return {
    name: row.name,
    welcome_message: row.welcome_message,
    system_prompt: row.system_prompt,
    llm: row.llm,
    voice: row.voice,
    transcriber: row.transcriber,
    call: row.call,
    analytics: row.analytics,
    tools: row.tools,
    mcp_servers: row.mcp_servers,
    knowledge_base_ids: row.knowledge_base_ids,
    knowledge_mode: row.knowledge_mode,
    webhook_url: row.webhook_url,
    status: row.status === 'active' ? 'active' : 'paused',
    avatar: row.avatar,
  };
}
