import type { AgentConfig } from '../../shared/agent.ts';
import type { AnySql, Fragment, Transaction } from '../db/connect.ts';
import { conflict } from '../http/errors.ts';
import type { AgentRow } from './agent-record.ts';
import { isCaptured } from './capture-setting.ts';
import { agentAsJson, lockAgentShared, lockAgentsShared } from './store.ts';

/** An agent as a call needs it. */
export interface AgentForCall {
  id: string;
  name: string;
  version: number;
  status: 'active' | 'paused' | 'frozen';
  /** The first number connected to it, or empty. */
  phone_number: string;
  /** As given to the engine; its `status` is `paused` for a frozen agent. */
  config: AgentConfig;
}

/** Reads the agent and keeps it from being deleted until the transaction ends; null when there is none. */
export async function agentForCall(
  tx: Transaction,
  workspaceId: string,
  agentId: string,
): Promise<AgentForCall | null> {
  const row = await lockAgentShared(tx, workspaceId, agentId);
  return row && agentOf(row);
}

/** The same of the agents of several calls; the function returned finds a call's. */
export async function agentsForCalls(
  tx: Transaction,
  calls: readonly OfAgent[],
): Promise<(call: OfAgent) => AgentForCall | null> {
  const nameOf = ({ workspace_id, agent_id }: OfAgent) => `${workspace_id} ${agent_id}`;
  const names = new Set(calls.filter(({ agent_id }) => agent_id !== null).map(nameOf));
  const rows = await lockAgentsShared(tx, [...names]);
  const agents = new Map([...rows].map(([name, row]) => [name, agentOf(row)]));
  return (call) => agents.get(nameOf(call)) ?? null;
}

interface OfAgent {
  workspace_id: string;
  agent_id: string | null;
}

/** The agent as columns of a statement that reads its call, for `agentFromColumns`; it may be deleted meanwhile. */
export const agentColumns = (sql: AnySql, workspaceId: Fragment, agentId: Fragment) => sql`
  ${agentAsJson(sql, workspaceId, agentId)} as agent, ${isCaptured(sql, workspaceId, agentId)} as captured`;

export interface AgentColumns {
  /** As JSON has it. */
  agent: AgentRow | null;
  /** Whether its calls are captured. */
  captured: boolean | null;
}

export const agentFromColumns = ({ agent }: AgentColumns): AgentForCall | null => agent && agentOf(agent);

/**
 * Keeps the agent from being deleted until the transaction ends, as a part of a statement; it has no row when there is no such agent.
 */
export const agentLockedShared = (sql: AnySql, workspaceId: string, agentId: string) => sql`
  select id from agents where workspace_id = ${workspaceId} and id = ${agentId} for key share`;

function agentOf(row: AgentRow): AgentForCall {
  const { id, name, version, status, phone_number } = row;
  return { id, name, version, status, phone_number, config: configOf(row) };
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
