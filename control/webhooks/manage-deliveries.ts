import type { Clock } from '../../shared/clock.ts';
import { newId } from '../../shared/ids.ts';
import type { SafeFetch } from '../../shared/safe-fetch.ts';
import { writeAudit } from '../audit/write-audit.ts';
import type { BoundedTotal } from '../db/bounded-total.ts';
import type { Sql } from '../db/connect.ts';
import type { Actor } from '../http/authenticate.ts';
import { conflict, notFound } from '../http/errors.ts';
import { findOutgoing } from './claim-deliveries.ts';
import { attemptDelivery, type DeliveryRequest, receiverOf } from './delivery-attempt.ts';
import type { DeliveryRow, WholeDelivery } from './delivery-record.ts';
import {
  type DeliveryFilters,
  findDelivery,
  insertPing,
  listDeliveries,
  recordManualAttempt,
} from './delivery-store.ts';
import { type CompleteBody, PING_EVENT_ID, pingEnvelope, storedWhole } from './envelope.ts';
import { findEndpoint } from './store.ts';
import type { WebhookSecrets } from './webhook-secrets.ts';

export interface ManageDeliveriesDeps {
  sql: Sql;
  clock: Clock;
  fetch: SafeFetch;
  secrets: WebhookSecrets;
  /** `storedWhole`. */
  completeBody?: CompleteBody;
}

/** The API's operations on deliveries: list, find, retry, ping. */
export function createDeliveryService(deps: ManageDeliveriesDeps) {
  const { sql, clock, fetch, secrets, completeBody = storedWhole } = deps;

  async function find(workspaceId: string, id: string): Promise<WholeDelivery> {
    const delivery = await findDelivery(sql, workspaceId, id);
    if (!delivery) throw notFound('delivery');
    const body = await completeBody({ ...delivery, body: delivery.request_body });
    return { ...delivery, request_body: body ?? '' };
  }

  async function send(request: DeliveryRequest) {
    const attempt = await attemptDelivery({ fetch, clock }, request);
    if (!attempt) throw new Error('an attempt without a signal was aborted');
    return attempt;
  }

  return {
    find,

    list: (
      workspaceId: string,
      filters: DeliveryFilters,
      { limit, skip }: { limit: number; skip: number },
    ): Promise<{ items: DeliveryRow[] } & BoundedTotal> => listDeliveries(sql, workspaceId, filters, limit, skip),

    /** Makes one attempt now, whatever the status; unless it succeeds, the schedule is not changed. */
    async retry(workspace_id: string, id: string, actor: Actor): Promise<WholeDelivery> {
      const outgoing = await findOutgoing(sql, workspace_id, id);
      const body = outgoing && (await completeBody(outgoing));
      if (!outgoing || body === null) throw notFound('delivery');
      const receiver = await receiverOf(sql, secrets, outgoing);
      if (receiver === 'endpoint deleted') throw conflict('the endpoint of this delivery was deleted');
      if (receiver === 'endpoint inactive') throw conflict('the endpoint of this delivery is inactive');
      const { event_type } = outgoing;
      const attempt = await send({ delivery_id: id, event_type, body, ...receiver });
      await sql.begin(async (tx) => {
        await recordManualAttempt(tx, outgoing, attempt);
        const target = { kind: 'webhook_delivery', id, name: event_type };
        const data = { delivered: attempt.delivered };
        await writeAudit(tx, { workspace_id, actor, action: 'delivery.retried', target, data, at_ms: clock.wall() });
      });
      return find(workspace_id, id);
    },

    /** Sends one ping, also to an inactive endpoint, and returns its delivery. */
    async ping(workspace_id: string, endpointId: string, actor: Actor): Promise<WholeDelivery> {
      const endpoint = await findEndpoint(sql, workspace_id, endpointId);
      if (!endpoint) throw notFound('webhook endpoint');
      const { url } = endpoint;
      const secret = secrets.openEndpoint(workspace_id, endpointId, endpoint.secret);
      const created_at = new Date(clock.wall());
      const delivery_id = `whd_${newId(clock.wall())}`;
      const body = pingEnvelope(workspace_id, created_at);
      const attempt = await send({ delivery_id, event_type: 'ping', body, url, secret });
      await sql.begin(async (tx) => {
        const ping = {
          workspace_id,
          id: delivery_id,
          event_id: PING_EVENT_ID,
          endpoint_id: endpointId,
          body,
          created_at,
        };
        await insertPing(tx, ping, attempt);
        const target = { kind: 'webhook_endpoint', id: endpointId, name: URL.parse(url)?.hostname ?? '' };
        const data = { delivered: attempt.delivered };
        await writeAudit(tx, { workspace_id, actor, action: 'webhook.tested', target, data, at_ms: clock.wall() });
      });
      return find(workspace_id, delivery_id);
    },
  };
}
