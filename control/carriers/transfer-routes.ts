import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ID_PATTERN } from '../../shared/ids.ts';
import { notFound } from '../http/errors.ts';
import { file, route } from '../http/route.ts';
import { type CallbackContent, type CallbackResponse, EMPTY_RESPONSE } from './callback.ts';
import type { CallbackReplays } from './callback-replays.ts';
import type { Carrier, Carriers } from './carrier.ts';
import type { TransferEndpoint } from './carrier-urls.ts';
import type { TransferEventHandler } from './event-handlers.ts';
import { callbackWithoutCall, MAX_CALLBACK_BYTES, verifyCallback } from './verified-callback.ts';

export interface TransferRoutesDeps {
  carriers: Carriers;
  events: TransferEventHandler;
  /** As for `carrierRoutes`. */
  publicApiUrl: string;
  replays: CallbackReplays;
}

const SUMMARIES: Record<TransferEndpoint, string> = {
  answer: 'The target of a transfer picked up',
  briefed: 'The target has heard the briefing',
  status: "A carrier reports the status of the target's leg",
  caller: 'A carrier asks what to do with a caller who was taken from the agent',
  dial: 'A carrier reports the status of the second leg of a transfer',
  dialled: 'The second leg of a transfer is over, and the carrier asks what to do with the caller',
};

/**
 * Serves the callbacks about transfers: POST /carriers/{provider}/transfer/{answer,briefed,status,caller,dial,dialled}
 * ?transfer_id=…. 403 for a wrong signature and for a callback that came before, 404 for a carrier that is missing or has no documents, 422 for a status that
 * names no call.
 */
export function transferRoutes(app: FastifyInstance, deps: TransferRoutesDeps): void {
  const { carriers, events, publicApiUrl, replays } = deps;
  const origin = publicApiUrl.replace(/\/+$/, '');
  const params = z.object({ provider: z.string().max(20) });
  const query = z.object({ transfer_id: z.string().max(64).optional() });

  for (const [endpoint, summary] of Object.entries(SUMMARIES) as [TransferEndpoint, string][]) {
    route(app, {
      method: 'POST',
      path: `/carriers/{provider}/transfer/${endpoint}`,
      tag: 'Carriers',
      summary,
      credential: 'public',
      permission: null,
      hidden: true,
      body_limit_bytes: MAX_CALLBACK_BYTES,
      success: 200,
      schema: { params, query, body: z.unknown(), response: file('text/plain') },
      async handler({ params: { provider }, query: { transfer_id = '' }, body }, context) {
        const { carrier, proof, ...content } = await verifyCallback({ carriers, origin, provider, body }, context);
        // The handlers treat an empty id like an unknown one.
        const transferId = ID_PATTERN.test(transfer_id) ? transfer_id : '';
        const { content_type, text } = await replays.once(carrier.name, proof, () =>
          respond(carrier, endpoint, transferId, content),
        );
        return { body: text, headers: { 'content-type': content_type } };
      },
    });
  }

  async function respond(
    carrier: Carrier,
    endpoint: TransferEndpoint,
    id: string,
    content: CallbackContent,
  ): Promise<CallbackResponse> {
    const { name, transfers } = carrier;
    if (carrier.handleTransferCallback) {
      await carrier.handleTransferCallback(endpoint, id, content, events);
      return EMPTY_RESPONSE;
    }
    const documents = transfers?.documents;
    if (!transfers || !documents) throw notFound('transfer');
    switch (endpoint) {
      case 'answer':
        return documents.target(await events.targetAnswered(name, id, carrier.parseCallback(content)));
      case 'briefed':
        return documents.target(await events.targetBriefed(name, id, carrier.parseCallback(content)));
      case 'status': {
        const callback = carrier.parseCallback(content);
        if (!callback) throw callbackWithoutCall();
        await events.targetStatus(name, id, callback);
        return EMPTY_RESPONSE;
      }
      case 'caller':
        return documents.caller(await events.callerMoved(name, id));
      case 'dial':
      case 'dialled': {
        const event = transfers.parseDialCallback(content);
        if (event) await events.dialStatus(name, id, event);
        return endpoint === 'dial' ? EMPTY_RESPONSE : documents.caller({ do: 'hang up' });
      }
    }
  }
}
