import { z } from 'zod';
import { time } from '../http/times.ts';

export const LOG_LEVELS = ['info', 'warning', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export const LOG_SOURCES = ['api', 'call', 'webhook', 'batch', 'test', 'job'] as const;
export type LogSource = (typeof LOG_SOURCES)[number];

export const auditRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    at: time(),
    action: z.string().describe('what happened to what, like `agent.updated`'),
    actor: z
      .object({
        kind: z
          .enum(['user', 'api_key', 'oauth_app', 'service'])
          .describe('a person, a key, a connected app, or the service itself'),
        id: z.string().describe('of the person, key or app'),
        name: z.string().describe("a person's name, or the label of a key"),
      })
      .describe('who did it'),
    target: z
      .object({
        kind: z.string().describe('such as `agent`'),
        id: z.string().describe('of what was changed'),
        name: z.string().describe('as it was called then'),
      })
      .describe('what was changed'),
    changes: z
      .record(z.string(), z.array(z.unknown()).length(2))
      .describe('field → [old, new]; secrets and prompts as ["changed", "changed"]'),
    data: z.record(z.string(), z.unknown()).describe('further facts'),
    address: z.string().describe('where the request came from; empty for what the service did by itself'),
    request_id: z.string().describe('the `X-Request-ID` of that request, or empty'),
  })
  .meta({ id: 'AuditEvent' });

export const logRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    at: time(),
    level: z.enum(LOG_LEVELS).describe('how bad it is'),
    message: z.string().describe('a fixed sentence; what varies is in `data`'),
    source: z.enum(LOG_SOURCES).describe('which part of the service wrote it'),
    request_id: z.string().describe('the `X-Request-ID` of the request, or empty'),
    call_id: z.string().describe('the call it is about, or empty'),
    agent_id: z.string().describe('the agent it is about, or empty'),
    method: z.string().describe('of the request, or empty'),
    path: z.string().describe('of the endpoint, with names instead of values, or empty'),
    status: z.int().nullable().describe('of the response'),
    duration_ms: z.int().nullable().describe('until the response was sent'),
    data: z.record(z.string(), z.unknown()).describe('further facts'),
  })
  .meta({ id: 'ServerLog' });

export type AuditRecord = z.output<typeof auditRecord>;
export type LogRecord = z.output<typeof logRecord>;
