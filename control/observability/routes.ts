import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Sql } from '../db/connect.ts';
import { commaSeparated, longPageOf, paging } from '../http/query.ts';
import { route } from '../http/route.ts';
import { timeInput } from '../http/times.ts';
import { listServerLogs } from './list-logs.ts';
import { auditRecord, LOG_LEVELS, LOG_SOURCES, logRecord } from './log-records.ts';
import { listAuditEvents } from './store.ts';

const TAG = 'Observability';
const MAX_ID_LENGTH = 64;

const id = (what: string) => z.string().min(1).max(MAX_ID_LENGTH).optional().describe(what);
const period = {
  since: timeInput().optional(),
  until: timeInput().optional(),
};

/** Audit events and server logs. */
export function observabilityRoutes(app: FastifyInstance, { sql }: { sql: Sql }): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/audit-events',
    tag: TAG,
    summary: 'Who changed what, newest first; deleted after 2 years',
    credential: 'key',
    permission: 'logs.view',
    schema: {
      query: z.object({
        action: z.string().min(1).max(80).optional().describe('the action, or its beginning: `agent.`'),
        actor_id: id('the id of a user, key or app'),
        target_id: id('the id of what was changed'),
        ...period,
        ...paging(50, 200),
      }),
      response: longPageOf(auditRecord),
    },
    success: 200,
    handler: async ({ query: { limit, skip, ...filters } }, { workspace_id }) =>
      listAuditEvents(sql, workspace_id, filters, limit, skip),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/logs',
    tag: TAG,
    summary: 'What the service did for the workspace, newest first; deleted after 14 days',
    credential: 'key',
    permission: 'logs.view',
    schema: {
      query: z.object({
        level: commaSeparated(LOG_LEVELS).optional().describe('comma-separated'),
        source: z.enum(LOG_SOURCES).optional().describe('only lines of this part of the service'),
        request_id: id('the `X-Request-ID` of a response'),
        call_id: id('the id of a call'),
        q: z
          .string()
          .min(1)
          .max(100)
          .optional()
          .describe('text in the message or the data; frequent text is counted in the newest 5000 lines'),
        ...period,
        ...paging(100, 500),
      }),
      response: longPageOf(logRecord),
    },
    success: 200,
    handler: async ({ query: { limit, skip, ...filters } }, { workspace_id }) =>
      listServerLogs(sql, workspace_id, filters, limit, skip),
  });
}
