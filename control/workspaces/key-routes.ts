import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { isNetwork } from '../../shared/networks.ts';
import { pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { SCOPES } from '../http/scopes.ts';
import { timeInput } from '../http/times.ts';
import { createKeyManager, type KeyManagerDeps } from './keys.ts';
import { keyRecord, newKeyRecord } from './workspace-record.ts';

const COMMON = { tag: 'Workspace', credential: 'key', resource: 'keys' } as const;
const params = z.object({ key_id: pathId('key') });

const newKeyBody = z.object({
  name: z.string().trim().min(1).max(80).describe('a label'),
  scopes: z
    .array(z.enum(SCOPES))
    .min(1)
    .max(SCOPES.length)
    .optional()
    .describe('what it may do; left out: all that keys may'),
  expires_at: timeInput().optional().describe('when it stops working; left out: never'),
  allowed_addresses: z
    .array(z.string().max(64).refine(isNetwork, 'Input should be an IP address or a network such as 203.0.113.0/24'))
    .max(50)
    .default([])
    .describe('IP addresses and networks (CIDR) that it is accepted from; empty: any'),
});

const rotateBody = z
  .object({
    overlap_hours: z
      .int()
      .min(0)
      .max(168)
      .default(24)
      .describe('how long the present key goes on; 0: it stops at once'),
  })
  .prefault({});

/** The API keys of the workspace. */
export function keyRoutes(app: FastifyInstance, deps: KeyManagerDeps): void {
  const keys = createKeyManager(deps);

  route(app, {
    ...COMMON,
    method: 'GET',
    path: '/api/v1/keys',
    summary: 'All API keys, newest first',
    permission: 'agents.view',
    schema: { response: z.array(keyRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => keys.list(workspace_id),
  });

  route(app, {
    ...COMMON,
    method: 'POST',
    path: '/api/v1/keys',
    summary: 'Make an API key; it is shown this once',
    permission: 'keys.manage',
    confirmed: true,
    schema: { body: newKeyBody, response: newKeyRecord },
    success: 201,
    errors: [409],
    handler: async ({ body }, context) => {
      const { name, scopes, expires_at = null, allowed_addresses } = body;
      const limits = { scopes: scopes ? [...new Set(scopes)] : null, expires_at, allowed_addresses };
      return keys.create(context, { name, ...limits });
    },
  });

  route(app, {
    ...COMMON,
    method: 'POST',
    path: '/api/v1/keys/{key_id}/rotate',
    summary: 'Replace an API key by one with the same limits, shown this once; the present one goes on for a while',
    permission: 'keys.manage',
    confirmed: true,
    schema: { params, body: rotateBody, response: newKeyRecord },
    success: 201,
    errors: [404, 409],
    handler: async ({ params, body }, context) =>
      keys.rotate(context, { keyId: params.key_id, overlapHours: body.overlap_hours }),
  });

  route(app, {
    ...COMMON,
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}',
    summary: 'Revoke an API key; it stops working at once',
    permission: 'keys.manage',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => keys.revoke(workspace_id, actor, params.key_id),
  });
}
