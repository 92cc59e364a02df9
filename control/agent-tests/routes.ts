import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { createScenarios } from './manage-scenarios.ts';
import { scenarioBody, scenarioRecord } from './scenario-record.ts';

const TAG = 'Agent tests';
const agentParams = z.object({ agent_id: pathId('agent') });
const params = z.object({ agent_id: pathId('agent'), scenario_id: pathId('scenario') });

export function scenarioRoutes(app: FastifyInstance, deps: { sql: Sql; clock: Clock }): void {
  const scenarios = createScenarios(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/tests',
    tag: TAG,
    summary: "An agent's scenarios, newest first",
    credential: 'key',
    permission: 'agents.view',
    schema: { params: agentParams, response: z.array(scenarioRecord) },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => scenarios.list(workspace_id, params.agent_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/tests',
    tag: TAG,
    summary: 'Make a scenario: a caller, and what is expected of the agent',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params: agentParams, body: scenarioBody, response: scenarioRecord },
    success: 201,
    errors: [404, 409],
    handler: async ({ params: { agent_id }, body }, { workspace_id, actor }) =>
      scenarios.create({ workspace_id, agent_id, actor }, body),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/tests/{scenario_id}',
    tag: TAG,
    summary: 'One scenario',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: scenarioRecord },
    success: 200,
    errors: [404],
    handler: async ({ params: { agent_id, scenario_id } }, { workspace_id }) =>
      scenarios.find(workspace_id, agent_id, scenario_id),
  });

  route(app, {
    method: 'PUT',
    path: '/api/v1/agents/{agent_id}/tests/{scenario_id}',
    tag: TAG,
    summary: 'Replace a scenario; what is left out gets its default, and runs keep it as it was',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, body: scenarioBody, response: scenarioRecord },
    success: 200,
    errors: [404],
    handler: async ({ params: { agent_id, scenario_id }, body }, { workspace_id, actor }) =>
      scenarios.update({ workspace_id, agent_id, actor }, scenario_id, body),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/agents/{agent_id}/tests/{scenario_id}',
    tag: TAG,
    summary: 'Remove a scenario; its runs stay readable',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params: { agent_id, scenario_id } }, { workspace_id, actor }) =>
      scenarios.remove({ workspace_id, agent_id, actor }, scenario_id),
  });
}
