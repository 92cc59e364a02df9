import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import type { Sql } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { pathId, queryInteger } from '../http/query.ts';
import { route } from '../http/route.ts';
import { latencyOf } from './latency.ts';
import { findAgent } from './store.ts';

const milliseconds = z.int().nullable().describe('milliseconds; null when nothing was measured');
const percentiles = (description: string) =>
  z
    .object({ p50: milliseconds, p90: milliseconds, p95: milliseconds })
    .describe(`${description}, in milliseconds, at most 2.5 % off; null where nothing was measured`);

const latencyRecord = z
  .object({
    days: z.int().describe('length of the period'),
    calls: z.int().describe('answered calls of these days'),
    turns: z.int().describe('replies whose first audio was measured'),
    first_audio_ms: percentiles("from the end of the caller's speech to the first audio of the reply"),
    llm_first_token_ms: percentiles("from the end of the caller's speech to the model's first token"),
    welcome_ms: percentiles('from the start of the call to the first audio of the welcome message'),
    tool_ms: percentiles("time of a tool's request"),
    by_day: z
      .array(
        z.object({
          day: z.string().describe('YYYY-MM-DD in the zone of the request'),
          turns: z.int().describe('replies measured on that day'),
          first_audio_p50_ms: milliseconds,
          first_audio_p95_ms: milliseconds,
        }),
      )
      .describe('every day, oldest first; a call counts for the day it was created in'),
  })
  .meta({ id: 'AgentLatency' });

export function latencyRoutes(app: FastifyInstance, { sql, clock }: { sql: Sql; clock: Clock }): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/agents/{agent_id}/latency',
    tag: 'Agents',
    summary: 'How quickly the agent answered in the last days, today included',
    credential: 'key',
    permission: 'calls.view',
    schema: {
      params: z.object({ agent_id: pathId('agent') }),
      query: z.object({ days: queryInteger(1, 90).default(7).describe('until now') }),
      response: latencyRecord,
    },
    success: 200,
    errors: [404],
    handler: async ({ params, query }, { workspace_id, zone }) => {
      const { agent_id } = params;
      if (!(await findAgent(sql, workspace_id, agent_id))) throw notFound('agent');
      const asked = { workspaceId: workspace_id, agentId: agent_id, days: query.days, zone, wallMs: clock.wall() };
      return latencyOf(sql, asked);
    },
  });
}
