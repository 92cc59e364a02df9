import type { CarrierName } from '../../shared/carriers/registry.ts';
import { HttpError, notFound } from '../http/errors.ts';
import type { PublicContext } from '../http/route.ts';
import type { CallbackContent, CallbackFields, SignedCallback } from './callback.ts';
import { jsonObject } from './callback-fields.ts';
import type { CallbackProof } from './callback-replays.ts';
import type { Carrier, Carriers } from './carrier.ts';

/** Of a callback's body, which is read before its signature can be checked. */
export const MAX_CALLBACK_BYTES = 64 * 1024;

export interface VerifiedCallback extends CallbackContent {
  carrier: Carrier;
  proof: CallbackProof | null;
}

export interface ReceivedCallback {
  carriers: Carriers;
  /** Of the URL that carriers call: scheme and host, without a slash at the end. Signatures are checked against it. */
  origin: string;
  /** As in the path. */
  provider: string;
  body: unknown;
}

/**
 * Checks a callback's signature and returns what it says: a form, a JSON object, or the query of a GET.
 *
 * @throws HttpError 404 for an unknown or unconfigured carrier, 403 for a wrong signature.
 */
export async function verifyCallback(
  { carriers, origin, provider, body }: ReceivedCallback,
  { request, log }: PublicContext,
): Promise<VerifiedCallback> {
  const carrier = carriers.get(provider as CarrierName);
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
  if (!(await carrier.verifyCallback(signed))) {
    log.warn(
      { provider, path: request.routeOptions.url, address: request.ip },
      'a carrier callback with a wrong signature was refused; is PUBLIC_API_URL the address the carrier calls?',
    );
    throw new HttpError(403, 'the signature does not match');
  }
  return { carrier, proof: carrier.proofOf?.(signed) ?? null, fields, json };
}

/** For a callback whose signature is right but that names no call. */
export const callbackWithoutCall = () => new HttpError(422, 'the callback names no call');

/** A body that is not a form has no fields; its signature then cannot be right. */
function formFields(body: unknown): CallbackFields {
  const form = jsonObject(body) ?? {};
  const valid = Object.values(form).every(
    (value) => typeof value === 'string' || (Array.isArray(value) && value.every((item) => typeof item === 'string')),
  );
  return valid ? (form as CallbackFields) : {};
}
