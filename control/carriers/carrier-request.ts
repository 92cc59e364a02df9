import { errorText } from '../../shared/log.ts';
import { parseJsonObject } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import type { DialOutcome } from './dial.ts';

export interface CarrierRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  /** `Basic …` (`basicAuth` below) or `Bearer …`. */
  authorization: string;
  body?: { type: string; text: string };
}

export interface CarrierResponse {
  status: number;
  /** The response's JSON object; empty when it was none. */
  json: Readonly<Record<string, unknown>>;
}

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_ERROR_TEXT_LENGTH = 200;

/**
 * Sends one request to a carrier's REST API. It is never repeated: a repeated dial would call somebody twice.
 * @throws CarrierError when there is no response within 10 seconds.
 */
export async function sendCarrierRequest(request: CarrierRequest): Promise<CarrierResponse> {
  const { method, url, authorization, body } = request;
  const headers: Record<string, string> = { authorization, accept: 'application/json' };
  if (body) headers['content-type'] = body.type;
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: body?.text ?? null,
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    return { status: response.status, json: parseJsonObject(await readText(response)) ?? {} };
  } catch (error) {
    throw new CarrierError(connectionErrorText(error), 0);
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

export const jsonBody = (value: object) => ({ type: 'application/json', text: JSON.stringify(value) });

export const formBody = (form: URLSearchParams) => ({
  type: 'application/x-www-form-urlencoded',
  text: form.toString(),
});

export const isSuccess = (status: number) => status >= 200 && status < 300;

export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** A carrier's error message as one short line; the HTTP status where it sent none. */
export function carrierErrorText(value: unknown, status: number): string {
  const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);
  const line = text.replace(/\s+/g, ' ').trim().slice(0, MAX_ERROR_TEXT_LENGTH).toWellFormed();
  return line === '' ? `HTTP ${status}` : line;
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > MAX_RESPONSE_BYTES) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function connectionErrorText(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `no answer within ${REQUEST_TIMEOUT_MS / 1000} seconds`;
  }
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : errorText(error);
  return `the carrier cannot be reached (${code})`;
}
