import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { E164_PATTERN } from '../../shared/phone.ts';
import { HttpError } from '../http/errors.ts';
import type { Role } from '../http/permissions.ts';
import { pathId } from '../http/query.ts';
import { file, route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { eraseCallsWith } from './erase-calls-with.ts';
import { createExports, type ManageExportsDeps } from './manage-exports.ts';

const PATH = '/api/v1/workspace/exports';

const exportRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    status: z
      .enum(['queued', 'running', 'ready', 'failed'])
      .describe('it can be downloaded when it is ready; one that failed is started again by a new one'),
    recordings: z.boolean().describe('whether it has the recordings of calls'),
    records: z.int().describe('rows in it so far'),
    recording_count: z.int().describe('recordings in it so far'),
    size_bytes: z.int().describe('of the archive; 0 until it is ready'),
    created_by: z.string().describe('name of who started it'),
    created_at: time().describe('when it was started'),
    finished_at: time().nullable().describe('when it was ready or failed'),
    expires_at: time().nullable().describe('when it is removed, seven days after it was ready'),
  })
  .meta({ id: 'WorkspaceExport' });

const erasureRecord = z
  .object({
    calls: z.int().describe('with the person; deleted within minutes'),
    going_on: z.int().describe('of these, those that are queued or go on: deleted when they are over'),
    exports_removed: z.int().describe('archives of the workspace, which had the calls'),
  })
  .meta({ id: 'CallErasure' });

const params = z.object({ export_id: pathId('export') });
/** Everywhere: an archive has all that the workspace has. */
const OF_OWNERS = {
  tag: 'Workspace',
  credential: 'session',
  permission: 'members.manage',
  before_activation: true,
} as const;

/** Endpoints for exports of all that a workspace has. */
export function exportRoutes(app: FastifyInstance, deps: ManageExportsDeps): void {
  const exports = createExports(deps);

  route(app, {
    ...OF_OWNERS,
    method: 'GET',
    path: PATH,
    summary: 'Exports of the workspace, newest first; only for owners',
    schema: { response: z.array(exportRecord) },
    success: 200,
    async handler(_input, { workspace_id, role }) {
      ownersOnly(role);
      return exports.list(workspace_id);
    },
  });

  route(app, {
    ...OF_OWNERS,
    method: 'POST',
    path: PATH,
    summary: 'Export all that the workspace has into an archive; poll the list until it is ready; only for owners',
    confirmed: true,
    schema: {
      body: z.object({ recordings: z.boolean().default(false).describe('the recordings of calls as well') }),
      response: exportRecord,
    },
    success: 202,
    errors: [409, 429],
    async handler({ body }, { workspace_id, actor, role }) {
      ownersOnly(role);
      return exports.start({ workspace_id, actor }, body.recordings);
    },
  });

  route(app, {
    ...OF_OWNERS,
    method: 'GET',
    path: `${PATH}/{export_id}/download`,
    summary: 'The archive: JSON lines for each kind of record, and WAV files; only for owners',
    confirmed: true,
    schema: { params, response: file('application/zip', 'the archive') },
    success: 200,
    errors: [404, 409, 502],
    async handler({ params: { export_id } }, { workspace_id, actor, role }) {
      ownersOnly(role);
      return exports.download({ workspace_id, actor }, export_id);
    },
  });

  route(app, {
    ...OF_OWNERS,
    method: 'DELETE',
    path: `${PATH}/{export_id}`,
    summary: 'Remove an export, or stop one that is being made; only for owners',
    schema: { params },
    success: 204,
    errors: [404],
    async handler({ params: { export_id } }, { workspace_id, actor, role }) {
      ownersOnly(role);
      await exports.remove({ workspace_id, actor }, export_id);
    },
  });
}

/** Deletes what the workspace has of a person who asks for that. */
export function erasureRoutes(app: FastifyInstance, { sql, clock }: Pick<ManageExportsDeps, 'sql' | 'clock'>): void {
  route(app, {
    ...OF_OWNERS,
    method: 'POST',
    path: '/api/v1/workspace/erasures',
    summary:
      'Erase all calls with one person: recordings, transcripts, timelines, deliveries and server logs; what they cost stays in the ledger; only for owners',
    confirmed: true,
    schema: {
      body: z.object({ number: z.string().regex(E164_PATTERN).describe('of the person, E.164') }),
      response: erasureRecord,
    },
    success: 202,
    async handler({ body: { number } }, { workspace_id, actor, role }) {
      ownersOnly(role, 'erase');
      return sql.begin((tx) => eraseCallsWith(tx, { workspace_id, actor }, number, clock.wall()));
    },
  });
}

function ownersOnly(role: Role, action = 'export'): void {
  if (role !== 'owner') throw new HttpError(403, `your role cannot do this (members.manage): only owners ${action}`);
}
