import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { E164_PATTERN } from '../../shared/phone.ts';
import { downloadHeaders } from '../http/file-response.ts';
import { acceptUploads } from '../http/multipart.ts';
import { pathId } from '../http/query.ts';
import { file, route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { type CallerIdDeps, createCallerIds, MAX_LOGO_BYTES } from './request-caller-id.ts';
import { CALLER_ID_STATUSES, type CallerIdRow } from './store.ts';

const TAG = 'Workspace';

const record = z
  .object({
    id: z.string().describe('32 hex characters'),
    numbers: z.array(z.string()).describe('E.164; own numbers that show the name'),
    display_name: z.string().describe('what the called person reads; at most 32 characters'),
    call_reason: z.string().describe('shown beside the name; at most 200 characters'),
    has_logo: z.boolean().describe('always true: a request needs one'),
    status: z.enum(CALLER_ID_STATUSES).describe('where it stands'),
    rejection_reason: z.string().describe("words of the service's team; empty unless rejected"),
    fee_paise: z.int().describe('for 30 days; 0 when the plan includes it'),
    currency: z.string().describe('of the fee'),
    paid_until: time('when the paid 30 days end').nullable().describe('null: nothing is paid for it'),
    created_by: z.string().describe('a name'),
    created_at: time(),
    decided_at: time().nullable(),
  })
  .meta({ id: 'CallerIdRequest' });

const recordOf = (row: CallerIdRow) => ({ ...row, has_logo: true });

/** Sent as parts of the same name, or as one with commas between them. */
const numbers = z.preprocess(
  (sent) =>
    Array.isArray(sent)
      ? sent.flatMap((each) => (typeof each === 'string' ? each.split(',') : [each])).map(trimmed)
      : sent,
  z
    .array(z.string().regex(E164_PATTERN))
    .min(1)
    .max(20)
    .refine((list) => new Set(list).size === list.length, 'each number once')
    .describe('E.164, active numbers of the workspace; the part may be repeated'),
);

const trimmed = (text: unknown) => (typeof text === 'string' ? text.trim() : text);

const form = z.object({
  numbers,
  display_name: z.string().trim().min(1).max(32).describe('what the called person reads'),
  call_reason: z.string().trim().min(1).max(200).describe('shown beside the name'),
  logo: z
    .custom<Buffer>((value) => value instanceof Buffer, { message: 'Field required', params: { type: 'missing' } })
    .meta({ type: 'string', format: 'binary', description: 'PNG or JPG, at most 1 MB' }),
});

const params = z.object({ request_id: pathId('caller-id request') });

export function callerIdRoutes(app: FastifyInstance, deps: CallerIdDeps): void {
  const callerIds = createCallerIds(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/caller-id',
    tag: TAG,
    summary: 'Requests for a shown caller id, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(record) },
    success: 200,
    handler: async (_input, { workspace_id }) => (await callerIds.list(workspace_id)).map(recordOf),
  });

  acceptUploads(
    app,
    { maxFileBytes: MAX_LOGO_BYTES, label: 'file', fileField: 'logo', repeatableFields: ['numbers'] },
    (uploads) =>
      route(uploads, {
        method: 'POST',
        path: '/api/v1/caller-id',
        tag: TAG,
        summary: 'Ask that phones show a name and a logo for numbers of the workspace',
        credential: 'session',
        permission: 'numbers.manage',
        consumes: 'multipart/form-data',
        schema: { body: form, response: record },
        success: 201,
        errors: [409, 413, 415],
        handler: async ({ body }, { workspace_id, actor }) =>
          recordOf(await callerIds.request(workspace_id, actor, body)),
      }),
  );

  route(app, {
    method: 'GET',
    path: '/api/v1/caller-id/{request_id}/logo',
    tag: TAG,
    summary: 'The logo of a request',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: file('image/png', 'the logo as it was sent: image/png or image/jpeg') },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => {
      const { logo, logo_type } = await callerIds.logo(workspace_id, params.request_id);
      const name = logo_type === 'image/png' ? 'logo.png' : 'logo.jpg';
      return { body: logo, headers: { ...downloadHeaders(name), 'content-type': logo_type } };
    },
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/caller-id/{request_id}/withdraw',
    tag: TAG,
    summary: 'Take a request back that is not decided yet',
    credential: 'session',
    permission: 'numbers.manage',
    schema: { params, response: record },
    success: 200,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) =>
      recordOf(await callerIds.withdraw(workspace_id, actor, params.request_id)),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/caller-id/{request_id}/remove',
    tag: TAG,
    summary: 'End a caller id that is shown',
    credential: 'session',
    permission: 'numbers.manage',
    schema: { params, response: record },
    success: 200,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) =>
      recordOf(await callerIds.remove(workspace_id, actor, params.request_id)),
  });
}
