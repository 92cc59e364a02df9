import type { AgentConfig } from '../../shared/agent.ts';
import type { RequestKey } from '../../shared/bus/seal-for-engine.ts';
import type { Logger } from '../../shared/log.ts';

type Headers = AgentConfig['tools'][number]['headers'];

/** An agent with the values of headers, which came sealed for the request's key: of its tools, then of its MCP servers. */
export function withHeaders<Message extends { agent_json: string; sealed_headers?: Uint8Array | undefined }>(
  { sealed_headers, ...message }: Message,
  callId: string,
  key: RequestKey,
  log: Logger,
): Omit<Message, 'sealed_headers'> {
  if (!sealed_headers) return message;
  const text = key.open(sealed_headers, callId);
  if (text === null) {
    log.error({ call_id: callId }, "values of tools' headers cannot be opened");
    return message;
  }
  const headers: Headers[] = JSON.parse(text);
  const agent: AgentConfig = JSON.parse(message.agent_json);
  const opened = <Item extends { headers: Headers }>(items: readonly Item[], from: number): Item[] =>
    items.map((item, index) => ({ ...item, headers: headers[from + index] ?? item.headers }));
  const tools = opened(agent.tools, 0);
  // A control of the release before knows of no MCP servers.
  const mcp_servers = opened(agent.mcp_servers ?? [], tools.length);
  return { ...message, agent_json: JSON.stringify({ ...agent, tools, mcp_servers }) };
}
