import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import { statistics } from '../call-totals/call-statistics.ts';
import { liveCalls, queueState } from '../calls/call-statistics.ts';
import { nextInQueue } from '../calls/queue/queue-position.ts';
import type { Sql } from '../db/connect.ts';
import { notFound } from '../http/errors.ts';
import { route } from '../http/route.ts';
import { time, timeInput } from '../http/times.ts';
import { concurrencyLimitOf } from '../workspaces/plan.ts';
import { summariseCalls } from './summary.ts';

const TAG = 'Observability';

const MAX_LISTED = 100;

const id = z.string().regex(/^[a-f0-9]{32}$/);

const summaryRecord = z
  .object({
    totals: z.object(statistics).describe('of the whole period'),
    items: z
      .array(
        z.object({
          day: z.string().describe("`YYYY-MM-DD`; of an hour its beginning, with the zone's offset"),
          ...statistics,
        }),
      )
      .describe('every day or hour of the period, oldest first'),
    hangup_reasons: z
      .array(
        z.object({
          reason: z.string().describe("as in a call's `hangup_reason`"),
          count: z.int().describe('calls that ended so'),
        }),
      )
      .describe('the fifty most frequent, those first'),
    currency: z.string().describe('`INR` or `USD`'),
  })
  .meta({ id: 'CallsSummary' });

const liveRecord = z
  .object({
    concurrency_limit: z.int().describe('live calls at most, extra lines included'),
    active_calls: z.int().describe('ringing or in progress'),
    queued_calls: z.int().describe('waiting for their turn'),
    oldest_queued_at: time('since when the oldest of them waits').nullable(),
    calls: z
      .array(
        z.object({
          id: z.string().describe('the id of the call'),
          agent_id: z.string().nullable().describe('its agent'),
          agent_name: z.string().describe('as when the call was placed'),
          direction: z.enum(['outbound', 'inbound']).describe('who called whom'),
          channel: z.enum(['phone', 'web']).describe("`web`: from a browser, or over a client's stream"),
          provider: z
            .string()
            .describe("the carrier; `stream` for a call over a client's stream, empty for browser calls"),
          to_number: z.string().describe('E.164; empty where `channel` is `web`'),
          from_number: z.string().describe('E.164; empty where `channel` is `web`'),
          status: z.enum(['ringing', 'in-progress']).describe('where it is'),
          started_at: time('when it was answered').nullable(),
          batch_id: z.string().nullable().describe('its batch'),
        }),
      )
      .describe('the live ones, newest first'),
    queue: z
      .array(
        z.object({
          id: z.string().describe('the id of the call'),
          agent_id: z.string().nullable().describe('its agent'),
          agent_name: z.string().describe('as when the call was placed'),
          to_number: z.string().describe('E.164'),
          from_number: z.string().describe('E.164'),
          started_by: z.string().describe('a person, the label of a key, or `batch <name>`'),
          queued_at: time('since when it waits; for a call back the time it waits for'),
          batch_id: z.string().nullable().describe('its batch'),
        }),
      )
      .describe(
        'the first 100 that wait, in the order in which they are served, without those of paused agents and batches',
      ),
  })
  .meta({ id: 'LiveCalls' });

/** Call statistics of a period, and the calls and the queue of this moment. */
export function liveRoutes(app: FastifyInstance, { sql, clock }: { sql: Sql; clock: Clock }): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/observability/summary',
    tag: TAG,
    summary: 'Calls, answer rate, failures, latency and cost, by day or hour',
    credential: 'key',
    permission: 'calls.view',
    schema: {
      query: z.object({
        since: timeInput('calls created at this time or later; default the last 7 days of the zone').optional(),
        until: timeInput('calls created before this time; default now').optional(),
        agent_id: id.optional().describe('calls of this agent'),
        bucket: z.enum(['day', 'hour']).default('day').describe('at most 366 days or 744 hours'),
      }),
      response: summaryRecord,
    },
    success: 200,
    async handler({ query }, { workspace_id, zone }) {
      const limit = await concurrencyLimitOf(sql, workspace_id);
      if (!limit) throw notFound('workspace');
      const summary = await summariseCalls(sql, workspace_id, query, { zone, wallMs: clock.wall() });
      return { ...summary, currency: limit.currency };
    },
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/observability/live',
    tag: TAG,
    summary: 'Calls ringing or in progress now, and the queue',
    credential: 'key',
    permission: 'calls.view',
    schema: { response: liveRecord },
    success: 200,
    async handler(_input, { workspace_id }) {
      const [limit, calls, queue, next] = await Promise.all([
        concurrencyLimitOf(sql, workspace_id),
        liveCalls(sql, workspace_id),
        queueState(sql, workspace_id),
        nextInQueue(sql, workspace_id, MAX_LISTED, clock.wall()),
      ]);
      if (!limit) throw notFound('workspace');
      return {
        concurrency_limit: limit.concurrency_limit,
        active_calls: calls.length,
        queued_calls: queue.queued,
        oldest_queued_at: queue.oldest_queued_at,
        calls: calls.map((call) => ({ ...call, status: call.status as 'ringing' | 'in-progress' })),
        queue: next,
      };
    },
  });
}
