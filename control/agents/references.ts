import type { AgentConfig } from '../../shared/agent.ts';
import { uploadOf } from '../../shared/ambient-sounds.ts';
import type { Transaction } from '../db/connect.ts';
import { ruleBroken } from '../http/errors.ts';
import { keepBases } from '../knowledge/for-agents.ts';
import { keepSound } from './ambient-store.ts';

/** Knowledge bases an agent names must be its workspace's own; they are not deleted before the transaction ends. */
export async function keepKnowledge(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<void> {
  const strange = await keepBases(tx, workspaceId, config.knowledge_base_ids);
  if (strange) {
    const path = ['knowledge_base_ids', strange.index];
    throw ruleBroken('this knowledge base is not in the workspace', path, strange.id.slice(0, 200));
  }
}

/** The same for the uploaded sound an agent names. */
export async function keepAmbientSound(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<void> {
  const { ambient_sound } = config.call;
  const id = uploadOf(ambient_sound);
  if (id !== null && !(await keepSound(tx, workspaceId, id))) {
    throw ruleBroken('this sound is not in the workspace', ['call', 'ambient_sound'], ambient_sound);
  }
}

/** What is not in the workspace any more is left out; what is left stays until the transaction ends. */
export async function withoutGone(tx: Transaction, workspaceId: string, config: AgentConfig): Promise<AgentConfig> {
  let knowledge_base_ids = config.knowledge_base_ids;
  for (;;) {
    const strange = await keepBases(tx, workspaceId, knowledge_base_ids);
    if (!strange) break;
    knowledge_base_ids = knowledge_base_ids.filter((id) => id !== strange.id);
  }
  const upload = uploadOf(config.call.ambient_sound);
  const silent = upload !== null && !(await keepSound(tx, workspaceId, upload));
  return { ...config, knowledge_base_ids, call: silent ? { ...config.call, ambient_sound: '' } : config.call };
}
