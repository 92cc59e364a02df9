import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { writeAudit } from '../audit/write-audit.ts';
import { notFound } from '../http/errors.ts';
import { downloadHeaders } from '../http/file-response.ts';
import { acceptUploads } from '../http/multipart.ts';
import { commaSeparated, pageOf, paging, pathId } from '../http/query.ts';
import { file, route } from '../http/route.ts';
import {
  BATCH_STATUSES,
  type BatchRecord,
  batchChange,
  batchRecord,
  CONTACT_STATUSES,
  contactRecord,
  newBatch,
  uploadForm,
  uploadRecord,
} from './batch-record.ts';
import { batchResults } from './batch-results.ts';
import { MAX_FILE_BYTES } from './contact-file.ts';
import { createUploads } from './contact-uploads.ts';
import { createBatches, type ManageBatchesDeps } from './manage-batches.ts';
import { findBatch, listBatches, listContacts } from './store.ts';

const TAG = 'Batches';
const PATH = '/api/v1/batches/{batch_id}';
const params = z.object({ batch_id: pathId('batch') });
const statuses = commaSeparated(BATCH_STATUSES).refine((all) => all.join(',').length <= 80, {
  message: 'String should have at most 80 characters',
  params: { type: 'string_too_long' },
});
/** A thousand contacts with a hundred values each. */
const CONTACTS_BODY_BYTES = 16 * 1024 * 1024;

/** The endpoints of the group Batches. */
export function batchRoutes(app: FastifyInstance, deps: ManageBatchesDeps): void {
  const { sql, clock } = deps;
  const batches = createBatches(deps);
  const uploads = createUploads(deps);

  acceptUploads(app, { maxFileBytes: MAX_FILE_BYTES, label: 'file' }, (files) =>
    route(files, {
      method: 'POST',
      path: '/api/v1/batches/uploads',
      tag: TAG,
      summary: 'Send a file of contacts: it is parsed at once and stored for 24 hours',
      credential: 'key',
      permission: 'calls.place',
      consumes: 'multipart/form-data',
      schema: { body: uploadForm, response: uploadRecord },
      success: 201,
      errors: [409, 413, 415],
      handler: async ({ body }, { workspace_id, actor }) => uploads.add(workspace_id, actor, body),
    }),
  );

  route(app, {
    method: 'GET',
    path: '/api/v1/batches/uploads/{upload_id}',
    tag: TAG,
    summary: 'An upload with its preview and its errors',
    credential: 'key',
    permission: 'calls.place',
    schema: { params: z.object({ upload_id: pathId('upload') }), response: uploadRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => uploads.find(workspace_id, params.upload_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/batches',
    tag: TAG,
    summary: 'Call a list of people: at once, or at scheduled_at',
    credential: 'key',
    permission: 'calls.place',
    body_limit_bytes: CONTACTS_BODY_BYTES,
    schema: { body: newBatch, response: batchRecord },
    success: 201,
    errors: [400, 402, 404, 409],
    idempotent: true,
    handler: async ({ body }, { workspace_id, actor, zone, markCarriedOut }) =>
      batches.create({ workspace_id, actor, zone, batch: body, markCarriedOut }),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/batches',
    tag: TAG,
    summary: 'Batches, newest first, with counts per contact status',
    credential: 'key',
    permission: 'calls.view',
    schema: {
      query: z.object({
        status: statuses.optional().describe('comma-separated, at most 80 characters'),
        agent_id: z.string().max(64).optional().describe('batches of this agent'),
        ...paging(50, 200),
      }),
      response: pageOf(batchRecord),
    },
    success: 200,
    async handler({ query }, { workspace_id }) {
      const { limit, skip, ...filters } = query;
      return listBatches(sql, workspace_id, filters, limit, skip);
    },
  });

  route(app, {
    method: 'GET',
    path: PATH,
    tag: TAG,
    summary: 'One batch',
    credential: 'key',
    permission: 'calls.view',
    schema: { params, response: batchRecord },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => existing(workspace_id, params.batch_id),
  });

  route(app, {
    method: 'PATCH',
    path: PATH,
    tag: TAG,
    summary: 'Change name, webhook URL or concurrency of a batch that is not over',
    credential: 'key',
    permission: 'calls.place',
    schema: { params, body: batchChange, response: batchRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      batches.update(workspace_id, params.batch_id, body, actor),
  });

  route(app, {
    method: 'DELETE',
    path: PATH,
    tag: TAG,
    summary: 'Remove a batch that neither runs nor is paused; its calls stay',
    credential: 'key',
    permission: 'calls.place',
    schema: { params },
    success: 204,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) => batches.remove(workspace_id, params.batch_id, actor),
  });

  route(app, {
    method: 'GET',
    path: `${PATH}/contacts`,
    tag: TAG,
    summary: 'Its contacts in row order',
    credential: 'key',
    permission: 'calls.view',
    schema: {
      params,
      query: z.object({
        status: commaSeparated(CONTACT_STATUSES).optional().describe('comma-separated'),
        ...paging(100, 500),
      }),
      response: pageOf(contactRecord),
    },
    success: 200,
    errors: [404],
    async handler({ params, query }, { workspace_id }) {
      const { id } = await existing(workspace_id, params.batch_id);
      return listContacts(sql, workspace_id, id, query.status, query.limit, query.skip);
    },
  });

  const moves = [
    ['pause', 'Dial nothing new: live calls go on, its queued calls wait', [404, 409]],
    ['resume', 'Resume a paused batch', [402, 404, 409]],
    ['cancel', 'End it: waiting contacts and queued calls are canceled, live calls go on', [404, 409]],
  ] as const;
  for (const [name, summary, errors] of moves) {
    route(app, {
      method: 'POST',
      path: `${PATH}/${name}`,
      tag: TAG,
      summary,
      credential: 'key',
      permission: 'calls.place',
      ...(name === 'resume' ? {} : { spends: false }),
      schema: { params, response: batchRecord },
      success: 200,
      errors: [...errors],
      handler: async ({ params }, { workspace_id, actor }) => batches[name](workspace_id, params.batch_id, actor),
    });
  }

  route(app, {
    method: 'GET',
    path: `${PATH}/results`,
    tag: TAG,
    summary: 'The result of each contact, as CSV',
    credential: 'key',
    permission: 'calls.view',
    schema: { params, response: file('text/csv', 'a row per contact; times in the zone, cost in major units') },
    success: 200,
    errors: [404],
    async handler({ params }, { workspace_id, actor, zone }) {
      const { id, name } = await existing(workspace_id, params.batch_id);
      const body = await batchResults(sql, workspace_id, id, zone);
      const target = { kind: 'batch', id, name };
      const entry = { workspace_id, actor, action: 'batch.results_downloaded' as const, target, at_ms: clock.wall() };
      await writeAudit(sql, entry);
      const content_type = 'text/csv; charset=utf-8; header=present';
      return { body, headers: { ...downloadHeaders(`batch-${id}.csv`), 'content-type': content_type } };
    },
  });

  async function existing(workspaceId: string, batchId: string): Promise<BatchRecord> {
    const batch = await findBatch(sql, workspaceId, batchId);
    if (!batch) throw notFound('batch');
    return batch;
  }
}
