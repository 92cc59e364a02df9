import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ID_PATTERN } from '../../shared/ids.ts';
import { parseMultipartForm } from '../http/body-parsers.ts';
import { file, route } from '../http/route.ts';
import { type CallbackKind, type CallbackResponse, type CarrierCallback, EMPTY_RESPONSE } from './callback.ts';
import type { CallbackReplays } from './callback-replays.ts';
import type { Carrier, Carriers } from './carrier.ts';
import type { CarrierEventHandler } from './event-handlers.ts';
import { callbackWithoutCall, MAX_CALLBACK_BYTES, verifyCallback } from './verified-callback.ts';

export interface CarrierRoutesDeps {
  carriers: Carriers;
  events: CarrierEventHandler;
  /** The URL carriers call, as the setting PUBLIC_API_URL: signatures are checked against it. */
  publicApiUrl: string;
  replays: CallbackReplays;
}

/**
 * Serves the callbacks of carriers: POST /carriers/{provider}/inbound, /answer?call_id=… and /status?call_id=…, inbound and
 * status with GET too. A carrier with one URL for everything says in the callback which kind it is.
 *
 * 403 for a wrong signature and for a callback that came before, 404 for an unknown or unconfigured carrier, 413 beyond 64 KB, 422 for a callback that names no call.
 */
export function carrierRoutes(
  app: FastifyInstance,
  { carriers, events, publicApiUrl, replays }: CarrierRoutesDeps,
): void {
  const origin = publicApiUrl.replace(/\/+$/, '');
  const params = z.object({ provider: z.string().max(20) });
  const query = z.object({ call_id: z.string().max(64).optional() });

  // An app of their own: no other endpoint reads these forms.
  void app.register(async (callbacks) => {
    callbacks.addContentTypeParser('multipart/form-data', { parseAs: 'buffer' }, parseMultipartForm);
    declare(callbacks, 'POST', 'inbound', 'A carrier asks what to do with an incoming call');
    declare(callbacks, 'GET', 'inbound', 'A carrier asks what to do with an incoming call');
    declare(callbacks, 'POST', 'answer', 'A carrier asks what to do with a placed call that was answered');
    declare(callbacks, 'POST', 'status', 'A carrier reports the status of a call');
    declare(callbacks, 'GET', 'status', 'A carrier reports the status of a call');
  });

  function declare(
    callbacks: FastifyInstance,
    method: 'GET' | 'POST',
    kind: Exclude<CallbackKind, 'stream'>,
    summary: string,
  ): void {
    route(callbacks, {
      method,
      path: `/carriers/{provider}/${kind}`,
      tag: 'Carriers',
      summary,
      credential: 'public',
      permission: null,
      hidden: true,
      body_limit_bytes: MAX_CALLBACK_BYTES,
      success: 200,
      schema: { params, query, ...(method === 'POST' ? { body: z.unknown() } : {}), response: file('text/plain') },
      async handler({ params: { provider }, query: { call_id = '' }, body }, context) {
        const { carrier, proof, ...content } = await verifyCallback({ carriers, origin, provider, body }, context);
        const callback = carrier.parseCallback(content);
        if (!callback) throw callbackWithoutCall();
        const callId = ID_PATTERN.test(call_id) ? call_id : '';
        const { content_type, text } = await replays.once(carrier.name, proof, () =>
          respond(carrier, callback.kind ?? kind, callId, callback),
        );
        return { body: text, headers: { 'content-type': content_type } };
      },
    });
  }

  async function respond(
    carrier: Carrier,
    kind: CallbackKind,
    callId: string,
    callback: CarrierCallback,
  ): Promise<CallbackResponse> {
    switch (kind) {
      case 'inbound': {
        const streamUrl = await events.inbound(carrier.name, callback);
        return streamUrl === null ? carrier.reject(callback) : carrier.connect(callback, streamUrl);
      }
      case 'answer': {
        const streamUrl = callId === '' ? null : await events.answered(carrier.name, callId, callback);
        return streamUrl === null ? carrier.end(callback) : carrier.connect(callback, streamUrl);
      }
      case 'stream': {
        const streamUrl = (await events.streamLost?.(carrier.name, callback)) ?? null;
        return streamUrl === null ? EMPTY_RESPONSE : carrier.connect(callback, streamUrl);
      }
      case 'status':
        await events.status(carrier.name, callId, callback);
        return EMPTY_RESPONSE;
    }
  }
}
