import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { E164_PATTERN } from '../../shared/phone.ts';
import { queryInteger } from '../http/query.ts';
import { route } from '../http/route.ts';
import type { BuyRequest } from './buy-number.ts';
import type { Numbers } from './manage-numbers.ts';
import { type AvailableNumber, availableNumber, numberRecord } from './number-record.ts';
import { NUMBER_TYPES } from './number-type.ts';
import type { AvailableQuery } from './search-inventory.ts';

const TAG = 'Phone numbers';
const params = z.object({ number: z.string().max(40).describe('E.164; the plus is `%2B`') });

export interface NumberRoutesDeps {
  numbers: Numbers;
  buy(request: BuyRequest): Promise<void>;
  search(workspaceId: string, query: AvailableQuery): Promise<AvailableNumber[]>;
}

export function numberRoutes(app: FastifyInstance, { numbers, buy, search }: NumberRoutesDeps): void {
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
    method: 'GET',
    path: '/api/v1/numbers/available',
    tag: TAG,
    summary: 'Numbers that the carriers of this service rent out now',
    credential: 'session',
    permission: 'numbers.manage',
    schema: {
      query: z.object({
        country: z
          .string()
          .regex(/^[A-Z]{2}$/)
          .default('IN')
          .describe('two letters'),
        type: z.enum(NUMBER_TYPES).optional().describe('left out: every type; the Indian series are in no inventory'),
        contains: z
          .string()
          .regex(/^[0-9]{2,15}$/)
          .optional()
          .describe('digits that the number has in a row'),
        limit: queryInteger(1, 50).default(20).describe('numbers in the response'),
      }),
      response: z.array(availableNumber),
    },
    success: 200,
    errors: [502],
    handler: async ({ query }, { workspace_id }) => search(workspace_id, query),
  });

  route(app, {
    method: 'POST',
    path: '/api/v1/numbers',
    tag: TAG,
    summary:
      'Buy an available number: the fee of 30 days is taken at once; after a 502 look into the list before buying again',
    credential: 'session',
    permission: 'numbers.manage',
    idempotent: true,
    schema: {
      body: z.object({
        number: z.string().regex(E164_PATTERN).describe('as a search of the last hour found it, E.164'),
      }),
      response: numberRecord,
    },
    success: 201,
    errors: [402, 409, 502],
    async handler({ body: { number } }, { workspace_id: workspaceId, actor, markCarriedOut }) {
      await buy({ workspaceId, actor, number, markCarriedOut });
      return numbers.record(workspaceId, number);
    },
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
    errors: [404, 409, 502],
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
