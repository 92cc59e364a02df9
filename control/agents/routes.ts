import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { AgentConfig } from '../../shared/agent.ts';
import type { AvailableProviders } from '../catalog/available-providers.ts';
import type { Sql } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { withHeaderLists } from '../tools/seal-tool-headers.ts';
import type { CheckUrl } from '../webhooks/check-url.ts';
import { agentRecord, ifMatch, recordOf, savedAgentRecord, savedRecordOf } from './agent-record.ts';
import { createCanaries } from './canary.ts';
import { canaryRoutes } from './canary-routes.ts';
import type { CheckProviders } from './check-providers.ts';
import { agentSchemasWith } from './default-providers.ts';
import { latencyRoutes } from './latency-routes.ts';
import { pinRoutes } from './pin-routes.ts';
import { pricingRoutes } from './pricing-routes.ts';
import type { PromptGenerator } from './prompt-generator.ts';
import { promptRoutes } from './prompt-routes.ts';
import { createAgentReader } from './read-agent.ts';
import { createAgentSaver, type SaveAgentDeps } from './save-agent.ts';
import { shareRoutes } from './share-routes.ts';
import { createShares } from './shares.ts';
import { listAgents } from './store.ts';
import { versionRoutes } from './version-routes.ts';

const TAG = 'Agents';
const params = z.object({ agent_id: pathId('agent') });

export interface AgentsDeps extends SaveAgentDeps {
  /** Connections for what reads many rows. */
  reportsSql: Sql;
  /** Null when COMPOSER_MODEL is not set. */
  promptGenerator: PromptGenerator | null;
  /** URLs of shared agents begin with it. */
  consoleUrl: string;
  /** Checks every `webhook_url` that is saved, also the addresses its host name resolves to. */
  checkUrl: CheckUrl;
  /** The same for the addresses of tools, which may be http. */
  checkToolUrl: CheckUrl;
  available: AvailableProviders;
  checkProviders: CheckProviders;
}

export function agentRoutes(app: FastifyInstance, deps: AgentsDeps): void {
  const { sql, clock, promptGenerator, consoleUrl, checkUrl, checkToolUrl, checkProviders, toolHeaders } = deps;
  const schemas = agentSchemasWith(deps.available.defaults);
  const saver = createAgentSaver(deps);
  const readAgent = createAgentReader(sql, toolHeaders);
  canaryRoutes(app, {
    sql: deps.reportsSql,
    canaries: createCanaries({ sql, clock, saver, checkProviders, toolHeaders }),
  });
  shareRoutes(app, { shares: createShares({ sql, clock, saver, checkProviders }), consoleUrl });
  pinRoutes(app, { sql, clock });
  pricingRoutes(app, { sql, draft: schemas.draft });
  latencyRoutes(app, { sql, clock });
  promptRoutes(app, { sql, clock, promptGenerator });

  // Before the transaction, because resolving a name and asking a provider may take long.
  const checkSent = async (workspaceId: string, config: AgentConfig, agentId?: string) => {
    if (config.webhook_url !== '') await checkUrl(config.webhook_url, 'webhook_url');
    const { tools, mcp_servers } = config;
    await Promise.all([
      ...tools.map(({ kind, url }, index) => kind === 'http' && checkToolUrl(url, ['tools', index, 'url'])),
      ...mcp_servers.map(({ url }, index) => checkToolUrl(url, ['mcp_servers', index, 'url'])),
    ]);
    return checkProviders(workspaceId, config, agentId);
  };
  versionRoutes(app, { sql, saver, checkProviders, toolHeaders, agent: schemas.agent, checkSent });

  route(app, {
    method: 'GET',
    path: '/api/v1/agents',
    tag: TAG,
    summary: 'All agents, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(agentRecord) },
    success: 200,
    handler: async (_input, { workspace_id, may }) => {
      const rows = await listAgents(sql, workspace_id);
      const mayEdit = may('agents.edit');
      return rows.map((row) => {
        const opened = withHeaderLists(row, (items) => toolHeaders.open(workspace_id, items));
        return recordOf(mayEdit ? opened : row, mayEdit);
      });
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents',
    tag: TAG,
    summary: 'Make an agent',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: schemas.agent, response: savedAgentRecord },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor, may }) => {
      const { config, warnings } = await checkSent(workspace_id, body);
      const row = await saver.create({ workspace_id, actor, config });
      return savedRecordOf({ row, warnings }, may('agents.edit'));
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}',
    tag: TAG,
    summary: 'One agent',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: agentRecord },
    success: 200,
    errors: [404],
    handler: async ({ params: { agent_id } }, { workspace_id, zone, may }) => {
      const response = await readAgent({ workspace_id, agent_id, zone, may_edit: may('agents.edit') });
      if (!response) throw notFound('agent');
      return response;
    },
  });

  route(app, {
    method: 'PUT',
    path: '/api/v1/agents/{agent_id}',
    tag: TAG,
    summary: 'Save the whole configuration; what is left out gets its default',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, headers: ifMatch, body: schemas.agent, response: savedAgentRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, headers, body }, { workspace_id, actor, may }) => {
      const { config, warnings } = await checkSent(workspace_id, body, params.agent_id);
      const change = { workspace_id, actor, config };
      const row = await saver.update(params.agent_id, change, headers['if-match'] ?? null);
      return savedRecordOf({ row, warnings }, may('agents.edit'));
    },
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/agents/{agent_id}',
    tag: TAG,
    summary: 'Remove an agent: its queued calls fail, its number is disconnected, live calls go on',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => saver.remove(workspace_id, params.agent_id, actor),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/duplicate',
    tag: TAG,
    summary: 'Make another agent with the same configuration',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, response: savedAgentRecord },
    success: 201,
    errors: [404, 409, 422],
    handler: async ({ params }, { workspace_id, actor, may }) => {
      const saved = await saver.duplicate(workspace_id, params.agent_id, actor, checkProviders);
      return savedRecordOf(saved, may('agents.edit'));
    },
  });
}
