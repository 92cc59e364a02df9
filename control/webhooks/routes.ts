import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { commaSeparated, longPageOf, paging, pathId } from '../http/query.ts';
import { route } from '../http/route.ts';
import { timeInput } from '../http/times.ts';
import { DELIVERY_STATUSES, deliveryRecord, wholeDelivery } from './delivery-record.ts';
import {
  defaultSecretRecord,
  endpointChangeBody,
  endpointRecord,
  endpointWithSecret,
  eventTypeRecord,
  newDefaultSecret,
  newEndpointBody,
} from './endpoint-record.ts';
import { DELIVERED_TYPES, SUBSCRIBABLE } from './event-types.ts';
import type { createDeliveryService } from './manage-deliveries.ts';
import type { createEndpointService } from './manage-endpoints.ts';

const common = { tag: 'Webhooks', credential: 'key', permission: 'keys.manage' } as const;
const params = z.object({ endpoint_id: pathId('webhook endpoint', 'we_') });
const deliveryParams = z.object({ delivery_id: pathId('delivery', 'whd_') });

const deliveryQuery = z.object({
  endpoint_id: z.string().max(64).optional().describe('an endpoint, `agent` or `campaign`'),
  status: commaSeparated(DELIVERY_STATUSES).optional().describe('comma-separated'),
  event_type: commaSeparated(DELIVERED_TYPES).optional().describe('comma-separated'),
  call_id: z.string().max(64).optional().describe('only those about this call'),
  since: timeInput().optional().describe('made at this time or later'),
  until: timeInput().optional().describe('made before this time'),
  ...paging(50, 200),
});

export interface WebhookRoutesDeps {
  endpoints: ReturnType<typeof createEndpointService>;
  deliveries: ReturnType<typeof createDeliveryService>;
}

/** The endpoints of the group Webhooks. */
export function webhookRoutes(app: FastifyInstance, { endpoints, deliveries }: WebhookRoutesDeps): void {
  route(app, {
    ...common,
    method: 'POST',
    path: '/api/v1/webhooks',
    confirmed: 'sessions',
    summary: 'Create an endpoint; its secret is shown once',
    schema: { body: newEndpointBody, response: endpointWithSecret },
    success: 201,
    errors: [409],
    handler: async ({ body }, { workspace_id, actor, grant_id }) =>
      endpoints.create(workspace_id, actor, body, grant_id),
  });

  route(app, {
    ...common,
    method: 'GET',
    path: '/api/v1/webhooks',
    summary: 'All endpoints, newest first',
    schema: { response: z.array(endpointRecord) },
    success: 200,
    handler: async (_input, { workspace_id }) => endpoints.list(workspace_id),
  });

  route(app, {
    ...common,
    method: 'GET',
    path: '/api/v1/webhooks/events',
    summary: 'The types of events that can be subscribed to',
    schema: { response: z.array(eventTypeRecord) },
    success: 200,
    handler: async () => [...SUBSCRIBABLE],
  });

  route(app, {
    ...common,
    method: 'GET',
    path: '/api/v1/webhooks/default-secret',
    summary: 'The hint of the secret that signs for agents and campaigns',
    schema: { response: defaultSecretRecord },
    success: 200,
    handler: async (_input, { workspace_id }) => endpoints.defaultSecret(workspace_id),
  });

  route(app, {
    ...common,
    method: 'POST',
    path: '/api/v1/webhooks/default-secret/rotate',
    confirmed: 'sessions',
    summary: 'A new default secret, shown once; the old one is invalid at once',
    schema: { response: newDefaultSecret },
    success: 200,
    handler: async (_input, { workspace_id, actor }) => endpoints.rotateDefault(workspace_id, actor),
  });

  route(app, {
    ...common,
    method: 'GET',
    path: '/api/v1/webhooks/deliveries',
    summary: 'Deliveries of the last 30 days, newest first',
    schema: { query: deliveryQuery, response: longPageOf(deliveryRecord) },
    success: 200,
    handler: async ({ query: { limit, skip, ...filters } }, { workspace_id }) =>
      deliveries.list(workspace_id, filters, { limit, skip }),
  });

  route(app, {
    ...common,
    method: 'GET',
    path: '/api/v1/webhooks/deliveries/{delivery_id}',
    summary: 'One delivery with its request and response',
    schema: { params: deliveryParams, response: wholeDelivery },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id }) => deliveries.find(workspace_id, params.delivery_id),
  });

  route(app, {
    ...common,
    method: 'POST',
    path: '/api/v1/webhooks/deliveries/{delivery_id}/retry',
    summary: 'One extra attempt now; the schedule is not restarted',
    schema: { params: deliveryParams, response: wholeDelivery },
    success: 200,
    errors: [404, 409],
    handler: async ({ params }, { workspace_id, actor }) => deliveries.retry(workspace_id, params.delivery_id, actor),
  });

  route(app, {
    ...common,
    method: 'PATCH',
    path: '/api/v1/webhooks/{endpoint_id}',
    summary: 'Change an endpoint; fields that are not sent stay',
    schema: { params, body: endpointChangeBody, response: endpointRecord },
    success: 200,
    errors: [404],
    handler: async ({ params, body }, { workspace_id, actor }) =>
      endpoints.update(workspace_id, params.endpoint_id, body, actor),
  });

  route(app, {
    ...common,
    method: 'DELETE',
    path: '/api/v1/webhooks/{endpoint_id}',
    summary: 'Delete an endpoint; its waiting deliveries fail',
    schema: { params },
    success: 204,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => endpoints.remove(workspace_id, params.endpoint_id, actor),
  });

  route(app, {
    ...common,
    method: 'POST',
    path: '/api/v1/webhooks/{endpoint_id}/test',
    summary: 'Send one ping now, without retries; also to an inactive endpoint',
    schema: { params, response: wholeDelivery },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => deliveries.ping(workspace_id, params.endpoint_id, actor),
  });

  route(app, {
    ...common,
    method: 'POST',
    path: '/api/v1/webhooks/{endpoint_id}/rotate-secret',
    confirmed: 'sessions',
    summary: 'A new secret, shown once; the old one is invalid at once',
    schema: { params, response: endpointWithSecret },
    success: 200,
    errors: [404],
    handler: async ({ params }, { workspace_id, actor }) => endpoints.rotate(workspace_id, params.endpoint_id, actor),
  });
}
