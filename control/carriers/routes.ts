import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { CARRIERS, type Carrier as CarrierName } from '../../shared/call.ts';
import { ID_PATTERN } from '../../shared/ids.ts';
import { HttpError, notFound } from '../http/errors.ts';
import { file, type PublicContext, route } from '../http/route.ts';
import type { CallbackFields, Carrier, Carriers } from './carrier.ts';
import type { CarrierNews } from './carrier-news.ts';

export interface CarrierRoutesDeps {
  carriers: Carriers;
  news: CarrierNews;
  /** The address carriers call, as the setting PUBLIC_API_URL: signatures are checked against it. */
  publicApiUrl: string;
}

const XML = 'text/xml; charset=utf-8';
const BODY_LIMIT_BYTES = 64 * 1024;

/**
 * POST /carriers/{provider}/inbound, /answer?call_id=… and /status?call_id=…: form bodies signed by the carrier.
 * 403 for a wrong signature, 404 for an unknown or unconfigured carrier, 422 for a callback that names no call.
 */
export function carrierRoutes(app: FastifyInstance, { carriers, news, publicApiUrl }: CarrierRoutesDeps): void {
  const origin = publicApiUrl.replace(/\/+$/, '');
  const declaration = {
    method: 'POST',
    tag: 'Carriers',
    credential: 'public',
    permission: null,
    hidden: true,
    success: 200,
  } as const;
  const params = z.object({ provider: z.string().max(20) });
  const query = z.object({ call_id: z.string().max(64).optional() });
  const body = z.unknown();
  const schema = { params, query, body, response: file(XML) };

  route(app, {
    ...declaration,
    path: '/carriers/{provider}/inbound',
    summary: 'A carrier asks what to do with a call to one of our numbers',
    schema,
    async handler({ params, body }, context) {
      const { carrier, callback } = receive(params.provider, body, context);
      const streamUrl = await news.inbound(carrier.name, callback);
      return { body: streamUrl === null ? carrier.busyDocument() : carrier.connectDocument(streamUrl) };
    },
  });

  route(app, {
    ...declaration,
    path: '/carriers/{provider}/answer',
    summary: 'A carrier asks what to do with a call we placed and somebody answered',
    schema,
    async handler({ params, query, body }, context) {
      const { carrier, callback } = receive(params.provider, body, context);
      const callId = query.call_id ?? '';
      const streamUrl = ID_PATTERN.test(callId) ? await news.answered(carrier.name, callId, callback) : null;
      return { body: streamUrl === null ? carrier.hangUpDocument() : carrier.connectDocument(streamUrl) };
    },
  });

  route(app, {
    ...declaration,
    path: '/carriers/{provider}/status',
    summary: 'A carrier tells how a call goes',
    schema,
    async handler({ params, query, body }, context) {
      const { carrier, callback } = receive(params.provider, body, context);
      const callId = query.call_id ?? '';
      await news.status(carrier.name, ID_PATTERN.test(callId) ? callId : '', callback);
      return { body: '' };
    },
  });

  function receive(provider: string, body: unknown, { request, log }: PublicContext) {
    const carrier = (CARRIERS as readonly string[]).includes(provider) && carriers.get(provider as CarrierName);
    if (!carrier) throw notFound('carrier');
    if (Number(request.headers['content-length'] ?? 0) > BODY_LIMIT_BYTES) {
      throw new HttpError(413, 'the request body is larger than 64 KB');
    }
    const fields = formFields(body);
    const signed = {
      url: origin + request.raw.url,
      fields,
      header: (name: string) => String(request.headers[name] ?? ''),
    };
    if (!carrier.verify(signed)) {
      log.warn(
        { provider, path: request.routeOptions.url, address: request.ip },
        'a carrier callback with a wrong signature was refused; is PUBLIC_API_URL the address the carrier calls?',
      );
      throw new HttpError(403, 'the signature does not match');
    }
    const callback = carrier.read(fields);
    if (!callback) throw new HttpError(422, 'the callback names no call');
    return { carrier: carrier satisfies Carrier, callback };
  }
}

/** A body that is no form has no fields; its signature then cannot be right. */
function formFields(body: unknown): CallbackFields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const valid = Object.values(body).every(
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  );
  return valid ? (body as CallbackFields) : {};
}
