import type { AuditAction } from '../../shared/audit-actions.ts';
import type { Clock } from '../../shared/clock.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { Sql, Transaction } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, HttpError, notFound } from '../http/errors.ts';
import { downloadHeaders } from '../http/file-response.ts';
import type { FileReply } from '../http/route.ts';
import { lockWorkspace } from '../workspaces/lock-workspace.ts';
import { openStoredArchive } from './archive-store.ts';
import {
  countExports,
  type ExportRow,
  findExport,
  insertExport,
  isErasing,
  listExports,
  markRemoved,
} from './store.ts';

export interface ManageExportsDeps {
  sql: Sql;
  clock: Clock;
  store: RecordingStore;
}

interface Who {
  workspace_id: string;
  actor: Actor;
}

const MAX_PER_DAY = 5;
const DAY_MS = 24 * 3_600_000;

/** Exports of a workspace: starting, listing, downloading and removing them. */
export function createExports({ sql, clock, store }: ManageExportsDeps) {
  const now = () => new Date(clock.wall());

  return {
    /** @throws HttpError 409 while one is being made or calls are being erased, 429 after five in a day. */
    async start({ workspace_id, actor }: Who, recordings: boolean): Promise<ExportRow> {
      const at = now();
      return sql.begin(async (tx) => {
        await lockWorkspace(tx, workspace_id);
        const { recent, unfinished } = await countExports(tx, workspace_id, new Date(at.getTime() - DAY_MS));
        if (unfinished > 0) throw conflict('an export is being made already');
        if (await isErasing(tx, workspace_id)) throw conflict('calls are being erased; try again in a few minutes');
        if (recent >= MAX_PER_DAY) {
          const headers = { 'Retry-After': String(DAY_MS / 1_000) };
          throw new HttpError(429, `${MAX_PER_DAY} exports a day; try again tomorrow`, { headers });
        }
        const row = await insertExport(tx, { workspace_id, recordings, created_by: actor.name, at });
        await audit(tx, { workspace_id, actor }, 'export.started', row.id, { recordings });
        return row;
      });
    },

    list: (workspaceId: string) => listExports(sql, workspaceId, now()),

    /** @throws HttpError 404, 409 unless it is ready, 502 when the store does not have it. */
    async download({ workspace_id, actor }: Who, id: string): Promise<FileReply> {
      const row = await findExport(sql, workspace_id, id, now());
      if (!row) throw notFound('export');
      if (row.status !== 'ready') throw conflict('the export is not ready');
      const body = await openStoredArchive(store, row).catch(() => null);
      if (!body) throw new HttpError(502, 'the store of recordings did not answer; try again shortly');
      await audit(sql, { workspace_id, actor }, 'export.downloaded', id).catch((error: unknown) => {
        body.destroy();
        throw error;
      });
      const name = `workspace-${row.created_at.toISOString().slice(0, 10)}-${id}.zip`;
      return { headers: { ...downloadHeaders(name), 'content-length': String(row.size_bytes) }, body };
    },

    /** Also one that is being made. @throws HttpError 404 */
    async remove({ workspace_id, actor }: Who, id: string): Promise<void> {
      await sql.begin(async (tx) => {
        if ((await markRemoved(tx, workspace_id, id, now())) === 0) throw notFound('export');
        await audit(tx, { workspace_id, actor }, 'export.removed', id);
      });
    },
  };

  function audit(tx: Sql | Transaction, who: Who, action: AuditAction, id: string, data = {}): Promise<void> {
    return writeAudit(tx, { ...who, action, target: { kind: 'export', id, name: '' }, data, at_ms: clock.wall() });
  }
}

/** Removes all archives of a workspace, because what is erased is in them as well. Joins the transaction of the erasure. */
export async function removeExports(tx: Transaction, workspaceId: string, atMs: number): Promise<number> {
  return markRemoved(tx, workspaceId, null, new Date(atMs));
}
