import type { z } from 'zod';
import type { AgentConfig, AgentTool, McpServer } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { deferredImport } from '../../shared/deferred-import.ts';
import { errorText } from '../../shared/log.ts';
import type { ListedTool, McpServerFacts } from '../../shared/mcp/mcp-client.ts';
import { isAllowed, namedTools, schemaProblem } from '../../shared/mcp/mcp-tool-names.ts';
import { toolDefinitions } from '../../shared/reply/tools.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { createConcurrencyLimiter } from '../http/concurrency-limiter.ts';
import { conflict } from '../http/errors.ts';
import { restoredHeaders } from './mask-tool-headers.ts';
import type { mcpListBody, mcpListRecord } from './mcp-record.ts';
import { openedTools, type ToolHeaders } from './seal-tool-headers.ts';

const mcpClient = deferredImport(() => import('../../shared/mcp/mcp-client.ts'));

/** Per workspace, in this process. */
const MAX_CONCURRENT_LISTS = 3;
/** Of an agent (`agentFields`). */
const MAX_TOOLS = 50;

/** The MCP servers of a saved agent, with sealed header values; none when there is no such agent. */
export type FindMcpServers = (workspaceId: string, agentId: string) => Promise<McpServer[]>;

export interface McpListDeps {
  sql: Sql;
  clock: Clock;
  /** Reaches the public internet only. */
  safeFetch: SafeFetch;
  toolHeaders: Pick<ToolHeaders, 'open'>;
  findMcpServers: FindMcpServers;
}

/** Lists the tools of an MCP server as a call would, and says which of them the model gets. */
export function createMcpList({ sql, clock, safeFetch, toolHeaders, findMcpServers }: McpListDeps) {
  const enter = createConcurrencyLimiter(MAX_CONCURRENT_LISTS, 'MCP servers are asked');

  return async (
    workspaceId: string,
    actor: Actor,
    { server: sent, agent_id }: z.output<typeof mcpListBody>,
  ): Promise<z.output<typeof mcpListRecord>> => {
    const stored = agent_id === undefined ? [] : await findMcpServers(workspaceId, agent_id);
    const saved = openedTools(toolHeaders, workspaceId, stored).find(({ name }) => name === sent.name);
    const hint = ': send the value itself, or the agent_id of an agent that has it';
    const headers = restoredHeaders(sent.headers, saved?.headers ?? {}, ['server', 'headers'], hint);
    const server = { ...sent, headers };
    const leave = enter(workspaceId);
    try {
      const startedMs = clock.now();
      const { facts, tools, error } = await listed(safeFetch, server);
      const latency_ms = Math.round(clock.now() - startedMs);
      const target = { kind: 'mcp_server', id: agent_id ?? '', name: server.name };
      const event = { workspace_id: workspaceId, actor, action: 'mcp_server.listed' as const, target };
      await writeAudit(sql, { ...event, data: { tools: tools.length }, at_ms: clock.wall() });
      const names = new Map(namedTools([{ server, listed: tools }], []).map(({ tool, name }) => [tool.name, name]));
      return {
        server_name: facts?.name ?? '',
        protocol: facts?.protocol ?? '',
        ...{ latency_ms, error },
        tools: tools.map((tool) => ({
          name: tool.name,
          called: names.get(tool.name) ?? '',
          description: tool.description.slice(0, 1_000),
          parameters: schemaProblem(tool) === null ? tool.parameters : {},
          problem: isAllowed(server, tool.name) ? (schemaProblem(tool) ?? '') : 'not on the allow-list',
        })),
      };
    } finally {
      leave();
    }
  };
}

/**
 * The tools of an agent's MCP servers as tools of its own, for a test, in which they are not called. The header values are sealed.
 *
 * @throws HttpError 409 when a server does not answer: without its tools the agent would be another one
 */
export async function ownToolsOf(
  { safeFetch, toolHeaders }: Pick<McpListDeps, 'safeFetch' | 'toolHeaders'>,
  workspaceId: string,
  agent: AgentConfig,
): Promise<AgentTool[]> {
  const servers = openedTools(toolHeaders, workspaceId, agent.mcp_servers);
  const answers = await Promise.all(servers.map(async (server) => ({ server, ...(await listed(safeFetch, server)) })));
  const silent = answers.find(({ error }) => error !== '');
  if (silent) throw conflict(`the tools of the MCP server ${silent.server.name} cannot be had: ${silent.error}`);
  const taken = toolDefinitions(agent).map(({ name }) => name);
  const named = namedTools(
    answers.map(({ server, tools }) => ({ server, listed: tools })),
    taken,
  );
  return named.slice(0, MAX_TOOLS - agent.tools.length).map(({ name, server, tool }) => ({
    ...{ kind: 'http', name, description: tool.description, parameters: tool.parameters, method: 'POST' },
    ...{ url: server.url, headers: {}, pre_call_message: '', timeout_seconds: server.timeout_seconds },
    results: { path: '', variables: {}, message: '' },
  }));
}

async function listed(
  safeFetch: SafeFetch,
  server: McpServer,
): Promise<{ tools: ListedTool[]; facts: McpServerFacts | null; error: string }> {
  const { createMcpClient } = await mcpClient();
  const client = createMcpClient({ server, values: {}, safeFetch });
  try {
    return { tools: await client.list(), facts: client.facts, error: '' };
  } catch (error) {
    return { tools: [], facts: client.facts, error: errorText(error) };
  } finally {
    void client.close();
  }
}
