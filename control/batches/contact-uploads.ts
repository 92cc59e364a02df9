import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { uploadedFileName } from '../http/multipart.ts';
import type { UploadRecord } from './batch-record.ts';
import { readContactFile } from './contact-file.ts';
import { countUploads, findUpload, insertUpload } from './store.ts';

export interface UploadedFile {
  file: Buffer;
  phone_column: string;
  country_code: string;
}

const RETENTION_MS = 24 * 3_600_000;
/** Per workspace and 24 hours; each may have 5 MB. */
const MAX_UPLOADS = 200;

/** Uploaded files of contacts: parsed on upload, stored for a day. */
export function createUploads({ sql, clock }: { sql: Sql; clock: Clock }) {
  return {
    /** @throws HttpError 415 or 422 for an invalid file, 409 for too many uploads. */
    async add(
      workspace_id: string,
      actor: Actor,
      { file, phone_column, country_code }: UploadedFile,
    ): Promise<UploadRecord> {
      const read = await readContactFile(file, { phoneColumn: phone_column, countryCode: country_code });
      const nowMs = clock.wall();
      const id = newId(nowMs);
      const file_name = uploadedFileName(file);
      const times = { created_at: new Date(nowMs), expires_at: new Date(nowMs + RETENTION_MS) };
      const upload = { workspace_id, id, file_name, ...read, created_by: actor.name, ...times };
      await sql.begin(async (tx) => {
        if ((await countUploads(tx, workspace_id, nowMs)) >= MAX_UPLOADS) {
          throw conflict(`at most ${MAX_UPLOADS} uploads in 24 hours`);
        }
        await insertUpload(tx, upload);
        const target = { kind: 'batch_upload', id, name: file_name };
        const data = { rows: read.valid_rows };
        await writeAudit(tx, { workspace_id, actor, action: 'batch_upload.created', target, data, at_ms: nowMs });
      });
      return upload;
    },

    /** @throws HttpError 404, also after 24 hours. */
    async find(workspaceId: string, uploadId: string): Promise<UploadRecord> {
      const upload = await findUpload(sql, workspaceId, uploadId, clock.wall());
      if (!upload) throw notFound('upload');
      return upload;
    },
  };
}
export type Uploads = ReturnType<typeof createUploads>;
