import { CARRIERS, type Carrier as CarrierName } from '../../shared/call.ts';
import { HttpError, notFound } from '../http/errors.ts';
import type { PublicContext } from '../http/route.ts';
import type { CallbackFields, SignedCallback } from './callback.ts';
import type { Carrier, Carriers } from './carrier.ts';

/** For every address that carriers call: nobody has said yet who sends it. */
export const MAX_CALLBACK_BYTES = 64 * 1024;

/** Who called and what was said, once the signature has been found right. */
export interface VerifiedCallback extends Pick<SignedCallback, 'fields' | 'json'> {
  carrier: Carrier;
}

export interface ReceivedCallback {
  carriers: Carriers;
  /** Of the address carriers call: scheme and host, without a slash at the end. Signatures are checked against it. */
  origin: string;
  /** As in the path. */
  provider: string;
  body: unknown;
}

/**
 * What a carrier says or asks, signed by it: a form, a JSON object, or the query of a GET.
 *
 * @throws HttpError 404 for an unknown or unconfigured carrier, 403 for a wrong signature.
 */
export function verifyCallback(
  { carriers, origin, provider, body }: ReceivedCallback,
  { request, log }: PublicContext,
): VerifiedCallback {
  const carrier = (CARRIERS as readonly string[]).includes(provider) && carriers.get(provider as CarrierName);
  if (!carrier) throw notFound('carrier');
  const isJson = /^application\/json\b/i.test(String(request.headers['content-type'] ?? ''));
  const fields = formFields(request.method === 'GET' ? request.query : isJson ? {} : body);
  const json = isJson ? jsonObject(body) : null;
  const signed: SignedCallback = {
    url: origin + request.raw.url,
    fields,
    json,
    raw: request.rawBody,
    header: (name: string) => String(request.headers[name] ?? ''),
  };
  if (!carrier.verifyCallback(signed)) {
    log.warn(
      { provider, path: request.routeOptions.url, address: request.ip },
      'a carrier callback with a wrong signature was refused; is PUBLIC_API_URL the address the carrier calls?',
    );
    throw new HttpError(403, 'the signature does not match');
  }
  return { carrier, fields, json };
}

/** For a callback that is genuine and still says nothing of a call. */
export const callbackWithoutCall = () => new HttpError(422, 'the callback names no call');

function jsonObject(body: unknown): Record<string, unknown> | null {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : null;
}

/** A body that is no form has no fields; its signature then cannot be right. */
function formFields(body: unknown): CallbackFields {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return {};
  const valid = Object.values(body).every(
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  );
  return valid ? (body as CallbackFields) : {};
}
