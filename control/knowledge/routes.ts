import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { notFound } from '../http/errors.ts';
import { acceptUploads, uploadedFileName } from '../http/multipart.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { baseRecord, baseWithSources, searchRecord, sourceRecord } from './base-record.ts';
import { createBases, type ManageDeps } from './manage-bases.ts';
import type { SearchKnowledge } from './search.ts';
import { findBase } from './store.ts';

const TAG = 'Knowledge bases';
const params = z.object({ kb_id: pathId('knowledge base') });
const sourceParams = z.object({ kb_id: pathId('knowledge base'), source_id: pathId('source') });
const name = z.string().min(1).max(120).describe('for display');
const description = z.string().max(500).describe('for people; agents do not read it');

const fileForm = z.object({
  file: z
    .custom<Buffer>((value) => value instanceof Buffer, 'Field required')
    .meta({ type: 'string', format: 'binary', description: 'PDF, DOCX, TXT, MD, HTML or CSV, at most 20 MB' }),
});

const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** 500,000 characters of Devanagari, each as `\u0939`. */
const MAX_TEXT_BODY_BYTES = 4 * 1024 * 1024;
const SEMANTIC_TIMEOUT_MS = 5_000;

export interface KnowledgeRoutesDeps extends ManageDeps {
  search: SearchKnowledge;
}

export function knowledgeRoutes(app: FastifyInstance, deps: KnowledgeRoutesDeps): void {
  const bases = createBases(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/knowledge-bases',
    tag: TAG,
    summary: 'All knowledge bases, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(baseRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => bases.list(workspace_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/knowledge-bases',
    tag: TAG,
    summary: 'Make a knowledge base',
    credential: 'key',
    permission: 'agents.edit',
    schema: { body: z.object({ name, description: description.default('') }), response: baseRecord },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor }) => bases.create(workspace_id, actor, body),
  });

  route(app, {
    method: 'GET',
    path: '/api/v1/knowledge-bases/{kb_id}',
    tag: TAG,
    summary: 'One knowledge base with its sources',
    credential: 'key',
    permission: 'agents.view',
    schema: { params, response: baseWithSources },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => bases.findWithSources(workspace_id, params.kb_id),
  });

  route(app, {
    method: 'PATCH',
    path: '/api/v1/knowledge-bases/{kb_id}',
    tag: TAG,
    summary: 'Rename or describe a knowledge base',
    credential: 'key',
    permission: 'agents.edit',
    schema: {
      params,
      body: z.object({ name: name.optional(), description: description.optional() }),
      response: baseRecord,
    },
    success: 200,
    errors: [404],
    handler: async ({ params, body }, { workspace_id, actor }) => bases.update(workspace_id, params.kb_id, body, actor),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/knowledge-bases/{kb_id}',
    tag: TAG,
    summary: 'Remove a knowledge base that no agent uses',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params },
    success: 204,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) => bases.remove(workspace_id, params.kb_id, actor),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{kb_id}/sources/text',
    tag: TAG,
    summary: 'Add a text; it is processed in the background',
    credential: 'key',
    permission: 'agents.edit',
    schema: {
      params,
      body: z.object({ name, text: z.string().min(1).max(500_000).describe('plain text') }),
      response: sourceRecord,
    },
    body_limit_bytes: MAX_TEXT_BODY_BYTES,
    success: 201,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      bases.addText(workspace_id, params.kb_id, actor, body),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{kb_id}/sources/url',
    tag: TAG,
    summary: 'Add a page, or a page and those of its host that it leads to; they are read in the background',
    credential: 'key',
    permission: 'agents.edit',
    schema: {
      params,
      body: z.object({
        url: z.url().max(2_000).describe('https or http on the public internet; at most 5 MB, 3 redirects'),
        name: name.optional().describe('for display; the page title when left out'),
        max_pages: z
          .int()
          .min(1)
          .max(50)
          .default(1)
          .describe('above 1: links to pages of the same host are followed, nearest first, up to this number of pages'),
      }),
      response: sourceRecord,
    },
    success: 201,
    errors: [404, 409],
    handler: async ({ params, body }, { workspace_id, actor }) => bases.addUrl(workspace_id, params.kb_id, actor, body),
  });

  acceptUploads(app, { maxFileBytes: MAX_FILE_BYTES, label: 'file' }, (uploads) =>
    route(uploads, {
      method: 'POST',
      path: '/api/v1/knowledge-bases/{kb_id}/sources/file',
      tag: TAG,
      summary: 'Upload a document; it is read in the background',
      credential: 'key',
      permission: 'agents.edit',
      consumes: 'multipart/form-data',
      schema: { params, body: fileForm, response: sourceRecord },
      success: 201,
      errors: [404, 409, 413, 415],
      handler: async ({ params, body: { file } }, { workspace_id, actor }) =>
        bases.addFile(workspace_id, params.kb_id, actor, file, uploadedFileName(file)),
    }),
  );

  route(app, {
    method: 'DELETE',
    path: '/api/v1/knowledge-bases/{kb_id}/sources/{source_id}',
    tag: TAG,
    summary: 'Remove a source and its passages',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params: sourceParams },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) =>
      bases.removeSource(workspace_id, params.kb_id, params.source_id, actor),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{kb_id}/sources/{source_id}/reprocess',
    tag: TAG,
    summary: 'Process a source again; its old passages stay searchable until then',
    credential: 'key',
    permission: 'agents.edit',
    schema: { params: sourceParams, response: sourceRecord },
    success: 202,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) =>
      bases.reprocess(workspace_id, params.kb_id, params.source_id, actor),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/knowledge-bases/{kb_id}/search',
    tag: TAG,
    summary: 'What an agent would find here',
    credential: 'key',
    permission: 'agents.view',
    schema: {
      params,
      body: z.object({
        query: z.string().min(1).max(1_000).describe('a question or words'),
        limit: z.int().min(1).max(20).default(5).describe('passages at most'),
      }),
      response: searchRecord,
    },
    success: 200,
    errors: [404],
    handler: async ({ params, body }, { workspace_id }) => {
      if (!(await findBase(deps.sql, workspace_id, params.kb_id))) throw notFound('knowledge base');
      const knowledge_base_ids = [params.kb_id];
      return deps.search({ workspace_id, knowledge_base_ids, ...body, semantic_timeout_ms: SEMANTIC_TIMEOUT_MS });
    },
  });
}
