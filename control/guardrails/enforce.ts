import { newId } from '../../shared/ids.ts';
import { freezeAgent } from '../agents/frozen-agents.ts';
import type { Transaction } from '../db/connect.ts';
import { countStrikes, type IncidentRow, insertIncident, type RuleRow } from './store.ts';

/** Consequences of a violated rule: an incident, a strike, and with enough strikes the agent is frozen. */

const THIRTY_DAYS_MS = 30 * 24 * 3_600_000;

export interface RuleViolation {
  rule: RuleRow;
  /** The agent's own words. */
  quote: string;
  /** 0 to 1 */
  confidence: number;
}

export interface ViolatedCall {
  workspace_id: string;
  call_id: string;
  agent_id: string;
  agent_name: string;
  at_ms: number;
}

/**
 * Writes one incident per rule and call, in the order given; a rule already found in that call is skipped. Warnings count no
 * strike. The agent is frozen on the strike that its rule names.
 *
 * @returns the incidents written.
 */
export async function recordViolations(
  tx: Transaction,
  { workspace_id, call_id, agent_id, agent_name, at_ms }: ViolatedCall,
  found: readonly RuleViolation[],
): Promise<IncidentRow[]> {
  if (found.length === 0) return [];
  // Locked, so that two calls of one agent that end together do not count the same strikes.
  await tx`select id from agents where workspace_id = ${workspace_id} and id = ${agent_id} for no key update`;
  const written: IncidentRow[] = [];
  for (const { rule, quote, confidence } of found) {
    const { id: rule_id, name: rule_name, category, severity, strikes } = rule;
    const violation = severity === 'violation';
    const since = new Date(at_ms - THIRTY_DAYS_MS);
    const strike = violation ? 1 + (await countStrikes(tx, workspace_id, { agent_id, rule_id, since })) : 0;
    const incident: IncidentRow = {
      ...{ workspace_id, id: newId(at_ms), rule_id, rule_name, category, severity, agent_id, agent_name, call_id },
      ...{ quote, confidence, strike },
      action: violation ? 'notice' : 'warning',
      status: 'open',
      appeal_text: '',
      answer: '',
      created_at: new Date(at_ms),
      acknowledged_at: null,
      appealed_at: null,
      resolved_at: null,
      acknowledged_by: '',
      appealed_by: '',
    };
    const enough = violation && strikes > 0 && strike >= strikes;
    if (!(await insertIncident(tx, incident))) continue;
    if (
      enough &&
      (await freezeAgent(tx, { workspace_id, agent_id, incident_id: incident.id, reason: rule_name, at_ms }))
    ) {
      incident.action = 'frozen';
      await tx`
        update guardrail_incidents set action = 'frozen'
        where workspace_id = ${workspace_id} and id = ${incident.id}`;
    }
    written.push(incident);
  }
  return written;
}
