import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../shared/clock.ts';
import { commaSeparated } from '../../shared/comma-separated.ts';
import { readEgressProxy } from '../../shared/egress-proxy.ts';
import { createSafeFetch } from '../../shared/safe-fetch.ts';
import type { Sql } from '../db/connect.ts';
import { createUrlCheck } from '../webhooks/check-url.ts';
import { createMcpList, type FindMcpServers } from './list-mcp-tools.ts';
import { type CountToolUses, createTools } from './manage-tools.ts';
import { toolRoutes } from './routes.ts';
import type { ToolHeaders } from './seal-tool-headers.ts';
import { createToolTest } from './test-tool.ts';

export interface ToolsModuleDeps {
  sql: Sql;
  clock: Clock;
  config: { FETCH_ALLOW: string; EGRESS_PROXY?: string };
  countToolUses: CountToolUses;
  toolHeaders: ToolHeaders;
  findMcpServers: FindMcpServers;
}

/** The workspace's saved tools, and the trial of a tool. */
export function createToolsModule({
  sql,
  clock,
  config,
  countToolUses,
  toolHeaders,
  findMcpServers,
}: ToolsModuleDeps): { routes(http: FastifyInstance): void } {
  const allow = commaSeparated(config.FETCH_ALLOW);
  const safeFetch = createSafeFetch({ allow, clock, proxy: readEgressProxy(config.EGRESS_PROXY) });
  const checkUrl = createUrlCheck({ allow, clock, protocols: ['https', 'http'] });
  const tools = createTools({ sql, clock, countToolUses, toolHeaders, checkUrl });
  const testTool = createToolTest({ sql, clock, safeFetch, toolHeaders });
  const listMcpTools = createMcpList({ sql, clock, safeFetch, toolHeaders, findMcpServers });
  return { routes: (http) => toolRoutes(http, { tools, testTool, listMcpTools }) };
}
