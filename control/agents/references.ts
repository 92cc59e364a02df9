import type { AgentConfig } from '../../shared/agent.ts';
import { ambientUploadId } from '../../shared/ambient-sounds.ts';
import type { Transaction } from '../db/connect.ts';
import { validationError } from '../http/errors.ts';
import { findMissingBase } from '../knowledge/knowledge-lookups.ts';
import { lockAmbientSoundShared } from './ambient-store.ts';

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
  return { ...config, knowledge_base_ids, call: soundMissing ? { ...config.call, ambient_sound: '' } : config.call };
}
