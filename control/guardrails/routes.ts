import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { commaSeparated, pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { createIncidents, type IncidentsDeps } from './incidents.ts';
import { allRules } from './rules.ts';
import { CATEGORIES, INCIDENT_STATUSES, SEVERITIES } from './store.ts';

const TAG = 'Workspace';

const ruleRecord = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    category: z.enum(CATEGORIES),
    severity: z.enum(SEVERITIES),
    strikes: z.int().describe('the agent is frozen on that many violations within 30 days; 0: never'),
    enabled: z.boolean(),
    updated_at: time(),
  })
  .meta({ id: 'GuardrailRule' });

const incidentRecord = z
  .object({
    id: z.string(),
    rule_id: z.string(),
    rule_name: z.string(),
    category: z.enum(CATEGORIES),
    severity: z.enum(SEVERITIES),
    agent_id: z.string(),
    agent_name: z.string(),
    call_id: z.string(),
    quote: z.string().describe('what was said'),
    confidence: z.number().describe('0 to 1'),
    action: z.enum(['notice', 'frozen', 'warning']),
    strike: z
      .int()
      .describe('running number within 30 days for the agent and the rule; 0 for warnings and when dismissed'),
    status: z.enum(INCIDENT_STATUSES),
    appeal_text: z.string(),
    answer: z.string().describe("of the service's team to an appeal"),
    created_at: time(),
    acknowledged_at: time().nullable(),
    appealed_at: time().nullable(),
    resolved_at: time().nullable(),
    acknowledged_by: z.string(),
    appealed_by: z.string(),
  })
  .meta({ id: 'GuardrailIncident' });

const summaryRecord = z
  .object({
    open: z.int(),
    acknowledged: z.int(),
    appealed: z.int(),
    violations_30_days: z.int().describe('without those that were dismissed'),
    warnings_30_days: z.int().describe('without those that were dismissed'),
    frozen_agents: z.int(),
    by_rule: z
      .array(z.object({ rule_id: z.string(), rule_name: z.string(), count: z.int() }))
      .describe('within 30 days, the most broken rule first'),
  })
  .meta({ id: 'GuardrailSummary' });

const params = z.object({ incident_id: pathId('incident') });

export function guardrailRoutes(app: FastifyInstance, deps: IncidentsDeps): void {
  const incidents = createIncidents(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/guardrails/rules',
    tag: TAG,
    summary: 'The rules that agents are held to, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(ruleRecord) },
    success: 200,
    handler: async () => allRules(deps.sql),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/guardrails/summary',
    tag: TAG,
    summary: 'How many incidents there are, and of which rules',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: summaryRecord },
    success: 200,
    handler: async (_input, { workspace_id }) => incidents.summary(workspace_id),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/guardrails/incidents',
    tag: TAG,
    summary: 'The last 200 incidents, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: {
      query: z.object({
        status: commaSeparated(INCIDENT_STATUSES).optional(),
        agent_id: z.string().max(64).optional(),
      }),
      response: z.array(incidentRecord),
    },
    success: 200,
    handler: async ({ query }, { workspace_id }) => incidents.list(workspace_id, query),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/guardrails/incidents/{incident_id}',
    tag: TAG,
    summary: 'One incident',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: incidentRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => incidents.find(workspace_id, params.incident_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/guardrails/incidents/{incident_id}/acknowledge',
    tag: TAG,
    summary: 'Say that an open incident was seen',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params, response: incidentRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) =>
      incidents.acknowledge(workspace_id, actor, params.incident_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/guardrails/incidents/{incident_id}/appeal',
    tag: TAG,
    summary: 'Say why an incident is none',
    credential: 'session',
    permission: 'agents.edit',
    schema: { params, body: z.object({ text: z.string().trim().min(10).max(2_000) }), response: incidentRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      incidents.appeal(workspace_id, actor, params.incident_id, body.text),
  });
}
