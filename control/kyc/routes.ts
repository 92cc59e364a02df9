import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { downloadHeaders } from '../http/file-response.ts';
import { acceptUploads } from '../http/multipart.ts';
import { pathId } from '../http/query.ts';
import { file, route } from '../http/route.ts';
import { time } from '../http/times.ts';
import { DOCUMENT_KINDS, kycBody } from './kyc-fields.ts';
import { createKyc, type KycDeps, MAX_DOCUMENT_BYTES } from './manage-kyc.ts';

const documentRecord = z
  .object({
    id: z.string().describe('32 hex characters'),
    kind: z.enum(DOCUMENT_KINDS).describe('what paper it is'),
    file_name: z.string().describe('as it was uploaded'),
    size_bytes: z.int().describe('of the PDF that is stored'),
    uploaded_by: z.string().describe('a name'),
    uploaded_at: time(),
  })
  .meta({ id: 'KycDocument' });

const kycRecord = z
  .object({
    status: z
      .enum(['not_submitted', 'submitted', 'approved', 'rejected'])
      .describe('rejected details can be changed and submitted again'),
    legal_name: z.string().describe('as registered'),
    business_type: z.string().describe('empty until it is chosen'),
    pan: z.string().describe('ten characters; India'),
    gstin: z.string().describe('15 characters, holds the PAN; India'),
    cin: z.string().describe('of companies in India'),
    tax_id: z.string().describe('outside India'),
    website: z.string().describe("address of the business's pages"),
    address: z
      .object({
        line1: z.string().describe('street and number'),
        line2: z.string().describe('further lines; may be empty'),
        city: z.string().describe('town or city'),
        state: z.string().describe('in India its name or code'),
        pincode: z.string().describe('in India six digits'),
        country: z.string().describe('ISO 3166-1, two letters'),
      })
      .describe('where the business is registered'),
    contact_name: z.string().describe('whom to ask'),
    contact_email: z.string().describe('of the person to ask'),
    contact_phone: z.string().describe('of the person to ask'),
    use_case: z.string().describe('what the calls are for'),
    sample_script: z.string().describe('what an agent would say'),
    documents: z.array(documentRecord).describe('newest first'),
    submitted_at: time().nullable(),
    decided_at: time().nullable(),
    rejection_reason: z.string().describe("words of the service's team; empty unless rejected"),
  })
  .meta({ id: 'Kyc' });

const documentForm = z.object({
  file: z
    .custom<Buffer>((value) => value instanceof Buffer, { message: 'Field required', params: { type: 'missing' } })
    .meta({ type: 'string', format: 'binary', description: 'PDF, PNG or JPG, at most 10 MB; an image becomes a PDF' }),
  kind: z.enum(DOCUMENT_KINDS).describe('what paper it is'),
});

const params = z.object({ doc_id: pathId('document') });

/** For the signed-in owner; works before the workspace is active. */
const OWNERS = {
  tag: 'Workspace',
  credential: 'session',
  permission: 'kyc.manage',
  before_activation: true,
} as const;

export function kycRoutes(app: FastifyInstance, deps: KycDeps): void {
  const kyc = createKyc(deps);

  route(app, {
    ...OWNERS,
    method: 'GET',
    path: '/api/v1/kyc',
    summary: 'The business details and where they stand',
    schema: { response: kycRecord },
    success: 200,
    handler: async (_input, { workspace_id }) => kyc.find(workspace_id),
  });

  route(app, {
    ...OWNERS,
    method: 'PUT',
    path: '/api/v1/kyc',
    summary: 'Save the business details; what is left out is empty',
    schema: { body: kycBody, response: kycRecord },
    success: 200,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor }) => kyc.save(workspace_id, actor, body),
  });

  acceptUploads(app, { maxFileBytes: MAX_DOCUMENT_BYTES, label: 'file' }, (uploads) =>
    route(uploads, {
      ...OWNERS,
      method: 'POST',
      path: '/api/v1/kyc/documents',
      summary: 'Add a document',
      consumes: 'multipart/form-data',
      schema: { body: documentForm, response: documentRecord },
      success: 201,
      errors: [409, 413, 415],
      handler: async ({ body }, { workspace_id, actor }) => kyc.addDocument(workspace_id, actor, body),
    }),
  );

  route(app, {
    ...OWNERS,
    method: 'GET',
    path: '/api/v1/kyc/documents/{doc_id}',
    summary: 'A document as a PDF',
    schema: { params, response: file('application/pdf', 'the document') },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => {
      const { pdf, file_name } = await kyc.readDocument(workspace_id, actor, params.doc_id);
      return { body: pdf, headers: downloadHeaders(file_name) };
    },
  });

  route(app, {
    ...OWNERS,
    method: 'DELETE',
    path: '/api/v1/kyc/documents/{doc_id}',
    summary: 'Remove a document',
    schema: { params },
    success: 204,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) => kyc.removeDocument(workspace_id, actor, params.doc_id),
  });

  route(app, {
    ...OWNERS,
    method: 'POST',
    path: '/api/v1/kyc/submit',
    summary: 'Ask the service to look at the business details',
    schema: { response: kycRecord },
    success: 200,
    errors: [409, 422],
    handler: async (_input, { workspace_id, actor }) => kyc.submit(workspace_id, actor),
  });
}
