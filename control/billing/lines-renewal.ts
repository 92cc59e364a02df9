import type { AuditAction } from '../../shared/audit-actions.ts';
import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import type { Transaction } from '../db/connect.ts';
import { notifyWorkspace } from '../workspaces/notify-workspace.ts';
import { updateConcurrencyLimit } from '../workspaces/plan.ts';
import { callLines, linesText } from './call-lines.ts';
import { notifyUnpaid } from './renewals/notify-unpaid.ts';
import type { DueRenewal, RenewalSubject } from './renewals/renew.ts';

/** The fee of all call lines together. While it is unpaid they can be used; after 7 days they are removed. */
export const linesRenewal: RenewalSubject = {
  kind: 'lines',

  async nextCharge(tx, { workspace_id }) {
    const { extra_lines, next_charge_paise } = await callLines(tx, workspace_id);
    if (extra_lines === 0) return null;
    return { amount_paise: next_charge_paise, description: `${linesText(extra_lines)}, 30 days` };
  },

  async paid() {
    // The end of the cycle is the renewal's.
  },

  async pastDue(tx, due) {
    const { extra_lines, next_charge_paise, currency } = await callLines(tx, due.workspace_id);
    await audit(tx, due, 'lines.past_due');
    await notifyUnpaid(tx, due, {
      ...{ subject: 'The fee of your call lines could not be taken', of: linesText(extra_lines), currency },
      ...{ amount_paise: next_charge_paise, ending: 'the lines are removed' },
    });
  },

  async lapsed(tx, due) {
    const { workspace_id, at_ms } = due;
    const { extra_lines } = await callLines(tx, workspace_id);
    await tx`update workspaces set extra_lines = 0 where id = ${workspace_id}`;
    await updateConcurrencyLimit(tx, workspace_id);
    await audit(tx, due, 'lines.lapsed', { extra_lines: [extra_lines, 0] });
    const { concurrency_limit } = await callLines(tx, workspace_id);
    await notifyWorkspace(tx, {
      ...{ workspace_id, at_ms, subject: 'Your call lines are removed' },
      text:
        `The fee of ${linesText(extra_lines)} could not be taken for seven days, so they are removed. The workspace can have ` +
        `${concurrency_limit} calls at once now. You can buy lines again in Billing at any time.`,
    });
  },
};

const audit = (
  tx: Transaction,
  { workspace_id, at_ms }: DueRenewal,
  action: AuditAction,
  changes: Record<string, [unknown, unknown]> = {},
) =>
  writeAudit(tx, {
    ...{ workspace_id, actor: SERVICE, action, at_ms, changes },
    target: { kind: 'workspace', id: workspace_id, name: '' },
  });
