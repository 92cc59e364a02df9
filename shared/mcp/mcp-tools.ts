import type { AgentConfig, McpServer } from '../agent.ts';
import { type Clock, pause } from '../clock.ts';
import { invalidArgumentsText, readArguments } from '../http-tool.ts';
import type { ToolDefinition } from '../llm/language-model.ts';
import { errorText, type Logger } from '../log.ts';
import type { RemoteTools } from '../reply/tools.ts';
import type { SafeFetch } from '../safe-fetch.ts';
import { createMcpClient, type ListedTool, type McpClient } from './mcp-client.ts';
import { namedTools } from './mcp-tool-names.ts';

export interface McpToolsOptions {
  agent: Pick<AgentConfig, 'mcp_servers'>;
  /** Names that the agent's other tools have. */
  taken: readonly string[];
  /** Values of the `{variables}` in headers. */
  values: Record<string, string | number | boolean>;
  safeFetch: SafeFetch;
  clock: Clock;
  log: Logger;
  /** The tools of a server cannot be had; `problem` is a sentence for people. */
  onUnavailable(server: string, problem: string): void;
}

/** The list is asked for once more after this. */
const LIST_AGAIN_AFTER_MS = 2_000;

/**
 * The tools of an agent's MCP servers, asked for at once and in the background: until a server has answered, and where it does not, the
 * model has the other tools. A server that no longer knows a tool is asked for its list again.
 */
export function openMcpTools(options: McpToolsOptions): RemoteTools {
  const { agent, taken, values, safeFetch, clock, log, onUnavailable } = options;
  const servers = agent.mcp_servers.map((server) => {
    return { server, client: createMcpClient({ server, values, safeFetch }), listed: [] as ListedTool[] };
  });
  let tools = new Map<string, { client: McpClient; server: McpServer; tool: ListedTool }>();
  let definitions: ToolDefinition[] = [];
  let closed = false;

  async function list(entry: (typeof servers)[number]): Promise<void> {
    for (let tries = 1; !closed; tries++) {
      try {
        entry.listed = await entry.client.list();
        name();
        return;
      } catch (error) {
        if (closed) return;
        if (tries === 1) {
          await pause(clock, LIST_AGAIN_AFTER_MS);
          continue;
        }
        log.warn({ mcp_server: entry.server.name, error: errorText(error) }, 'tools of an MCP server not listed');
        onUnavailable(entry.server.name, errorText(error));
        return;
      }
    }
  }

  /** In the order of the agent's setting, whichever answered first: a name depends on the servers before it. */
  function name(): void {
    const named = namedTools(
      servers.map(({ server, listed }) => ({ server, listed })),
      taken,
    );
    const clients = new Map(servers.map(({ server, client }) => [server, client]));
    tools = new Map(named.map(({ name, server, tool }) => [name, { client: clients.get(server)!, server, tool }]));
    definitions = named.map(({ name, tool: { description, parameters } }) => ({ name, description, parameters }));
  }

  for (const entry of servers) void list(entry);

  return {
    definitions: () => definitions,
    find(name) {
      const found = tools.get(name);
      return found && { parameters: found.tool.parameters, url: found.server.url };
    },
    async call(name, args, signal) {
      const found = tools.get(name)!;
      const startedMs = clock.now();
      const read = readArguments(found.tool.parameters, args);
      if ('problem' in read) {
        const result = invalidArgumentsText(read.problem);
        return { status: 0, latency_ms: 0, result, error: 'invalid arguments' };
      }
      const { isOutdated, ...outcome } = await found.client.call(found.tool.name, read.args, signal);
      if (isOutdated) {
        const entry = servers.find(({ client }) => client === found.client);
        if (entry) void list(entry);
      }
      return { ...outcome, latency_ms: Math.round(clock.now() - startedMs) };
    },
    close() {
      closed = true;
      for (const { client } of servers) void client.close();
    },
  };
}
