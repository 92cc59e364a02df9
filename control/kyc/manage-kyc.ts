import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { Changes } from '../audit/changes.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { AnySql, Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound, validationError } from '../http/errors.ts';
import { uploadedFileName } from '../http/multipart.ts';
import { throwValidationError } from '../http/validation.ts';
import { imageToPdf, imageType, isPdf } from '../pdf/image-to-pdf.ts';
import type { KycStatus } from '../workspaces/workspace-record.ts';
import { type DocumentKind, KYC_FIELDS, type KycFields } from './kyc-fields.ts';
import { missingFields } from './missing-fields.ts';
import {
  type DocumentRow,
  deleteDocument,
  findDocument,
  findKyc,
  insertDocument,
  type KycRow,
  listDocuments,
  lockKyc,
  saveKyc,
  updateKycStatus,
} from './store.ts';

/** Business details of a workspace. They can be changed until they are submitted, and again after a rejection. */

export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024;
const MAX_DOCUMENTS = 10;

export interface KycRecord extends KycRow {
  documents: DocumentRow[];
}

export interface KycDeps {
  sql: Sql;
  clock: Clock;
}

export function createKyc({ sql, clock }: KycDeps) {
  /** Writes an audit event. Values are personal, so it only names the fields that changed. */
  const audit = (tx: AnySql, workspaceId: string, actor: Actor, action: AuditAction, facts: Facts = {}) =>
    writeAudit(tx, {
      workspace_id: workspaceId,
      actor,
      action,
      target: facts.document
        ? { kind: 'kyc_document', id: facts.document.id, name: facts.document.file_name }
        : { kind: 'kyc', id: workspaceId, name: 'business details' },
      ...(facts.changes ? { changes: facts.changes } : {}),
      ...(facts.document ? { data: { kind: facts.document.kind } } : {}),
      at_ms: clock.wall(),
    });

  return {
    find: (workspaceId: string): Promise<KycRecord> => recordOf(sql, workspaceId),

    async save(workspaceId: string, actor: Actor, kyc: KycFields): Promise<KycRecord> {
      return sql.begin(async (tx) => {
        const before = await lockEditable(tx, workspaceId);
        const changed = KYC_FIELDS.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(kyc[name]));
        if (changed.length > 0) {
          await saveKyc(tx, workspaceId, kyc);
          const changes = Object.fromEntries(changed.map((name) => [name, ['changed', 'changed']])) as Changes;
          await audit(tx, workspaceId, actor, 'kyc.updated', { changes });
        }
        return recordOf(tx, workspaceId);
      });
    },

    async addDocument(
      workspaceId: string,
      actor: Actor,
      { file, kind }: { file: Buffer; kind: DocumentKind },
    ): Promise<DocumentRow> {
      if (!isPdf(file) && !imageType(file)) throw unsupportedFile();
      // Checked before the conversion, and again under the lock.
      refuseUnlessEditable((await findKyc(sql, workspaceId)).status);
      refuseIfFull(await listDocuments(sql, workspaceId));
      const pdf = isPdf(file) ? file : await convertToPdf(file);
      const wallMs = clock.wall();
      const document: DocumentRow = {
        id: newId(wallMs),
        kind,
        file_name: uploadedFileName(file) || 'document',
        size_bytes: pdf.length,
        uploaded_by: actor.name,
        uploaded_at: new Date(wallMs),
      };
      await sql.begin(async (tx) => {
        await lockEditable(tx, workspaceId);
        refuseIfFull(await listDocuments(tx, workspaceId));
        await insertDocument(tx, workspaceId, document, pdf);
        await audit(tx, workspaceId, actor, 'kyc.document_added', { document });
      });
      return document;
    },

    /** Returns the PDF and its name. Downloads are audited too. */
    async readDocument(workspaceId: string, actor: Actor, id: string): Promise<{ pdf: Buffer; file_name: string }> {
      const found = await findDocument(sql, workspaceId, id);
      if (!found) throw notFound('document');
      const { pdf, file_name, kind } = found;
      await audit(sql, workspaceId, actor, 'kyc.document_downloaded', { document: { id, file_name, kind } });
      return { pdf, file_name: `${file_name.replace(/\.(pdf|png|jpe?g)$/i, '')}.pdf` };
    },

    async removeDocument(workspaceId: string, actor: Actor, id: string): Promise<void> {
      await sql.begin(async (tx) => {
        const { status } = await lockKyc(tx, workspaceId);
        const removed = await deleteDocument(tx, workspaceId, id);
        if (!removed) throw notFound('document');
        refuseUnlessEditable(status);
        await audit(tx, workspaceId, actor, 'kyc.document_removed', { document: { id, ...removed } });
      });
    },

    async submit(workspaceId: string, actor: Actor): Promise<KycRecord> {
      return sql.begin(async (tx) => {
        const kyc = await lockKyc(tx, workspaceId);
        refuseUnlessEditable(kyc.status);
        const missing = missingFields(kyc, await listDocuments(tx, workspaceId));
        if (missing.length > 0) throwValidationError(missing);
        const submitted_at = new Date(clock.wall());
        await updateKycStatus(tx, workspaceId, {
          status: 'submitted',
          submitted_at,
          decided_at: null,
          rejection_reason: '',
        });
        await audit(tx, workspaceId, actor, 'kyc.submitted', { changes: { status: [kyc.status, 'submitted'] } });
        return recordOf(tx, workspaceId);
      });
    },
  };
}

interface Facts {
  document?: { id: string; file_name: string; kind: string };
  changes?: Changes;
}

async function recordOf(sql: AnySql, workspaceId: string): Promise<KycRecord> {
  const kyc = await findKyc(sql, workspaceId);
  return { ...kyc, documents: await listDocuments(sql, workspaceId) };
}

async function lockEditable(tx: Transaction, workspaceId: string): Promise<KycRow> {
  const kyc = await lockKyc(tx, workspaceId);
  refuseUnlessEditable(kyc.status);
  return kyc;
}

function refuseUnlessEditable(status: KycStatus): void {
  if (status === 'submitted' || status === 'approved') throw conflict('KYC already submitted');
}

function refuseIfFull(documents: readonly DocumentRow[]): void {
  if (documents.length >= MAX_DOCUMENTS) throw conflict(`document limit reached (${MAX_DOCUMENTS})`);
}

const unsupportedFile = () => new HttpError(415, 'only PDF, PNG or JPG files');

async function convertToPdf(image: Buffer): Promise<Buffer> {
  const converted = await imageToPdf(image);
  if (converted === 'unreadable') throw unsupportedFile();
  if (converted === 'busy') {
    const detail = 'too many pictures are being converted; try again in a few seconds, or send a PDF';
    throw new HttpError(429, detail, { headers: { 'Retry-After': '10' } });
  }
  if (converted === 'too large') {
    const msg = 'the picture has too many pixels: send it smaller, or as a PDF';
    throw validationError(msg, ['file']);
  }
  return converted.pdf;
}
