import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { pricingOf } from '../billing/workspace-pricing.ts';
import { statistics } from '../call-totals/call-statistics.ts';
import type { Sql } from '../db/connect.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { ifMatch, savedAgentRecord, savedRecordOf } from './agent-record.ts';
import type { Canaries } from './canary.ts';
import { canaryFigures, MAX_CALLS_COUNTED, MAX_CALLS_READ } from './canary-figures.ts';

const TAG = 'Agents';
const params = z.object({ agent_id: pathId('agent') });

const version = z.int().min(1).describe('the version that a share of the new calls uses');
const percent = z.int().min(1).max(99).describe("of the agent's new calls, for a call decided when it is made");

const canaryFields = {
  version,
  percent,
  started_at: time(),
  started_by: z.string().describe('a name'),
};

const canaryRecord = z
  .object({
    ...canaryFields,
    figures: z
      .object({
        canary: z.object(statistics).describe('of the calls with this version'),
        others: z.object(statistics).describe("of the agent's other calls"),
      })
      .describe(
        `of calls made since the canary began, those that wait in the queue left out: of the newest ${MAX_CALLS_READ} finished ones, ${MAX_CALLS_COUNTED} each at most`,
      ),
    currency: z.string().describe('`INR` or `USD`'),
  })
  .meta({ id: 'AgentCanary' });

const canarySettings = z.object(canaryFields).meta({ id: 'AgentCanarySettings' });

/** A version of an agent that a share of its new calls uses, and how its calls go beside the others. */
export function canaryRoutes(app: FastifyInstance, { sql, canaries }: { sql: Sql; canaries: Canaries }): void {
  const path = '/api/v1/agents/{agent_id}/canary';

  route(app, {
    method: 'GET',
    path,
    tag: TAG,
    summary: 'The version that a share of the new calls uses, and how its calls went beside the others',
    credential: 'key',
    permission: 'calls.view',
    schema: { params, response: canaryRecord },
    success: 200,
    errors: [404],
    handler: async ({ params: { agent_id } }, { workspace_id }) => {
      const canary = await canaries.read(workspace_id, agent_id);
      const [figures, { currency }] = await Promise.all([
        canaryFigures(sql, workspace_id, agent_id, canary),
        pricingOf(sql, workspace_id),
      ]);
      return { ...canary, figures, currency };
    },
  });

  route(app, {
    method: 'PUT',
    path,
    tag: TAG,
    summary: 'Give a version a share of the new calls, or its canary another share',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, body: z.object({ version, percent }), response: canarySettings },
    success: 200,
    errors: [404, 409, 422],
    handler: async ({ params: { agent_id }, body }, { workspace_id, actor }) => {
      await canaries.put({ workspace_id, agent_id, actor }, body);
      return canaries.read(workspace_id, agent_id);
    },
  });

  route(app, {
    method: 'POST',
    path: `${path}/promote`,
    tag: TAG,
    summary: "End the canary by saving its configuration as the agent's new version; the status stays as it is",
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, headers: ifMatch, response: savedAgentRecord },
    success: 200,
    errors: [404, 409, 422],
    handler: async ({ params: { agent_id }, headers }, { workspace_id, actor, may }) => {
      const saved = await canaries.promote({ workspace_id, agent_id, actor }, headers['if-match'] ?? null);
      return savedRecordOf(saved, may('agents.edit'));
    },
  });

  route(app, {
    method: 'DELETE',
    path,
    tag: TAG,
    summary: 'End the canary: all new calls use the version in use',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [404],
    handler: ({ params: { agent_id } }, { workspace_id, actor }) => canaries.drop({ workspace_id, agent_id, actor }),
  });
}
