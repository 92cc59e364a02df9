import { parseJsonObject } from '../carriers/callback-fields.ts';
import { isSuccess, NoResponseError, type RestRequest, sendRestRequest } from '../http/rest-request.ts';
import { GatewayError, type OrderOutcome } from './gateway.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface GatewayResponse {
  status: number;
  /** Null: the body is no JSON object, or too long. */
  json: Json | null;
}

const NOT_READABLE = 'its answer is not readable';

/** A hundred payments of a list, each with its card and notes. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
const MAX_REASON_LENGTH = 200;

/** @throws GatewayError when there is no response. */
export async function sendGatewayRequest(request: Omit<RestRequest, 'maxBytes'>): Promise<GatewayResponse> {
  try {
    const { status, text } = await sendRestRequest({ ...request, maxBytes: MAX_RESPONSE_BYTES });
    return { status, json: parseJsonObject(text) };
  } catch (error) {
    if (error instanceof NoResponseError) throw new GatewayError(error.message);
    throw error;
  }
}

/** The response of a request. @throws GatewayError when the gateway answered with an error, or with what is not readable. */
export function resultOf({ status, json }: GatewayResponse, reasonOf: (json: Json) => string): Json {
  if (isSuccess(status) && json) return json;
  throw new GatewayError(isSuccess(status) ? NOT_READABLE : reasonText(reasonOf(json ?? {}), status));
}

/** Creates an order; what is certainly not created is `refused`, and an answer without the order's id says nothing. */
export async function orderOutcome(
  create: () => Promise<GatewayResponse>,
  created: (json: Json) => Extract<OrderOutcome, { outcome: 'created' }>,
  reasonOf: (json: Json) => string,
): Promise<OrderOutcome> {
  try {
    const { status, json } = await create();
    if (isSuccess(status)) {
      const order = created(json ?? {});
      return order.order_id === '' ? { outcome: 'unknown', reason: NOT_READABLE } : order;
    }
    const reason = reasonText(reasonOf(json ?? {}), status);
    // A 409 means that a request with the same key still runs.
    const isCertain = status >= 400 && status < 500 && status !== 409;
    return { outcome: isCertain ? 'refused' : 'unknown', reason };
  } catch (error) {
    if (error instanceof GatewayError) return { outcome: 'unknown', reason: error.message };
    throw error;
  }
}

/** One short line; the HTTP status where the gateway gave none. */
export function reasonText(text: string, status?: number): string {
  const line = text
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_REASON_LENGTH)
    .toWellFormed();
  return line === '' && status !== undefined ? `HTTP ${status}` : line;
}

/** A whole number of the smallest unit; -1 for anything else, which then equals no amount. */
export const amountIn = (json: Json | null, name: string): number => {
  const value = json?.[name];
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : -1;
};

export const objectsIn = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter((each) => each !== null && typeof each === 'object' && !Array.isArray(each)) : [];
