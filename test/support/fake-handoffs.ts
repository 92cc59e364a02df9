import type { AgentParts } from '../../media/call/agent-parts.ts';
import type { HandoffClient } from '../../media/call/handoff.ts';
import { type AgentConfig, agentConfigSchema } from '../../shared/agent.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** How control answers requests for another agent; without `refused` it gives `agent`. */
export interface HandoffBehaviour {
  after: number;
  refused?: string;
  /** No reply; the bus times out after 5 seconds. */
  silent?: boolean;
  /** The engine has no language model for it. */
  unusable?: boolean;
  /** The other agent's settings. */
  agent?: object;
}

export function createFakeHandoffs(
  clock: VirtualClock,
  behaviour: HandoffBehaviour | undefined,
  partsOf: (agent: AgentConfig) => AgentParts,
) {
  const requests: string[] = [];
  const config = (): AgentConfig => agentConfigSchema.parse({ name: 'Billing', ...behaviour?.agent });
  const client: HandoffClient = {
    async open(agentId) {
      requests.push(agentId);
      const { after, refused = '', silent = false } = behaviour!;
      await new Promise<void>((resolve) => clock.after(silent ? 5_000 : after, resolve));
      if (silent) throw new Error('timeout');
      if (refused !== '') return { refused };
      return { refused, agent: { agent_id: agentId, agent_json: JSON.stringify(config()), paid_seconds: 600 } };
    },
    enter({ agent_json }) {
      if (behaviour!.unusable) throw new Error('no account');
      return partsOf(JSON.parse(agent_json));
    },
  };
  return { requests, client: behaviour ? client : undefined };
}
