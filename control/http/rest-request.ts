import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { errorText } from '../../shared/log.ts';
import { isCertificateFailure } from '../../shared/safe-fetch.ts';

/** Requests to the APIs of others whose addresses are settings: carriers, payment gateways. */

export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  headers: Readonly<Record<string, string>>;
  body?: { type: string; text: string };
  /** Authorities (PEM) that sign the server's certificate, instead of the public ones; for `https://`. */
  ca?: string | undefined;
  /** A longer response counts as an empty one. */
  maxBytes: number;
}

export interface RestResponse {
  status: number;
  text: string;
  /** The header Retry-After; empty without. */
  retryAfter: string;
}

/** There was no response. The message may be logged: it holds neither address nor headers. */
export class NoResponseError extends Error {
  /** Whether the request may have arrived; false where no connection came about. */
  readonly maybeSent: boolean;
  constructor(message: string, { maybeSent = true } = {}) {
    super(message);
    this.maybeSent = maybeSent;
  }
}

/** Node's codes of connections that did not come about, and fetch's word for ports that it refuses. */
const NO_CONNECTION = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'bad port',
];

const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Sends one request, which is never repeated and follows no redirect.
 * @throws NoResponseError when there is no response within 10 seconds.
 */
export async function sendRestRequest(request: RestRequest): Promise<RestResponse> {
  const { method, url, body, maxBytes, ca } = request;
  const headers = { accept: 'application/json', ...request.headers, ...(body ? { 'content-type': body.type } : {}) };
  try {
    const send = ca === undefined ? fetch : trusting(ca);
    const response = await send(url, {
      method,
      headers,
      body: body?.text ?? null,
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const retryAfter = response.headers.get('retry-after') ?? '';
    return { status: response.status, text: await readText(response, maxBytes), retryAfter };
  } catch (error) {
    const code = connectionErrorCode(error);
    throw new NoResponseError(connectionErrorText(error), {
      maybeSent: !NO_CONNECTION.includes(code) && !isCertificateFailure(code),
    });
  }
}

export const formBody = (form: URLSearchParams) => ({
  type: 'application/x-www-form-urlencoded',
  text: form.toString(),
});

export const jsonBody = (value: object) => ({ type: 'application/json', text: JSON.stringify(value) });

export const isSuccess = (status: number) => status >= 200 && status < 300;

export function basicAuth(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** As `fetch`, with authorities of its own: Node's takes them from the environment of the whole program only. */
function trusting(ca: string): (url: string, init: FetchInit) => Promise<Response> {
  return (url, { method, headers, body, signal }) =>
    new Promise((done, failed) => {
      const request = requestHttps(url, { method, headers, ca, signal, agent: false });
      request.on('error', (cause) => failed(signal.aborted ? signal.reason : new TypeError('fetch failed', { cause })));
      request.on('response', (response) => {
        const { statusCode: status = 0 } = response;
        const retryAfter = response.headers['retry-after'];
        done(
          new Response(status === 204 || status === 304 ? null : (Readable.toWeb(response) as ReadableStream), {
            status,
            headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
          }),
        );
      });
      request.end(body ?? undefined);
    });
}

interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body: string | null;
  redirect: 'error';
  signal: AbortSignal;
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop early cancels the body.
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxBytes) return '';
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function connectionErrorText(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') {
    return `no answer within ${REQUEST_TIMEOUT_MS / 1000} seconds`;
  }
  return `it cannot be reached (${connectionErrorCode(error)})`;
}

/** The system's code; what fetch says where it has none, like "bad port". */
function connectionErrorCode(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  if (!(cause instanceof Error)) return errorText(error);
  return 'code' in cause ? String(cause.code) : cause.message;
}
