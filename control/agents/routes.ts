import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { agentConfigSchema } from '../../shared/agent.ts';
import { notFound } from '../http/errors.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { agentRecord, recordOf } from './record.ts';
import { createAgentSaver, type SaveAgentDeps } from './save-agent.ts';
import { findAgent, listAgents } from './store.ts';

const TAG = 'Agents';
const params = z.object({ agent_id: pathId('agent') });

const headers = z.object({
  'if-match': z
    .string()
    .regex(/^"?\d{1,9}"?$/)
    .transform((text) => Number(text.replaceAll('"', '')))
    .optional()
    .describe('the version the change was made from; another one answers 409'),
});

export function agentRoutes(app: FastifyInstance, deps: SaveAgentDeps): void {
  const { sql } = deps;
  const saver = createAgentSaver(deps);

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
      return rows.map((row) => recordOf(row, may('agents.edit')));
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents',
    tag: TAG,
    summary: 'Make an agent',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: agentConfigSchema, response: agentRecord },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor, may }) =>
      recordOf(await saver.create({ workspace_id, by: actor.name, config: body }), may('agents.edit')),
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
    handler: async ({ params }, { workspace_id, may }) => {
      const row = await findAgent(sql, workspace_id, params.agent_id);
      if (!row) throw notFound('agent');
      return recordOf(row, may('agents.edit'));
    },
  });

  route(app, {
    method: 'PUT',
    path: '/api/v1/agents/{agent_id}',
    tag: TAG,
    summary: 'Save the whole configuration; what is left out gets its default',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, headers, body: agentConfigSchema, response: agentRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, headers, body }, { workspace_id, actor, may }) => {
      const change = { workspace_id, by: actor.name, config: body };
      return recordOf(await saver.update(params.agent_id, change, headers['if-match'] ?? null), may('agents.edit'));
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
    handler: async ({ params }, { workspace_id }) => saver.remove(workspace_id, params.agent_id),
  });
}
