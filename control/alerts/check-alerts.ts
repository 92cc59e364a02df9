import type { Sql, Transaction } from '../db/connect.ts';
import { beginItem } from '../db/item-runner.ts';
import { billingUrlOf } from '../workspaces/console-url.ts';
import { notifyWorkspace } from '../workspaces/notify-workspace.ts';
import {
  type AlertEmail,
  type CallsNow,
  type CreditsNow,
  callsFailingEmail,
  callsWorkEmail,
  creditsLowEmail,
  creditsUsedUpEmail,
} from './alert-emails.ts';
import {
  type Alert,
  type AlertThresholds,
  alertThresholds,
  callsFail,
  creditAlerts,
  FAILING_WINDOW_MS,
  NEVER_SENT,
  nextAlert,
} from './alert-policy.ts';
import type { CheckSubject } from './request-check.ts';

/** What other modules know of a workspace. */
export interface AlertSources {
  consoleUrl: string;
  creditsOf(tx: Transaction, workspaceId: string): Promise<Omit<CreditsNow, 'billing_url'> & { credits_paise: number }>;
  /** `oldest_at_ms`: of the calls counted, when the first one finished; null: there are none. */
  finishedCallsOf(
    tx: Transaction,
    workspaceId: string,
    sinceMs: number,
  ): Promise<Omit<CallsNow, 'console_url'> & { oldest_at_ms: number | null }>;
}

interface DueCheck {
  workspace_id: string;
  subject: CheckSubject;
}

/** After a check that failed. */
const RETRY_MS = 60_000;

/**
 * Looks at the workspace whose check has been due for longest, and e-mails what its alerts say. One process does, under the lock
 * of the check's row. @returns false when none is due.
 */
export async function checkNext(sql: Sql, sources: AlertSources, nowMs: number): Promise<boolean> {
  const looked: DueCheck[] = [];
  try {
    return await beginItem(sql, async (tx) => {
      const [due] = await tx<DueCheck[]>`
        select workspace_id, subject from alert_checks where due_at <= ${new Date(nowMs)}
        order by due_at limit 1 for update skip locked`;
      if (!due) return false;
      looked.push(due);
      const again = due.subject === 'credits' ? null : await checkCalls(tx, due.workspace_id, sources, nowMs);
      if (due.subject === 'credits') await checkCredits(tx, due.workspace_id, sources, nowMs);
      await (again === null
        ? tx`delete from alert_checks where workspace_id = ${due.workspace_id} and subject = ${due.subject}`
        : tx`
          update alert_checks set due_at = ${new Date(again)}
          where workspace_id = ${due.workspace_id} and subject = ${due.subject}`);
      return true;
    });
  } catch (error) {
    // One that cannot be made must not hold up the others.
    for (const due of looked) await postpone(sql, due, nowMs + RETRY_MS);
    throw error;
  }
}

async function postpone(sql: Sql, { workspace_id, subject }: DueCheck, untilMs: number): Promise<void> {
  await sql`
    update alert_checks set due_at = ${new Date(untilMs)} where workspace_id = ${workspace_id} and subject = ${subject}`;
}

async function checkCredits(tx: Transaction, workspaceId: string, sources: AlertSources, nowMs: number): Promise<void> {
  const { credits_paise, ...credits } = await sources.creditsOf(tx, workspaceId);
  const thresholds = await thresholdsOf(tx, workspaceId);
  const holds = creditAlerts({ credits_paise, minutes_left: credits.minutes_left }, thresholds);
  const now = { ...credits, billing_url: billingUrlOf(sources.consoleUrl) };
  await apply(tx, workspaceId, 'credits_used_up', holds.credits_used_up, nowMs, () => creditsUsedUpEmail(now));
  await apply(tx, workspaceId, 'credits_low', holds.credits_low, nowMs, () => creditsLowEmail(now));
}

/** @returns when to look again: while the alert is raised, once the oldest call is no longer counted. */
async function checkCalls(
  tx: Transaction,
  workspaceId: string,
  sources: AlertSources,
  nowMs: number,
): Promise<number | null> {
  const { oldest_at_ms, ...counted } = await sources.finishedCallsOf(tx, workspaceId, nowMs - FAILING_WINDOW_MS);
  const now = { ...counted, console_url: sources.consoleUrl };
  const holds = callsFail(now, await thresholdsOf(tx, workspaceId));
  const write = (send: 'alert' | 'all_clear') => (send === 'alert' ? callsFailingEmail(now) : callsWorkEmail(now));
  const raised = await apply(tx, workspaceId, 'calls_failing', holds, nowMs, write);
  return raised && oldest_at_ms !== null ? Math.max(nowMs, oldest_at_ms + FAILING_WINDOW_MS) + 1 : null;
}

/** @returns whether the alert is raised now. */
async function apply(
  tx: Transaction,
  workspace_id: string,
  alert: Alert,
  holds: boolean,
  nowMs: number,
  write: (send: 'alert' | 'all_clear') => AlertEmail,
): Promise<boolean> {
  const [row] = await tx<{ raised: boolean; sent_at: Date | null }[]>`
    select raised, sent_at from alerts where workspace_id = ${workspace_id} and alert = ${alert}`;
  const before = row ? { raised: row.raised, sent_at_ms: row.sent_at?.getTime() ?? null } : NEVER_SENT;
  const { send, state } = nextAlert(alert, before, holds, nowMs);
  if (state.raised !== before.raised || state.sent_at_ms !== before.sent_at_ms) {
    const sent_at = state.sent_at_ms === null ? null : new Date(state.sent_at_ms);
    await tx`
      insert into alerts (workspace_id, alert, raised, sent_at) values (${workspace_id}, ${alert}, ${state.raised}, ${sent_at})
      on conflict (workspace_id, alert) do update set raised = excluded.raised, sent_at = excluded.sent_at`;
  }
  // Credits say by themselves that they are there again.
  if (send && (send === 'alert' || alert === 'calls_failing')) {
    await notifyWorkspace(tx, { workspace_id, ...write(send), at_ms: nowMs });
  }
  return state.raised;
}

async function thresholdsOf(tx: Transaction, workspaceId: string): Promise<AlertThresholds> {
  const [row] = await tx<{ alert_thresholds: object }[]>`
    select alert_thresholds from workspaces where id = ${workspaceId}`;
  return alertThresholds.parse(row?.alert_thresholds ?? {});
}
