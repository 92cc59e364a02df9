import { writeAudit } from '../audit/write-audit.ts';
import { chargeCallerId } from '../billing/caller-id-fee.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { notifyWorkspace, quoted } from '../workspaces/notify-workspace.ts';
import { transitionCallerId } from './caller-id-transitions.ts';
import {
  type CallerIdRow,
  type CallerIdStatus,
  findLogo,
  type Logo,
  listWaiting,
  lockRequest,
  workspaceOfRequest,
} from './store.ts';

/** Review of caller-id requests by the service's team. */

const FROM: Record<'in_review' | 'active' | 'rejected', readonly CallerIdStatus[]> = {
  in_review: ['submitted'],
  active: ['submitted', 'in_review'],
  rejected: ['submitted', 'in_review'],
};

export interface CallerIdDecision {
  request_id: string;
  to: 'in_review' | 'active' | 'rejected';
  /** Why it is rejected, for the workspace to read. */
  reason?: string;
  actor: Actor;
  at_ms: number;
}

export const waitingCallerIds = (sql: AnySql): Promise<CallerIdRow[]> => listWaiting(sql);

/**
 * Decides a request. The fee is the one of the moment of approval, and charged with it. @returns the request as it is now, or
 * an error.
 */
export async function decideCallerId(tx: Transaction, decision: CallerIdDecision): Promise<CallerIdRow | string> {
  const { request_id, to, reason = '', actor, at_ms } = decision;
  const workspaceId = await workspaceOfRequest(tx, request_id);
  // The fee is renewed from then on, which takes the workspace's lock first.
  if (workspaceId !== null) await lockWorkspace(tx, workspaceId);
  const row = workspaceId === null ? null : await lockRequest(tx, workspaceId, request_id);
  if (!row) return `caller-id request ${request_id} not found`;
  if (!FROM[to].includes(row.status)) return `the caller-id request is ${row.status.replace('_', ' ')}`;
  const decided = to === 'in_review' ? {} : { decided_at: new Date(at_ms) };
  const fee = to === 'active' ? await chargeCallerId(tx, row, at_ms) : {};
  if (fee === null) return 'the credits of the workspace do not cover the fee';
  const moved = await transitionCallerId(
    tx,
    row,
    { status: to, rejection_reason: reason, ...fee, ...decided },
    actor,
    at_ms,
  );
  await notifyWorkspace(tx, { workspace_id: row.workspace_id, ...noticeOf(row.display_name, to, reason), at_ms });
  return moved;
}

function noticeOf(displayName: string, to: CallerIdDecision['to'], reason: string) {
  const about = `Your request to be shown as "${displayName}"`;
  if (to === 'in_review') return { subject: 'Your caller id is being reviewed', text: `${about} is being reviewed.` };
  if (to === 'active') {
    return {
      subject: 'Your caller id is active',
      text: `${about} is approved. The name is shown on calls from its numbers.`,
    };
  }
  const words = quoted('The reason:', reason);
  return { subject: 'Your caller id was not approved', text: `${about} could not be approved.${words}` };
}

/** Returns the logo and writes an audit event; null when there is no such request. */
export async function logoForReview(sql: Sql, requestId: string, actor: Actor, at_ms: number): Promise<Logo | null> {
  const workspace_id = await workspaceOfRequest(sql, requestId);
  if (workspace_id === null) return null;
  const target = { kind: 'caller_id_request', id: requestId, name: '' };
  await writeAudit(sql, { workspace_id, actor, action: 'caller_id.logo_downloaded', target, at_ms });
  return findLogo(sql, workspace_id, requestId);
}
