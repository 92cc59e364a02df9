import type { AgentConfig } from '../../shared/agent.ts';
import { ruleBroken } from '../http/errors.ts';

/**
 * Knowledge bases and uploaded sounds an agent names must be its workspace's own. Workspaces hold neither yet, so
 * none can be named.
 */
export function checkReferences(config: AgentConfig): void {
  const [base] = config.knowledge_base_ids;
  if (base !== undefined) {
    throw ruleBroken('this knowledge base is not in the workspace', ['knowledge_base_ids', 0], base.slice(0, 200));
  }
  const { ambient_sound } = config.call;
  if (ambient_sound.startsWith('upload:')) {
    throw ruleBroken('this sound is not in the workspace', ['call', 'ambient_sound'], ambient_sound);
  }
}
