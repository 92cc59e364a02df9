import { NoResponseError, type RestRequest, sendRestRequest } from '../http/rest-request.ts';
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
    const { status, text } = await sendRestRequest({
      ...rest,
      headers: { authorization },
      maxBytes: MAX_RESPONSE_BYTES,
    });
    return { status, json: parseJsonObject(text) ?? {} };
  } catch (error) {
    if (error instanceof NoResponseError) throw new CarrierError(`the carrier did not answer: ${error.message}`, 0);
    throw error;
  }
}

/** Runs a dial; a `CarrierError` becomes a refusal with its message. */
export async function dialOutcome(dial: () => Promise<DialOutcome>): Promise<DialOutcome> {
  try {
    return await dial();
  } catch (error) {
    if (error instanceof CarrierError) return { accepted: false, reason: error.message };
    throw error;
  }
}

/** A carrier's error message as one short line; the HTTP status where it sent none. */
export function carrierErrorText(value: unknown, status: number): string {
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ').trim().slice(0, MAX_ERROR_TEXT_LENGTH).toWellFormed();
  return line === '' ? `HTTP ${status}` : line;
}
