import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { writeAudit } from '../audit/write-audit.ts';
import { recordingResponse, wasFetchedRecently } from '../calls/recordings/serve-recording.ts';
import type { Sql } from '../db/connect.ts';
import { pathId } from '../http/query.ts';
import { file, route } from '../http/route.ts';
import { createScenarios } from './manage-scenarios.ts';
import { createRuns, type RunsDeps } from './queue-runs.ts';
import { runRecord } from './run-record.ts';
import { scenarioBody, scenarioDraft, scenarioRecord } from './scenario-record.ts';
import type { createSuggester } from './suggest-scenarios.ts';
import { runRequest } from './voice-run.ts';

const TAG = 'Agent tests';
const agentParams = z.object({ agent_id: pathId('agent') });
const params = z.object({ agent_id: pathId('agent'), scenario_id: pathId('scenario') });
const runParams = z.object({ run_id: pathId('test run') });

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

export function runRoutes(app: FastifyInstance, deps: RunsDeps & { recordings: RecordingStore }): void {
  const { sql, clock, recordings } = deps;
  const runs = createRuns(deps);

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/tests/run-all',
    tag: TAG,
    summary: "Queue a run of each of the agent's scenarios",
    credential: 'key',
    permission: 'agents.edit',
    schema: {
      params: agentParams,
      body: runRequest,
      response: z.object({ runs: z.array(runRecord).describe('one per scenario, the newest scenario first') }),
    },
    success: 202,
    errors: [402, 404, 409],
    handler: async ({ params: { agent_id }, body }, { workspace_id, actor }) => ({
      runs: await runs.startAll({ workspace_id, agent_id, actor }, body),
    }),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/tests/{scenario_id}/runs',
    tag: TAG,
    summary: 'The last 50 runs of a scenario, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: z.array(runRecord) },
    success: 200,
    errors: [404],
    handler: async ({ params: { agent_id, scenario_id } }, { workspace_id }) =>
      runs.list(workspace_id, agent_id, scenario_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/tests/{scenario_id}/runs',
    tag: TAG,
    summary: "Queue a run against the agent's saved version; two run at once, oldest first",
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, body: runRequest, response: runRecord },
    success: 202,
    errors: [402, 404, 409],
    handler: async ({ params: { agent_id, scenario_id }, body }, { workspace_id, actor }) =>
      runs.start({ workspace_id, agent_id, actor }, scenario_id, body),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/test-runs/{run_id}',
    tag: TAG,
    summary: 'One run; poll it until its status is passed, failed or error',
    credential: 'key',
    permission: 'agents.view',
    schema: { params: runParams, response: runRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => runs.find(workspace_id, params.run_id),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/test-runs/{run_id}/recording',
    tag: TAG,
    summary: 'The recording of a run aloud: stereo WAV, caller left, agent right; `Range` is understood',
    credential: 'key',
    permission: 'agents.view',
    schema: { params: runParams, response: file('audio/wav', 'the recording') },
    success: 200,
    errors: [404, 502],
    async handler({ params }, { workspace_id, actor, request }) {
      const run = await runs.findRecorded(workspace_id, params.run_id);
      const answer = await recordingResponse(recordings, run, request.headers);
      const at_ms = clock.wall();
      if (answer.status === 416 || (await wasFetchedRecently(sql, run, actor, at_ms))) return answer;
      const target = { kind: 'test_run', id: run.id, name: run.scenario.name };
      await writeAudit(sql, { workspace_id, actor, action: 'recording.downloaded', target, at_ms });
      return answer;
    },
  });
}

export function suggestRoutes(app: FastifyInstance, suggest: ReturnType<typeof createSuggester>): void {
  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/tests/suggest',
    tag: TAG,
    summary: 'Draft scenarios from the configuration of the agent; nothing is saved',
    credential: 'key',
    permission: 'agents.edit',
    schema: {
      params: agentParams,
      body: z.object({
        count: z
          .int()
          .min(1)
          .max(10)
          .default(5)
          .describe('how many; fewer come when the model writes some that cannot be saved'),
        focus: z.string().max(500).default('').describe('what they are to be about'),
      }),
      response: z
        .object({
          items: z.array(scenarioDraft).describe('as they can be saved'),
          cost_paise: z.int().describe('what it cost, taken from the credits'),
          currency: z.enum(['INR', 'USD']).describe('the billing currency of the workspace'),
        })
        .meta({ id: 'SuggestedTestScenarios' }),
    },
    success: 200,
    errors: [402, 404, 409, 502],
    handler: async ({ params: { agent_id }, body }, { workspace_id, actor, log }) =>
      suggest({ workspace_id, agent_id, by_name: actor.name, log, ...body }),
  });
}
