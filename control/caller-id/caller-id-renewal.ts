import { SERVICE, writeAudit } from '../audit/write-audit.ts';
import { callerIdFee, callerIdFeeText } from '../billing/caller-id-fee.ts';
import { notifyUnpaid } from '../billing/renewals/notify-unpaid.ts';
import type { RenewalSubject } from '../billing/renewals/renew.ts';
import { notifyWorkspace } from '../workspaces/notify-workspace.ts';
import { transitionCallerId } from './caller-id-transitions.ts';
import { lockRequest, updateRequest } from './store.ts';

/** The fee of a shown caller id, which a plan may include from one cycle to the next. Unpaid for 7 days, it is removed. */
export const callerIdRenewal: RenewalSubject = {
  kind: 'caller_id',

  async nextCharge(tx, { workspace_id, subject_id }) {
    const row = await lockRequest(tx, workspace_id, subject_id);
    if (row?.status !== 'active') return null;
    const { fee_paise } = await callerIdFee(tx, workspace_id);
    return { amount_paise: fee_paise, description: callerIdFeeText(row.display_name) };
  },

  async paid(tx, { workspace_id, subject_id }, cycleEnd) {
    const row = (await lockRequest(tx, workspace_id, subject_id))!;
    const fee = await callerIdFee(tx, workspace_id);
    const paid_until = fee.fee_paise > 0 ? cycleEnd : null;
    await updateRequest(tx, workspace_id, subject_id, { ...row, ...fee, paid_until });
  },

  async pastDue(tx, due) {
    const { workspace_id, subject_id, at_ms } = due;
    const { display_name: name } = (await lockRequest(tx, workspace_id, subject_id))!;
    const { fee_paise, currency } = await callerIdFee(tx, workspace_id);
    const target = { kind: 'caller_id_request', id: subject_id, name };
    await writeAudit(tx, { workspace_id, actor: SERVICE, action: 'caller_id.past_due', target, at_ms });
    await notifyUnpaid(tx, due, {
      ...{ subject: 'The fee of your caller id could not be taken', of: `the caller id "${name}"`, currency },
      ...{ amount_paise: fee_paise, ending: 'the caller id ends' },
    });
  },

  async lapsed(tx, { workspace_id, subject_id, at_ms }) {
    const row = (await lockRequest(tx, workspace_id, subject_id))!;
    await transitionCallerId(tx, row, { status: 'removed' }, SERVICE, at_ms);
    await notifyWorkspace(tx, {
      ...{ workspace_id, at_ms, subject: 'Your caller id has ended' },
      text:
        `The fee of the caller id "${row.display_name}" could not be taken for seven days, so phones do not show it any more. ` +
        'You can request it again at any time.',
    });
  },
};
