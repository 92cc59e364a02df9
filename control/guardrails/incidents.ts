import type { Clock } from '../../shared/clock.ts';
import { countFrozenAgents, unfreezeAgent } from '../agents/frozen-agents.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { notifyWorkspace, quoted } from '../workspaces/notify-workspace.ts';
import {
  countByRule,
  countByStatus,
  findIncident,
  type IncidentFilter,
  type IncidentRow,
  type IncidentStatus,
  listAppeals,
  listIncidents,
  lockIncident,
  updateIncident,
  workspaceOfIncident,
} from './store.ts';

/**
 * The states of an incident: `open` → `acknowledged`, both → `appealed` → `upheld` or `dismissed`. The workspace does the first
 * two steps, the service's team the last.
 */

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;

export interface IncidentsDeps {
  sql: Sql;
  clock: Clock;
}

export function createIncidents({ sql, clock }: IncidentsDeps) {
  const move = async (
    { workspaceId, actor, id }: { workspaceId: string; actor: Actor; id: string },
    from: readonly IncidentStatus[],
    to: (now: Date) => Partial<IncidentRow> & Pick<IncidentRow, 'status'>,
  ) => {
    const at_ms = clock.wall();
    return sql.begin(async (tx) => {
      const incident = await lockIncident(tx, workspaceId, id);
      if (!incident) throw notFound('incident');
      if (!from.includes(incident.status)) throw conflict(`the incident is already ${incident.status}`);
      return transitionIncident(tx, incident, to(new Date(at_ms)), actor, at_ms);
    });
  };

  return {
    list: (workspaceId: string, filter: IncidentFilter) => listIncidents(sql, workspaceId, filter),

    async find(workspaceId: string, id: string): Promise<IncidentRow> {
      const incident = await findIncident(sql, workspaceId, id);
      if (!incident) throw notFound('incident');
      return incident;
    },

    async summary(workspaceId: string) {
      const since = new Date(clock.wall() - THIRTY_DAYS_MS);
      const [statuses, rules, frozen_agents] = await Promise.all([
        countByStatus(sql, workspaceId),
        countByRule(sql, workspaceId, since),
        countFrozenAgents(sql, workspaceId),
      ]);
      const sum = (severity: string) =>
        rules.filter((rule) => rule.severity === severity).reduce((total, { count }) => total + count, 0);
      const byRule = new Map<string, { rule_id: string; rule_name: string; count: number }>();
      for (const { rule_id, rule_name, count } of rules) {
        // The severity of a rule may have changed.
        const before = byRule.get(rule_id);
        byRule.set(rule_id, { rule_id, rule_name, count: count + (before?.count ?? 0) });
      }
      return {
        open: statuses.get('open') ?? 0,
        acknowledged: statuses.get('acknowledged') ?? 0,
        appealed: statuses.get('appealed') ?? 0,
        violations_30_days: sum('violation'),
        warnings_30_days: sum('warning'),
        frozen_agents,
        by_rule: [...byRule.values()].sort((a, b) => b.count - a.count),
      };
    },

    acknowledge: (workspaceId: string, actor: Actor, id: string) =>
      move({ workspaceId, actor, id }, ['open'], (now) => ({
        status: 'acknowledged',
        acknowledged_at: now,
        acknowledged_by: actor.name,
      })),

    appeal: (workspaceId: string, actor: Actor, id: string, text: string) =>
      move({ workspaceId, actor, id }, ['open', 'acknowledged'], (now) => ({
        status: 'appealed',
        appeal_text: text,
        appealed_at: now,
        appealed_by: actor.name,
      })),
  };
}

/** Removes what incidents quote of calls that are deleted; the incidents stay, because strikes are counted by them. */
export async function removeQuotes(tx: Transaction, workspaceId: string, callIds: readonly string[]): Promise<void> {
  await tx`
    update guardrail_incidents set quote = ''
    where workspace_id = ${workspaceId} and call_id = any(${[...callIds]}) and quote <> ''`;
}

export interface AppealDecision {
  incident_id: string;
  to: 'upheld' | 'dismissed';
  /** For the workspace to read. */
  answer: string;
  actor: Actor;
  at_ms: number;
}

export const openAppeals = (sql: AnySql): Promise<IncidentRow[]> => listAppeals(sql);

/**
 * Decides an appeal, for the service's team. A dismissed incident takes its strike back and unfreezes the agent.
 * @returns the incident, or an error.
 */
export async function decideAppeal(tx: Transaction, decision: AppealDecision): Promise<IncidentRow | string> {
  const { incident_id, to, answer, actor, at_ms } = decision;
  const workspaceId = await workspaceOfIncident(tx, incident_id);
  const incident = workspaceId === null ? null : await lockIncident(tx, workspaceId, incident_id);
  if (!incident) return `incident ${incident_id} not found`;
  if (incident.status !== 'appealed') return `the incident is ${incident.status}: only an appeal can be decided`;
  const { workspace_id, agent_id } = incident;
  const strike = to === 'dismissed' ? 0 : incident.strike;
  const resolved = { status: to, answer, strike, resolved_at: new Date(at_ms) };
  const moved = await transitionIncident(tx, incident, resolved, actor, at_ms);
  if (to === 'dismissed') await unfreezeAgent(tx, { workspace_id, agent_id, incident_id, actor, at_ms });
  const about = `Your appeal about the agent "${incident.agent_name}" and the rule "${incident.rule_name}"`;
  const outcome =
    to === 'dismissed' ? 'was right: the incident is dismissed, and counts no more.' : 'was read; the incident stands.';
  const subject = to === 'dismissed' ? 'Your appeal was right' : 'Your appeal was decided';
  const text = `${about} ${outcome}${quoted('The answer:', answer)}`;
  await notifyWorkspace(tx, { workspace_id, subject, text, at_ms });
  return moved;
}

async function transitionIncident(
  tx: Transaction,
  incident: IncidentRow,
  to: Partial<IncidentRow> & Pick<IncidentRow, 'status'>,
  actor: Actor,
  at_ms: number,
): Promise<IncidentRow> {
  const moved = { ...incident, ...to };
  await updateIncident(tx, moved);
  await writeAudit(tx, {
    workspace_id: incident.workspace_id,
    actor,
    action: `incident.${moved.status}`,
    target: { kind: 'incident', id: incident.id, name: incident.rule_name },
    changes: { status: [incident.status, moved.status] },
    at_ms,
  });
  return moved;
}
