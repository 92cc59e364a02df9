import type { AgentConfig } from '../../shared/agent.ts';
import { ambientUploadId } from '../../shared/ambient-sounds.ts';

/** Names of URL parameters that hold a credential. */
const SECRET_PARAMETER = /key|token|secret|sig|auth|pass|credential|code/i;

/**
 * Returns the configuration that is given away by a share: without webhook URL, values of tool headers, knowledge bases,
 * transfer targets, other agents, uploaded sounds, and credentials in the URLs of tools and MCP servers. It is a complete and valid configuration.
 */
export function shareable(config: AgentConfig): AgentConfig {
  const { call } = config;
  const ambient_sound = ambientUploadId(call.ambient_sound) === null ? call.ambient_sound : '';
  return {
    ...config,
    call: { ...call, ambient_sound, transfer_enabled: false, transfer_targets: [], handoffs: [] },
    tools: config.tools.map(withoutSecrets),
    mcp_servers: config.mcp_servers.map(withoutSecrets),
    knowledge_base_ids: [],
    webhook_url: '',
    status: 'active',
  };
}

function withoutSecrets<Item extends { url: string; headers: Record<string, string> }>(item: Item): Item {
  // The names show what a copy needs.
  const headers = Object.fromEntries(Object.keys(item.headers).map((name) => [name, '']));
  return { ...item, url: withoutCredentials(item.url), headers };
}

function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return '';
  const url = new URL(address);
  const secret = [...url.searchParams.keys()].filter((name) => SECRET_PARAMETER.test(name));
  // Without credentials the URL stays exactly as it was written.
  if (url.username === '' && url.password === '' && secret.length === 0) return address;
  url.username = '';
  url.password = '';
  for (const name of secret) url.searchParams.set(name, '');
  return url.href;
}
