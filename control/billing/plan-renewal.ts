import type { AuditAction } from '../../shared/audit-actions.ts';
import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import { notifyWorkspace } from '../workspaces/notify-workspace.ts';
import { DEFAULT_PLAN_ID, feeText, putOnPlan } from './change-plan.ts';
import { ownPlan } from './priced-plans.ts';
import { notifyUnpaid } from './renewals/notify-unpaid.ts';
import type { DueRenewal, RenewalSubject } from './renewals/renew.ts';
import { setPlanCycle } from './wallet.ts';

/** The fee of a plan. While it is unpaid there are no included minutes; after 7 days the workspace falls back to the default plan. */
export const planRenewal: RenewalSubject = {
  kind: 'plan',

  async nextCharge(tx, { workspace_id, subject_id, at_ms }) {
    const { id, name, monthly_fee_paise } = await ownPlan(tx, workspace_id, at_ms);
    return id === subject_id ? { amount_paise: monthly_fee_paise, description: feeText(name) } : null;
  },

  async paid(tx, { workspace_id, at_ms }, cycle_end) {
    const { included_minutes } = await ownPlan(tx, workspace_id, at_ms);
    await setPlanCycle(tx, workspace_id, { seconds: included_minutes * 60, cycle_end, past_due_since: null });
  },

  async pastDue(tx, due) {
    const { workspace_id, cycle_end, past_due_since, at_ms } = due;
    const { name, monthly_fee_paise, currency } = await ownPlan(tx, workspace_id, at_ms);
    await setPlanCycle(tx, workspace_id, { seconds: 0, cycle_end, past_due_since });
    await audit(tx, due, 'plan.past_due', name);
    await notifyUnpaid(tx, due, {
      ...{ subject: 'The fee of your plan could not be taken', of: `the plan ${name}`, currency },
      amount_paise: monthly_fee_paise,
      meanwhile: 'Until it is paid, no included minutes can be used.',
      ending: 'the workspace goes on with the plan that has no monthly fee',
    });
  },

  async lapsed(tx, due) {
    const { workspace_id, at_ms } = due;
    const { name, custom } = await ownPlan(tx, workspace_id, at_ms);
    await audit(tx, due, 'plan.lapsed', name);
    await putOnPlan(tx, { workspace_id, plan_id: DEFAULT_PLAN_ID, at_ms });
    const now = await ownPlan(tx, workspace_id, at_ms);
    await notifyWorkspace(tx, {
      ...{ workspace_id, at_ms, subject: `Your workspace is on the plan ${now.name} now` },
      text:
        `The fee of the plan ${name} could not be taken for seven days. The workspace is on the plan ${now.name} now, with its ` +
        `limits and its price of a minute.${custom ? '' : ' You can switch back in Billing at any time.'}`,
    });
  },
};

const audit = (tx: Transaction, { workspace_id, subject_id, at_ms }: DueRenewal, action: AuditAction, name: string) =>
  writeAudit(tx, {
    ...{ workspace_id, actor: SERVICE, action, target: { kind: 'plan', id: subject_id, name }, at_ms },
  });
