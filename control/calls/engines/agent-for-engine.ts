import type { AgentConfig } from '../../../shared/agent.ts';
import type { OpenSessionRequest, Session } from '../../../shared/bus/messages.ts';
import { sealForRequest } from '../../../shared/bus/seal-for-engine.ts';
import type { Logger } from '../../../shared/log.ts';
import type { AgentForCall } from '../../agents/agent-for-call.ts';
import { canTransfer } from '../../carriers/carriers-in-use.ts';
import { openedTools, type ToolHeaders, withHeaderLists, withHeaderValues } from '../../tools/seal-tool-headers.ts';

export interface AgentForEngineDeps {
  log: Logger;
  /** Opens the values of tools' headers; without it they are empty. */
  toolHeaders?: Pick<ToolHeaders, 'open'> | undefined;
}

/** The call that an engine needs an agent for; `provider` is its carrier, '' for a browser. */
interface CallOfAgent {
  call_id: string;
  workspace_id: string;
  provider: string;
}

const NO_KEYS: Pick<ToolHeaders, 'open'> = { open: (_workspaceId, tools) => [...tools] };

/**
 * An agent as the engine of a call gets it: what its line can do, and the values of headers sealed for the engine's key, where it has
 * sent one.
 */
export function agentForEngine(
  agent: Pick<AgentForCall, 'id' | 'config'>,
  { call_id, workspace_id, provider }: CallOfAgent,
  { public_key }: Pick<OpenSessionRequest, 'public_key'>,
  { log, toolHeaders = NO_KEYS }: AgentForEngineDeps,
): Pick<Session, 'agent_json' | 'sealed_headers'> {
  const opened = withHeaderLists(agent.config, (items) =>
    openedTools(toolHeaders, workspace_id, items, () =>
      log.error(
        { call_id, agent_id: agent.id },
        "the value of a tool's header cannot be opened; was SECRETS_KEY changed?",
      ),
    ),
  );
  return sealed(configOnLine(opened, provider), call_id, public_key);
}

/** The values of headers apart from the agent: of its tools, then of its MCP servers. */
function sealed(
  agent: AgentConfig,
  call_id: string,
  public_key: Uint8Array | undefined,
): Pick<Session, 'agent_json' | 'sealed_headers'> {
  const headers = [...agent.tools, ...agent.mcp_servers].map((each) => each.headers);
  const hasValues = headers.some((each) => Object.values(each).some((value) => value !== ''));
  if (!public_key || !hasValues) return { agent_json: JSON.stringify(agent) };
  return {
    agent_json: JSON.stringify(withHeaderLists(agent, (items) => withHeaderValues(items, () => ''))),
    sealed_headers: sealForRequest(public_key, JSON.stringify(headers), call_id),
  };
}

/** Without transfers where the line has none: the model is not offered what would be refused. */
function configOnLine(config: AgentConfig, provider: string): AgentConfig {
  if (!config.call.transfer_enabled || canTransfer(provider)) return config;
  return { ...config, call: { ...config.call, transfer_enabled: false } };
}
