import type { AgentConfig } from '../../shared/agent.ts';
import { ambientUploadId } from '../../shared/ambient-sounds.ts';
import type { Transaction } from '../db/connect.ts';
import { validationError } from '../http/errors.ts';
import { findMissingBase } from '../knowledge/knowledge-lookups.ts';
import { lockAmbientSoundShared } from './ambient-store.ts';

/** Knowledge bases an agent names must be its workspace's own; they are not deleted before the transaction ends. */
export async function requireKnowledgeBases(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<void> {
  const strange = await findMissingBase(tx, workspaceId, config.knowledge_base_ids);
  if (strange) {
    const path = ['knowledge_base_ids', strange.index];
    throw validationError('this knowledge base is not in the workspace', path, strange.id.slice(0, 200));
  }
}

/** The same for the uploaded sound an agent names. */
export async function requireAmbientSound(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<void> {
  const { ambient_sound } = config.call;
  const id = ambientUploadId(ambient_sound);
  if (id !== null && !(await lockAmbientSoundShared(tx, workspaceId, id))) {
    throw validationError('this sound is not in the workspace', ['call', 'ambient_sound'], ambient_sound);
  }
}

/** What is not in the workspace any more is left out; what is left stays until the transaction ends. */
export async function withoutMissingReferences(
  tx: Transaction,
  workspaceId: string,
  config: AgentConfig,
): Promise<AgentConfig> {
  let knowledge_base_ids = config.knowledge_base_ids;
  for (;;) {
    const strange = await findMissingBase(tx, workspaceId, knowledge_base_ids);
    if (!strange) break;
    knowledge_base_ids = knowledge_base_ids.filter((id) => id !== strange.id);
  }
  const upload = ambientUploadId(config.call.ambient_sound);
  const silent = upload !== null && !(await lockAmbientSoundShared(tx, workspaceId, upload));
  return { ...config, knowledge_base_ids, call: silent ? { ...config.call, ambient_sound: '' } : config.call };
}
