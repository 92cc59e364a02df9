import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { notifyWorkspace, quoted } from '../workspaces/notify-workspace.ts';
import { activateWorkspace } from '../workspaces/workspace-state.ts';
import {
  findDocument,
  findKyc,
  listDocuments,
  listWaiting,
  lockKyc,
  updateKycStatus,
  type WaitingKyc,
} from './store.ts';

/** Review of business details by the service's team. */

export const waitingKyc = (sql: AnySql): Promise<WaitingKyc[]> => listWaiting(sql);

export async function kycForReview(sql: AnySql, workspaceId: string) {
  const kyc = await findKyc(sql, workspaceId);
  return { ...kyc, documents: await listDocuments(sql, workspaceId) };
}

export interface DocumentReview {
  workspace_id: string;
  document_id: string;
  actor: Actor;
  at_ms: number;
}

/** Returns the PDF and writes an audit event; null when there is no such document. */
export async function documentForReview(sql: Sql, reading: DocumentReview): Promise<Buffer | null> {
  const { workspace_id, document_id, actor, at_ms } = reading;
  const found = await findDocument(sql, workspace_id, document_id);
  if (!found) return null;
  const target = { kind: 'kyc_document', id: document_id, name: found.file_name };
  const data = { kind: found.kind };
  await writeAudit(sql, { workspace_id, actor, action: 'kyc.document_downloaded', target, data, at_ms });
  return found.pdf;
}

export interface KycDecision {
  workspace_id: string;
  approved: boolean;
  /** Why it is rejected, for the workspace to read. */
  reason: string;
  actor: Actor;
  at_ms: number;
}

/** Decides; an approved workspace is active at once. @returns an error, or null. */
export async function decideKyc(tx: Transaction, decision: KycDecision): Promise<string | null> {
  const { workspace_id, approved, reason, actor, at_ms } = decision;
  const kyc = await lockKyc(tx, workspace_id);
  if (kyc.status !== 'submitted') return `the KYC is ${kyc.status.replace('_', ' ')}`;
  const state = approved ? await activateWorkspace(tx, workspace_id) : null;
  if (approved && state === null) return 'the workspace is closed';
  const status = approved ? 'approved' : 'rejected';
  const decided = { submitted_at: kyc.submitted_at, decided_at: new Date(at_ms) };
  await updateKycStatus(tx, workspace_id, { status, ...decided, rejection_reason: approved ? '' : reason });
  await writeAudit(tx, {
    workspace_id,
    actor,
    action: `kyc.${status}`,
    target: { kind: 'kyc', id: workspace_id, name: 'business details' },
    changes: { status: ['submitted', status] },
    data: state === null ? {} : { workspace_state: state },
    at_ms,
  });
  const words = approved
    ? `Your business details are approved.${state === 'active' ? ' The workspace is active: its agents can take and place calls.' : ''}`
    : `Your business details could not be approved. You can change them and submit them again.${quoted('The reason:', reason)}`;
  const subject = approved ? 'Your business details are approved' : 'Your business details were not approved';
  await notifyWorkspace(tx, { workspace_id, subject, text: words, at_ms });
  return null;
}
