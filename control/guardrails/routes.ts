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
    id: z.string().describe('32 hex characters'),
    name: z.string().describe('for display'),
    description: z.string().describe('what an agent must not do'),
    category: z.enum(CATEGORIES).describe('kind of rule'),
    severity: z.enum(SEVERITIES).describe('a warning never counts as a strike'),
    strikes: z.int().describe('the agent is frozen on that many violations within 30 days; 0: never'),
    enabled: z.boolean().describe('whether calls are checked against it'),
    updated_at: time(),
  })
  .meta({ id: 'GuardrailRule' });

const incidentRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    rule_id: z.string().describe('the rule that was broken'),
    rule_name: z.string().describe('as it was called then'),
    category: z.enum(CATEGORIES).describe('of the rule then'),
    severity: z.enum(SEVERITIES).describe('of the rule then'),
    agent_id: z.string().describe('who broke it'),
    agent_name: z.string().describe('as it was called then'),
    call_id: z.string().describe('where it happened'),
    quote: z.string().describe('what was said'),
    confidence: z.number().describe('0 to 1'),
    action: z.enum(['notice', 'frozen', 'warning']).describe('what followed at once'),
    strike: z
      .int()
      .describe('running number within 30 days for the agent and the rule; 0 for warnings and when dismissed'),
    status: z.enum(INCIDENT_STATUSES).describe('open until somebody of the workspace has seen it'),
    appeal_text: z.string().describe('words of the workspace; empty without an appeal'),
    answer: z.string().describe("of the service's team to an appeal"),
    created_at: time(),
    acknowledged_at: time().nullable(),
    appealed_at: time().nullable(),
    resolved_at: time().nullable(),
    acknowledged_by: z.string().describe('a name, or empty'),
    appealed_by: z.string().describe('a name, or empty'),
  })
  .meta({ id: 'GuardrailIncident' });

const summaryRecord = z
  .object({
    open: z.int().describe('seen by nobody yet'),
    acknowledged: z.int().describe('seen, and not appealed'),
    appealed: z.int().describe('waiting for an answer'),
    violations_30_days: z.int().describe('without those that were dismissed'),
    warnings_30_days: z.int().describe('without those that were dismissed'),
    frozen_agents: z.int().describe('stopped by an incident now'),
    by_rule: z
      .array(
        z.object({
          rule_id: z.string().describe('the rule'),
          rule_name: z.string().describe('as it was called last'),
          count: z.int().describe('incidents within 30 days'),
        }),
      )
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
        status: commaSeparated(INCIDENT_STATUSES).optional().describe('comma-separated'),
        agent_id: z.string().max(64).optional().describe('only those of this agent'),
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
    schema: {
      params,
      body: z.object({ text: z.string().trim().min(10).max(2_000).describe('why the incident is none') }),
      response: incidentRecord,
    },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      incidents.appeal(workspace_id, actor, params.incident_id, body.text),
  });
}
