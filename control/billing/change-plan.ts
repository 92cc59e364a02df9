import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { planOf, setPlan } from '../workspaces/plan.ts';
import { type OwnPlan, ownPlan, planEntries } from './priced-plans.ts';
import { feeKey } from './renewals/renew.ts';
import { cycleEndAfter } from './renewals/renewal-policy.ts';
import { retryPastDue, startRenewal, stopRenewal } from './renewals/renewals.ts';
import { notEnoughCredits, takeFee } from './take-fee.ts';
import { setPlanCycle } from './wallet.ts';

/** The plan that a workspace begins with, and falls back to when its plan's fee is not paid. */
export const DEFAULT_PLAN_ID = 'starter';

export interface PlanSwitch {
  workspace_id: string;
  plan_id: string;
  actor: Actor;
  at_ms: number;
  /** Called in the transaction of the switch. */
  markCarriedOut(tx: AnySql): Promise<void>;
}

/**
 * Switches to another plan at once. The fee of the first 30 days is taken from the credits, and the included minutes begin anew;
 * what was paid for the previous plan is not given back.
 *
 * @throws HttpError 404 unknown plan, 409 when it cannot be switched to, 402 when the credits do not cover the fee.
 */
export async function switchPlan(sql: Sql, request: PlanSwitch): Promise<OwnPlan> {
  const { workspace_id, plan_id, actor, at_ms } = request;
  return sql.begin(async (tx) => {
    await lockWorkspace(tx, workspace_id);
    const plan = (await planEntries(tx, workspace_id, at_ms)).find(({ id }) => id === plan_id);
    if (!plan) throw notFound('plan');
    if (!plan.can_switch) throw conflict('this plan cannot be switched to');
    await putOnPlan(tx, { workspace_id, plan_id, actor, at_ms });
    await request.markCarriedOut(tx);
    const { monthly_fee_paise: amount_paise, name, currency } = plan;
    const key = feeKey({ kind: 'plan', subject_id: plan_id }, new Date(at_ms));
    const fee = { workspace_id, kind: 'plan', amount_paise, description: feeText(name), by_name: actor.name } as const;
    if (!(await takeFee(tx, { ...fee, key, at_ms }))) throw notEnoughCredits(`plan ${name}`, amount_paise, currency);
    return ownPlan(tx, workspace_id, at_ms);
  });
}

/** What the ledger and the invoice say. */
export const feeText = (planName: string): string => `plan ${planName}, 30 days`;

/**
 * Puts a workspace on a plan, without a charge: a new cycle of 30 days begins with all its included minutes, and a plan with
 * neither a fee nor included minutes has no cycle.
 *
 * @returns false when there is no such plan.
 */
export async function putOnPlan(
  tx: Transaction,
  { workspace_id, plan_id, actor = SERVICE, at_ms }: Omit<PlanSwitch, 'actor' | 'markCarriedOut'> & { actor?: Actor },
): Promise<boolean> {
  await lockWorkspace(tx, workspace_id);
  const before = await planOf(tx, workspace_id);
  if (!(await setPlan(tx, workspace_id, plan_id))) return false;
  await tx`update workspaces set plan_changed_at = ${new Date(at_ms)} where id = ${workspace_id}`;
  if (before) await stopRenewal(tx, { workspace_id, kind: 'plan', subject_id: before.plan_id });
  const { monthly_fee_paise, included_minutes } = await ownPlan(tx, workspace_id, at_ms);
  const cycle_end = monthly_fee_paise > 0 || included_minutes > 0 ? cycleEndAfter(at_ms) : null;
  if (cycle_end) await startRenewal(tx, { workspace_id, kind: 'plan', subject_id: plan_id, cycle_end });
  await setPlanCycle(tx, workspace_id, { seconds: included_minutes * 60, cycle_end, past_due_since: null });
  // The plan may include what is unpaid.
  await retryPastDue(tx, workspace_id, at_ms);
  await writeAudit(tx, {
    ...{ workspace_id, actor, action: 'workspace.plan_changed', at_ms },
    target: { kind: 'workspace', id: workspace_id, name: '' },
    changes: { plan_id: [before?.plan_id ?? null, plan_id] },
  });
  return true;
}
