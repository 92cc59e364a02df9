import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { ID_PATTERN } from '../../shared/ids.ts';
import { file, route } from '../http/route.ts';
import type { CallbackResponse, CarrierCallback } from './callback.ts';
import type { Carrier, Carriers } from './carrier.ts';
import type { CarrierEventHandler } from './carrier-event-handler.ts';
import { callbackWithoutCall, MAX_CALLBACK_BYTES, verifyCallback } from './verified-callback.ts';

export interface CarrierRoutesDeps {
  carriers: Carriers;
  events: CarrierEventHandler;
  /** The address carriers call, as the setting PUBLIC_API_URL: signatures are checked against it. */
  publicApiUrl: string;
}

const EMPTY_RESPONSE: CallbackResponse = { content_type: 'text/plain; charset=utf-8', text: '' };

type CallbackKind = 'inbound' | 'answer' | 'status' | 'stream';

/**
 * POST /carriers/{provider}/inbound, /answer?call_id=… and /status?call_id=…, and the first and the last with GET: what a
 * carrier asks and tells, signed by it. A carrier that tells everything at one address says itself what it wants.
 * 403 for a wrong signature, 404 for an unknown or unconfigured carrier, 413 beyond 64 KB, 422 for a callback that names no call.
 */
export function carrierRoutes(app: FastifyInstance, { carriers, events: news, publicApiUrl }: CarrierRoutesDeps): void {
  const origin = publicApiUrl.replace(/\/+$/, '');
  const params = z.object({ provider: z.string().max(20) });
  const query = z.object({ call_id: z.string().max(64).optional() });

  declare('POST', 'inbound', 'A carrier asks what to do with a call to one of our numbers');
  declare('GET', 'inbound', 'A carrier asks what to do with a call to one of our numbers');
  declare('POST', 'answer', 'A carrier asks what to do with a call we placed and somebody answered');
  declare('POST', 'status', 'A carrier tells how a call goes');
  declare('GET', 'status', 'A carrier tells how a call goes');

  function declare(method: 'GET' | 'POST', question: Exclude<CallbackKind, 'stream'>, summary: string): void {
    route(app, {
      method,
      path: `/carriers/{provider}/${question}`,
      tag: 'Carriers',
      summary,
      credential: 'public',
      permission: null,
      hidden: true,
      body_limit_bytes: MAX_CALLBACK_BYTES,
      success: 200,
      schema: { params, query, ...(method === 'POST' ? { body: z.unknown() } : {}), response: file('text/plain') },
      async handler({ params, query, body }, context) {
        const { provider } = params;
        const { carrier, ...said } = verifyCallback({ carriers, origin, provider, body }, context);
        const callback = carrier.parseCallback(said);
        if (!callback) throw callbackWithoutCall();
        const callId = ID_PATTERN.test(query.call_id ?? '') ? query.call_id! : '';
        const { content_type, text } = await answer(carrier, callback.kind ?? question, callId, callback);
        return { body: text, headers: { 'content-type': content_type } };
      },
    });
  }

  async function answer(
    carrier: Carrier,
    question: CallbackKind,
    callId: string,
    callback: CarrierCallback,
  ): Promise<CallbackResponse> {
    switch (question) {
      case 'inbound': {
        const streamUrl = await news.inbound(carrier.name, callback);
        return streamUrl === null ? carrier.reject(callback) : carrier.connect(callback, streamUrl);
      }
      case 'answer': {
        const streamUrl = callId === '' ? null : await news.answered(carrier.name, callId, callback);
        return streamUrl === null ? carrier.end(callback) : carrier.connect(callback, streamUrl);
      }
      case 'stream': {
        const streamUrl = (await news.streamLost?.(carrier.name, callback)) ?? null;
        return streamUrl === null ? EMPTY_RESPONSE : carrier.connect(callback, streamUrl);
      }
      case 'status':
        await news.status(carrier.name, callId, callback);
        return EMPTY_RESPONSE;
    }
  }
}
