import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { route } from '../http/route.ts';
import type { Numbers } from './manage-numbers.ts';
import { numberRecord } from './number-record.ts';

const TAG = 'Phone numbers';
const params = z.object({ number: z.string().max(40).describe('E.164; the plus is `%2B`') });

export function numberRoutes(app: FastifyInstance, numbers: Numbers): void {
  route(app, {
    method: 'GET',
    path: '/api/v1/numbers',
    tag: TAG,
    summary: "The workspace's numbers, newest first; released ones are left out",
    credential: 'key',
    permission: 'agents.view',
    schema: { response: z.array(numberRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => numbers.list(workspace_id),
  });

  route(app, {
    method: 'DELETE',
    path: '/api/v1/numbers/{number}',
    tag: TAG,
    summary: 'Release a number at once, without a refund; calls that ring go on',
    credential: 'session',
    permission: 'numbers.manage',
    schema: { params },
    success: 204,
    errors: [404, 409],
    handler: async ({ params: { number } }, { workspace_id: workspaceId, actor }) =>
      numbers.release({ workspaceId, actor, number }),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/numbers/{number}/connect',
    tag: TAG,
    summary: 'Have an agent answer the number; it is moved off any other agent',
    credential: 'session',
    permission: 'numbers.manage',
    schema: {
      params,
      body: z.object({ agent_id: z.string().max(64).describe('who answers inbound calls') }),
      response: numberRecord,
    },
    success: 200,
    errors: [404, 409],
    handler: async ({ params: { number }, body }, { workspace_id: workspaceId, actor }) =>
      numbers.connect({ workspaceId, actor, number }, body.agent_id),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/numbers/{number}/disconnect',
    tag: TAG,
    summary: 'Have nobody answer the number: inbound calls on it are rejected',
    credential: 'session',
    permission: 'numbers.manage',
    schema: { params, response: numberRecord },
    success: 200,
    errors: [404, 409],
    handler: async ({ params: { number } }, { workspace_id: workspaceId, actor }) =>
      numbers.disconnect({ workspaceId, actor, number }),
  });
}
