import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { agentFields } from '../../../shared/agent.ts';
import type { Clock } from '../../../shared/clock.ts';
import type { Analyst } from '../../analysis/analyst.ts';
import type { Sql } from '../../db/connect.ts';
import { pathId } from '../../http/query.ts';
import { route } from '../../http/route.ts';
import { rerunAnalysis, testAnalytics } from '../after-call/rerun-analysis.ts';
import { callRecord, withOffsets } from '../call-record.ts';

export interface AnalysisRoutesDeps {
  sql: Sql;
  clock: Clock;
  analyst: Analyst;
}

const TAG = 'Calls';

const testBody = z.object({
  call_id: z.string().max(64).describe('a connected call of the workspace'),
  // Without its defaults: left out is something else than switched off.
  analytics: agentFields.shape.analytics.unwrap().optional().describe("left out: the agent's own"),
});

const testRecord = z
  .object({
    summary: z.string().describe('empty when it was not asked for'),
    extracted: z
      .record(z.string(), z.unknown())
      .describe("one entry per extraction key, plus the keys of extraction_prompt's JSON"),
    cost_paise: z.int().describe('what this run was charged'),
    currency: z.enum(['INR', 'USD']).describe('of cost_paise'),
  })
  .meta({ id: 'AnalyticsTest' });

/** Post-call analytics on demand. */
export function analysisRoutes(app: FastifyInstance, deps: AnalysisRoutesDeps): void {
  route(app, {
    method: 'POST',
    path: '/api/v1/calls/{call_id}/analyze',
    tag: TAG,
    summary: "Run post-call analytics again, by the agent's present configuration; charged",
    credential: 'key',
    permission: 'agents.edit',
    schema: { params: z.object({ call_id: pathId('call') }), response: callRecord },
    success: 200,
    errors: [402, 404, 409, 502],
    async handler({ params }, { workspace_id, actor, log }) {
      const call = await rerunAnalysis(deps, { workspace_id, call_id: params.call_id, actor, log });
      return { ...withOffsets(call), queue_position: null };
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/agents/{agent_id}/analytics/test',
    tag: TAG,
    summary: 'Run an analytics configuration on one finished call; nothing is saved, the run is charged',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params: z.object({ agent_id: pathId('agent') }), body: testBody, response: testRecord },
    success: 200,
    errors: [402, 404, 409, 502],
    handler: async ({ params, body }, { workspace_id, log }) =>
      testAnalytics(deps, { workspace_id, ...params, ...body, log }),
  });
}
