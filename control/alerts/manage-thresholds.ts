import type { Transaction } from '../db/connect.ts';
import { type AlertThresholds, alertThresholds } from './alert-policy.ts';

/**
 * Changes the given thresholds of a workspace; `null` returns to the service's. @returns the thresholds before and after, or why
 * they were refused.
 */
export async function changeThresholds(
  tx: Transaction,
  workspaceId: string,
  change: { [Name in keyof AlertThresholds]?: number | null },
): Promise<{ before: AlertThresholds; now: AlertThresholds } | string> {
  const [row] = await tx<{ alert_thresholds: Record<string, number> }[]>`
    select alert_thresholds from workspaces where id = ${workspaceId} for no key update`;
  const own = { ...row!.alert_thresholds, ...change };
  const kept = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== null));
  const read = alertThresholds.safeParse(kept);
  if (!read.success) return read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
  await tx`update workspaces set alert_thresholds = ${tx.json(kept as never)} where id = ${workspaceId}`;
  return { before: alertThresholds.parse(row!.alert_thresholds), now: read.data };
}
