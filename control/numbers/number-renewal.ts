import type { AuditAction } from '../../shared/audit-actions.ts';
import { maskNumber } from '../../shared/phone.ts';
import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import { listRates } from '../billing/rate-overrides.ts';
import { notifyUnpaid } from '../billing/renewals/notify-unpaid.ts';
import type { DueRenewal, RenewalSubject } from '../billing/renewals/renew.ts';
import type { Transaction } from '../db/connect.ts';
import { notifyWorkspace } from '../workspaces/notify-workspace.ts';
import { monthlyFeePaise } from './number-record.ts';
import type { ReleaseNumber } from './release-number.ts';
import { feeText } from './settle-order.ts';
import { listNumbers, lockNumber, setPaid } from './store.ts';

/**
 * The fee of a number that the workspace bought, at the rates of the moment; nothing while it is one of the plan's included
 * numbers, whose cycle goes on. Unpaid, it takes calls for 7 days; then it is released.
 */
export function createNumberRenewal(releaseNumber: ReleaseNumber): RenewalSubject {
  return {
    kind: 'number',

    async nextCharge(tx, { workspace_id, subject_id }) {
      const [number] = await listNumbers(tx, workspace_id, subject_id);
      if (!number || number.order_id === null) return null;
      return { amount_paise: monthlyFeePaise(await listRates(tx), number), description: feeText(subject_id) };
    },

    paid: (tx, { workspace_id, subject_id }) => setPaid(tx, workspace_id, subject_id, true),

    async pastDue(tx, due) {
      const { workspace_id, subject_id } = due;
      const [number] = await listNumbers(tx, workspace_id, subject_id);
      await setPaid(tx, workspace_id, subject_id, false);
      await audit(tx, due, 'number.past_due');
      await notifyUnpaid(tx, due, {
        ...{ subject: 'The fee of a phone number could not be taken', of: `the number ${subject_id}` },
        ...{ amount_paise: monthlyFeePaise(await listRates(tx), number!), currency: number!.currency },
        meanwhile: 'It still takes calls.',
        ending: 'the number is released, and may not be available again',
      });
    },

    async lapsed(tx, due) {
      const { workspace_id, subject_id, at_ms } = due;
      const row = await lockNumber(tx, subject_id);
      if (row?.workspace_id !== workspace_id || row.status === 'released') return;
      await releaseNumber(tx, row, at_ms);
      await audit(tx, due, 'number.lapsed');
      await notifyWorkspace(tx, {
        ...{ workspace_id, at_ms, subject: 'A phone number is released' },
        text:
          `The fee of the number ${subject_id} could not be taken for seven days, so it is released: calls to it do not reach ` +
          'your agent any more.',
      });
    },
  };
}

function audit(tx: Transaction, { workspace_id, subject_id, at_ms }: DueRenewal, action: AuditAction) {
  const name = maskNumber(subject_id);
  const target = { kind: 'number', id: name, name };
  return writeAudit(tx, { workspace_id, actor: SERVICE, action, target, at_ms });
}
