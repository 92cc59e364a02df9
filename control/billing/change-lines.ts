import type { AuditAction } from '../../shared/audit-actions.ts';
import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict } from '../http/errors.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { updateConcurrencyLimit } from '../workspaces/plan.ts';
import { type CallLines, callLines, linesRenewalKey, linesText } from './call-lines.ts';
import { linesRenewal } from './lines-renewal.ts';
import { renew } from './renewals/renew.ts';
import { cycleEndAfter } from './renewals/renewal-policy.ts';
import { lockRenewal, type Renewal, startRenewal, stopRenewal } from './renewals/renewals.ts';
import { type Fee, notEnoughCredits, takeFee } from './take-fee.ts';

const DAY_MS = 86_400_000;
const CYCLE_DAYS = 30;

export interface LinesChange {
  workspace_id: string;
  quantity: number;
  actor: Actor;
  at_ms: number;
}

/**
 * Buys call lines, which can be used at once. The first ones are paid for 30 days; later ones for the days that are left of the
 * cycle, the present day included. A renewal that is due or unpaid is paid first.
 *
 * @throws HttpError 409 above 100 concurrent calls in all, 402 when the credits do not cover it.
 */
export async function buyLines(
  sql: Sql,
  request: LinesChange & { markCarriedOut(tx: AnySql): Promise<void> },
): Promise<CallLines> {
  const { workspace_id, quantity, actor, at_ms } = request;
  return sql.begin(async (tx) => {
    await lockWorkspace(tx, workspace_id);
    const before = await callLines(tx, workspace_id);
    if (quantity > before.can_add) throw conflict(`at most ${before.can_add} more lines`);
    const cycleEnd = await payRenewal(tx, before, request);
    await setLines(tx, before, quantity, request, 'lines.bought');
    const now = new Date(at_ms);
    if (!cycleEnd) await startRenewal(tx, { ...linesRenewalKey(workspace_id), cycle_end: cycleEndAfter(at_ms) });
    const { price_per_line_paise, currency } = before;
    const daysLeft = cycleEnd ? Math.ceil((cycleEnd.getTime() - at_ms) / DAY_MS) : CYCLE_DAYS;
    const lines = linesText(quantity);
    const fee: Fee = {
      ...{ workspace_id, kind: 'lines', by_name: actor.name, key: `lines:${newId(at_ms)}`, at_ms },
      amount_paise: Math.ceil((quantity * price_per_line_paise * daysLeft) / CYCLE_DAYS),
      description: `${lines}, ${daysLeft === 1 ? '1 day' : `${daysLeft} days`} from ${now.toISOString().slice(0, 10)}`,
    };
    await request.markCarriedOut(tx);
    if (!(await takeFee(tx, fee))) throw notEnoughCredits(`adding ${lines}`, fee.amount_paise, currency);
    return callLines(tx, workspace_id);
  });
}

/** Pays what is due of the lines that are there. @returns the end of their cycle; null when there are none. */
async function payRenewal(
  tx: Transaction,
  lines: CallLines,
  { workspace_id, at_ms }: LinesChange,
): Promise<Date | null> {
  const isDue = (renewal: Renewal) => renewal.cycle_end.getTime() <= at_ms;
  const key = linesRenewalKey(workspace_id);
  let renewal = await lockRenewal(tx, key);
  while (renewal && isDue(renewal)) {
    // Not paid, it is refused, and its e-mail with it.
    const outcome = await renew(tx, linesRenewal, renewal, { at_ms, billing_url: '', closed: false });
    if (outcome === 'past due' || outcome === 'lapsed') {
      const { extra_lines, next_charge_paise, currency } = lines;
      throw notEnoughCredits(`the renewal of ${linesText(extra_lines)}`, next_charge_paise, currency);
    }
    renewal = await lockRenewal(tx, key);
  }
  return renewal?.cycle_end ?? null;
}

/**
 * Removes call lines at once; calls that are live go on. Nothing is given back.
 *
 * @throws HttpError 409 when there are fewer.
 */
export async function removeLines(sql: Sql, request: LinesChange): Promise<CallLines> {
  const { workspace_id, quantity } = request;
  return sql.begin(async (tx) => {
    await lockWorkspace(tx, workspace_id);
    const before = await callLines(tx, workspace_id);
    if (quantity > before.extra_lines) throw conflict(`at most ${linesText(before.extra_lines)} can be removed`);
    if (quantity === before.extra_lines) await stopRenewal(tx, linesRenewalKey(workspace_id));
    await setLines(tx, before, -quantity, request, 'lines.removed');
    return callLines(tx, workspace_id);
  });
}

async function setLines(
  tx: Transaction,
  { extra_lines: before }: CallLines,
  change: number,
  { workspace_id, actor, at_ms }: LinesChange,
  action: AuditAction,
): Promise<void> {
  const extra_lines = before + change;
  await tx`update workspaces set extra_lines = ${extra_lines} where id = ${workspace_id}`;
  await updateConcurrencyLimit(tx, workspace_id);
  await writeAudit(tx, {
    ...{ workspace_id, actor, action, at_ms, target: { kind: 'workspace', id: workspace_id, name: '' } },
    changes: { extra_lines: [before, extra_lines] },
  });
}
