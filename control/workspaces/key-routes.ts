import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { createKeyManager, type KeyManagerDeps } from './keys.ts';
import { keyRecord, newKeyRecord } from './workspace-record.ts';

const TAG = 'Workspace';

/** The API keys of the workspace. */
export function keyRoutes(app: FastifyInstance, deps: KeyManagerDeps): void {
  const keys = createKeyManager(deps);

  route(app, {
    method: 'GET',
    path: '/api/v1/keys',
    tag: TAG,
    summary: 'All API keys, newest first',
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(keyRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => keys.list(workspace_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/keys',
    tag: TAG,
    summary: 'Make an API key; it is shown this once',
    credential: 'key',
    permission: 'keys.manage',
    schema: {
      body: z.object({ name: z.string().trim().min(1).max(80).describe('a label') }),
      response: newKeyRecord,
    },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor }) => keys.create(workspace_id, actor, body.name),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}',
    tag: TAG,
    summary: 'Revoke an API key; it stops working at once',
    credential: 'key',
    permission: 'keys.manage',
    schema: { params: z.object({ key_id: pathId('key') }) },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => keys.revoke(workspace_id, actor, params.key_id),
  });
}
