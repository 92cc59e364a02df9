import type { AgentConfig } from '../../shared/agent.ts';
import { ambientUploadId } from '../../shared/ambient-sounds.ts';
import { realtimeManifest } from '../../shared/providers/realtime.ts';
import type { Transaction } from '../db/connect.ts';
import { validationError } from '../http/errors.ts';
import { findMissingBase } from '../knowledge/knowledge-lookups.ts';
import { lockAmbientSoundShared } from './ambient-store.ts';
import { lockAgentsShared } from './store.ts';

/** Checks that an agent's knowledge bases are its workspace's own, and keeps them from being deleted until the transaction ends. */
export async function requireKnowledgeBases(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<void> {
  const missing = await findMissingBase(tx, workspaceId, config.knowledge_base_ids);
  if (missing) {
    const path = ['knowledge_base_ids', missing.index];
    throw validationError('this knowledge base is not in the workspace', path, missing.id.slice(0, 200));
  }
}

/** The same for the uploaded background sound of an agent. */
export async function requireAmbientSound(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<void> {
  const { ambient_sound } = config.call;
  const id = ambientUploadId(ambient_sound);
  if (id !== null && !(await lockAmbientSoundShared(tx, workspaceId, id))) {
    throw validationError('this sound is not in the workspace', ['call', 'ambient_sound'], ambient_sound);
  }
}

/** The same for the agents that the call may be handed to; `ownId` of an agent that exists. They may be deleted later. */
export async function requireHandoffAgents(
  tx: Transaction,
  workspaceId: string,
  config: AgentConfig,
  ownId: string | null,
): Promise<void> {
  const { handoffs } = config.call;
  const agents = await handoffAgents(tx, workspaceId, config);
  for (const [index, { agent_id }] of handoffs.entries()) {
    const refuse = (problem: string) =>
      validationError(problem, ['call', 'handoffs', index, 'agent_id'], agent_id.slice(0, 200));
    const agent = agents.get(agent_id);
    if (agent_id === ownId) throw refuse('an agent cannot hand the call to itself');
    if (!agent) throw refuse('this agent is not in the workspace');
    if (realtimeManifest(agent.llm))
      throw refuse('an agent whose model hears and speaks itself cannot take over a call');
  }
}

async function handoffAgents(tx: Transaction, workspaceId: string, { call }: AgentConfig) {
  const names = call.handoffs.map(({ agent_id }) => `${workspaceId} ${agent_id}`);
  const rows = names.length === 0 ? [] : (await lockAgentsShared(tx, names)).values();
  return new Map([...rows].map((row) => [row.id, row]));
}

/** Leaves out what is no longer in the workspace, and keeps the rest from being deleted until the transaction ends. */
export async function withoutMissingReferences(
  tx: Transaction,
  workspaceId: string,
  config: AgentConfig,
): Promise<AgentConfig> {
  let knowledge_base_ids = config.knowledge_base_ids;
  for (;;) {
    const missing = await findMissingBase(tx, workspaceId, knowledge_base_ids);
    if (!missing) break;
    knowledge_base_ids = knowledge_base_ids.filter((id) => id !== missing.id);
  }
  const upload = ambientUploadId(config.call.ambient_sound);
  const soundMissing = upload !== null && !(await lockAmbientSoundShared(tx, workspaceId, upload));
  const agents = await handoffAgents(tx, workspaceId, config);
  const handoffs = config.call.handoffs.filter(({ agent_id }) => agents.has(agent_id));
  const ambient_sound = soundMissing ? '' : config.call.ambient_sound;
  return { ...config, knowledge_base_ids, call: { ...config.call, ambient_sound, handoffs } };
}
