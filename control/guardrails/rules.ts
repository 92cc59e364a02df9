import { z } from 'zod';
import { newId } from '../../shared/ids.ts';
import type { AnySql, Transaction } from '../db/connect.ts';
import { CATEGORIES, listEnabledRules, listRules, lockRule, type RuleRow, SEVERITIES, writeRule } from './store.ts';

export type { RuleRow } from './store.ts';

/** The rules that agents are held to. Workspaces read them; the service's team sets them. */

export const allRules = (sql: AnySql): Promise<RuleRow[]> => listRules(sql);
/** The rules that calls are checked against. */
export const enabledRules = (sql: AnySql): Promise<RuleRow[]> => listEnabledRules(sql);

const ruleFields = z.object({
  name: z.string().trim().min(1).max(120),
  description: z.string().trim().min(1).max(2_000),
  category: z.enum(CATEGORIES),
  severity: z.enum(SEVERITIES),
  strikes: z.int().min(0).max(100),
  enabled: z.boolean(),
});
export type RuleFields = z.output<typeof ruleFields>;

const NEW_RULE_DEFAULTS: Partial<RuleFields> = { category: 'other', severity: 'violation', strikes: 0, enabled: true };

/**
 * Creates a rule (`id` null) or changes the fields given.
 * @returns the rule before and now, or an error.
 */
export async function setRule(
  tx: Transaction,
  id: string | null,
  given: Partial<RuleFields>,
  wallMs: number,
): Promise<{ before: RuleRow | null; now: RuleRow } | string> {
  const before = id === null ? null : await lockRule(tx, id);
  if (id !== null && !before) return `guardrail rule ${id} not found`;
  const read = ruleFields.safeParse({ ...(before ?? NEW_RULE_DEFAULTS), ...given });
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  const now: RuleRow = { id: id ?? newId(wallMs), ...read.data, updated_at: new Date(wallMs) };
  await writeRule(tx, now);
  return { before, now };
}
