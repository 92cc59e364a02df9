import type { AnySql, Transaction } from '../db/connect.ts';

/** The SQL of guardrail rules, which are the same for all workspaces, and of the incidents found in calls. */

export const CATEGORIES = ['abuse', 'fraud', 'privacy', 'regulated_advice', 'impersonation', 'other'] as const;
export const SEVERITIES = ['violation', 'warning'] as const;
export const INCIDENT_STATUSES = ['open', 'acknowledged', 'appealed', 'upheld', 'dismissed'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

export interface RuleRow {
  id: string;
  name: string;
  description: string;
  category: (typeof CATEGORIES)[number];
  severity: (typeof SEVERITIES)[number];
  /** Violations within 30 days that freeze the agent; 0: never. */
  strikes: number;
  enabled: boolean;
  updated_at: Date;
}

export interface IncidentRow {
  workspace_id: string;
  id: string;
  rule_id: string;
  rule_name: string;
  category: RuleRow['category'];
  severity: RuleRow['severity'];
  agent_id: string;
  agent_name: string;
  call_id: string;
  quote: string;
  confidence: number;
  action: 'notice' | 'frozen' | 'warning';
  strike: number;
  status: IncidentStatus;
  appeal_text: string;
  answer: string;
  created_at: Date;
  acknowledged_at: Date | null;
  appealed_at: Date | null;
  resolved_at: Date | null;
  acknowledged_by: string;
  appealed_by: string;
}

const MAX_LISTED = 200;

const ruleColumns = (sql: AnySql) => sql`
  id, name, description, category, severity, strikes, enabled, updated_at`;
const columns = (sql: AnySql) => sql`
  workspace_id, id, rule_id, rule_name, category, severity, agent_id, agent_name, call_id, quote, confidence, action, strike,
  status, appeal_text, answer, created_at, acknowledged_at, appealed_at, resolved_at, acknowledged_by, appealed_by`;

/** Newest first. */
export async function listRules(sql: AnySql): Promise<RuleRow[]> {
  return sql<RuleRow[]>`select ${ruleColumns(sql)} from guardrail_rules order by id desc`;
}

/** In the order of creation. */
export async function listEnabledRules(sql: AnySql): Promise<RuleRow[]> {
  return sql<RuleRow[]>`select ${ruleColumns(sql)} from guardrail_rules where enabled order by id`;
}

export async function lockRule(tx: Transaction, id: string): Promise<RuleRow | null> {
  const [row] = await tx<RuleRow[]>`select ${ruleColumns(tx)} from guardrail_rules where id = ${id} for update`;
  return row ?? null;
}

export async function writeRule(tx: Transaction, rule: RuleRow): Promise<void> {
  const { id, name, description, category, severity, strikes, enabled, updated_at } = rule;
  await tx`
    insert into guardrail_rules (id, name, description, category, severity, strikes, enabled, updated_at)
    values (${id}, ${name}, ${description}, ${category}, ${severity}, ${strikes}, ${enabled}, ${updated_at})
    on conflict (id) do update set name = excluded.name, description = excluded.description,
      category = excluded.category, severity = excluded.severity, strikes = excluded.strikes,
      enabled = excluded.enabled, updated_at = excluded.updated_at`;
}

export interface IncidentFilter {
  status?: IncidentStatus[] | undefined;
  agent_id?: string | undefined;
}

/** The last 200, newest first: ids sort by creation. */
export async function listIncidents(sql: AnySql, workspaceId: string, filter: IncidentFilter): Promise<IncidentRow[]> {
  const { status, agent_id } = filter;
  return sql<IncidentRow[]>`
    select ${columns(sql)} from guardrail_incidents
    where workspace_id = ${workspaceId}
      ${status ? sql`and status = any(${status})` : sql``}
      ${agent_id === undefined ? sql`` : sql`and agent_id = ${agent_id}`}
    order by id desc limit ${MAX_LISTED}`;
}

export async function findIncident(sql: AnySql, workspaceId: string, id: string): Promise<IncidentRow | null> {
  const [row] = await sql<IncidentRow[]>`
    select ${columns(sql)} from guardrail_incidents where workspace_id = ${workspaceId} and id = ${id}`;
  return row ?? null;
}

export async function lockIncident(tx: Transaction, workspaceId: string, id: string): Promise<IncidentRow | null> {
  const [row] = await tx<IncidentRow[]>`
    select ${columns(tx)} from guardrail_incidents where workspace_id = ${workspaceId} and id = ${id} for update`;
  return row ?? null;
}

/** Returns the workspace of an incident, which the service's team names by its id alone. */
export async function workspaceOfIncident(sql: AnySql, id: string): Promise<string | null> {
  const [row] = await sql<{ workspace_id: string }[]>`select workspace_id from guardrail_incidents where id = ${id}`;
  return row?.workspace_id ?? null;
}

/** Appeals of all workspaces that wait for an answer; oldest first. */
export async function listAppeals(sql: AnySql): Promise<IncidentRow[]> {
  return sql<IncidentRow[]>`
    select ${columns(sql)} from guardrail_incidents where status = 'appealed' order by appealed_at, id limit ${MAX_LISTED}`;
}

/** Writes the columns of an incident that can change. */
export async function updateIncident(tx: Transaction, incident: IncidentRow): Promise<void> {
  const { workspace_id, id, strike, status, appeal_text, answer } = incident;
  await tx`
    update guardrail_incidents set strike = ${strike}, status = ${status}, appeal_text = ${appeal_text}, answer = ${answer},
      acknowledged_at = ${incident.acknowledged_at}, acknowledged_by = ${incident.acknowledged_by},
      appealed_at = ${incident.appealed_at}, appealed_by = ${incident.appealed_by},
      resolved_at = ${incident.resolved_at}
    where workspace_id = ${workspace_id} and id = ${id}`;
}

/** @returns false when the rule was already found in that call. */
export async function insertIncident(tx: Transaction, incident: IncidentRow): Promise<boolean> {
  const rows = await tx`
    insert into guardrail_incidents ${tx(incident as never)}
    on conflict (workspace_id, call_id, rule_id) do nothing returning 1`;
  return rows.length > 0;
}

/** Counts violations of one agent and rule since then, without dismissed ones. */
export async function countStrikes(
  tx: Transaction,
  workspaceId: string,
  { agent_id, rule_id, since }: { agent_id: string; rule_id: string; since: Date },
): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::integer as count from guardrail_incidents
    where workspace_id = ${workspaceId} and agent_id = ${agent_id} and rule_id = ${rule_id}
      and severity = 'violation' and status <> 'dismissed' and created_at >= ${since}`;
  return row!.count;
}

export async function countByStatus(sql: AnySql, workspaceId: string): Promise<Map<IncidentStatus, number>> {
  const rows = await sql<{ status: IncidentStatus; count: number }[]>`
    select status, count(*)::integer as count from guardrail_incidents
    where workspace_id = ${workspaceId} and status in ('open', 'acknowledged', 'appealed') group by status`;
  return new Map(rows.map(({ status, count }) => [status, count]));
}

export interface RuleCount {
  rule_id: string;
  rule_name: string;
  severity: RuleRow['severity'];
  count: number;
}

/** Counts incidents per rule since then, without dismissed ones; the most violated rule first. */
export async function countByRule(sql: AnySql, workspaceId: string, since: Date): Promise<RuleCount[]> {
  return sql<RuleCount[]>`
    select rule_id, max(rule_name) as rule_name, severity, count(*)::integer as count from guardrail_incidents
    where workspace_id = ${workspaceId} and created_at >= ${since} and status <> 'dismissed'
    group by rule_id, severity order by count desc, rule_id, severity`;
}
