import { isSuccess, NoResponseError, type RestRequest, sendRestRequest } from '../http/rest-request.ts';
import { parseJsonObject } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import type { DialOutcome } from './dial.ts';

export interface CarrierRequest extends Omit<RestRequest, 'headers' | 'maxBytes'> {
  /** `Basic …` or `Bearer …`. */
  authorization: string;
}

export interface CarrierResponse {
  status: number;
  /** The response's JSON object; empty when it was none. */
  json: Readonly<Record<string, unknown>>;
  /** As asked for by Retry-After in seconds; null without. */
  retry_after_ms: number | null;
}

/** A list of a hundred numbers takes less. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
const MAX_ERROR_TEXT_LENGTH = 200;

/**
 * Sends one request to a carrier's REST API. It is never repeated: a repeated dial would call somebody twice.
 * @throws CarrierError when there is no response within 10 seconds.
 */
export async function sendCarrierRequest(request: CarrierRequest): Promise<CarrierResponse> {
  const { authorization, ...rest } = request;
  try {
    const { status, text, retryAfter } = await sendRestRequest({
      ...rest,
      headers: { authorization },
      maxBytes: MAX_RESPONSE_BYTES,
    });
    const retry_after_ms = /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : null;
    return { status, json: parseJsonObject(text) ?? {}, retry_after_ms };
  } catch (error) {
    if (!(error instanceof NoResponseError)) throw error;
    throw new CarrierError(`the carrier did not answer: ${error.message}`, 0, { maybeSent: error.maybeSent });
  }
}

/** Runs a dial; a `CarrierError` becomes a refusal where nothing was sent, else an unknown outcome. */
export async function dialOutcome(dial: () => Promise<DialOutcome>): Promise<DialOutcome> {
  try {
    return await dial();
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    return { accepted: error.maybeSent ? 'unknown' : false, reason: error.message };
  }
}

/**
 * What a response to a dial means that names no call. A success without an id and every failure of a server (5xx, 408) may come
 * from something between here and a carrier that is dialling. `overLimit`: the carrier's text says so, whatever its status.
 */
export function dialWithoutCall(
  { status, retry_after_ms }: Pick<CarrierResponse, 'status' | 'retry_after_ms'>,
  reason: string,
  { overLimit = false } = {},
): DialOutcome {
  if (status === 429 || overLimit) return { accepted: 'later', reason, retry_after_ms };
  return { accepted: isSuccess(status) || status >= 500 || status === 408 ? 'unknown' : false, reason };
}

/** A carrier's error message as one short line; the HTTP status where it sent none. */
export function carrierErrorText(value: unknown, status: number): string {
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ').trim().slice(0, MAX_ERROR_TEXT_LENGTH).toWellFormed();
  return line === '' ? `HTTP ${status}` : line;
}
