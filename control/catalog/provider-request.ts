/** HTTP requests to the API of a speech provider, bounded in time by their signal and in size. */

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

export type ProviderRequestFailure = 'refused' | 'unreachable' | 'invalid';

/** The message may be logged. */
export class ProviderRequestError extends Error {
  readonly kind: ProviderRequestFailure;
  constructor(kind: ProviderRequestFailure, message: string) {
    super(message);
    this.name = 'ProviderRequestError';
    this.kind = kind;
  }
}

export interface ProviderRequest {
  url: string;
  headers: Record<string, string>;
  /** Sent with POST, an object as JSON; without it the request is a GET. */
  body?: object | string;
  signal: AbortSignal;
}

/** The body of a successful response; null for 404. @throws ProviderRequestError for everything else. */
export async function requestBytes({ url, headers, body, signal }: ProviderRequest): Promise<Uint8Array | null> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: body ? 'POST' : 'GET',
      headers: typeof body === 'object' ? { ...headers, 'content-type': 'application/json' } : headers,
      ...(body ? { body: typeof body === 'string' ? body : JSON.stringify(body) } : {}),
      redirect: 'manual',
      signal,
    });
  } catch (error) {
    throw new ProviderRequestError('unreachable', signal.aborted ? 'timed out' : connectionFailure(error));
  }
  try {
    if (response.status === 404) return null;
    if (!response.ok) throw new ProviderRequestError('refused', `HTTP ${response.status}`);
    return await readBody(response, signal);
  } finally {
    // Ends the connection of a body that was not read to its end.
    await response.body?.cancel().catch(() => {});
  }
}

/** The same, parsed. */
export async function requestJson(request: ProviderRequest): Promise<unknown> {
  const bytes = await requestBytes(request);
  if (bytes === null) return null;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ProviderRequestError('invalid', 'the response is not JSON');
  }
}

/** The address of a provider's HTTP API from that of its WebSocket. */
export function httpAddress(socketUrl: string): string {
  return socketUrl.replace(/^ws/, 'http').replace(/\/+$/, '');
}

async function readBody(response: Response, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      length += part.value.length;
      if (length > MAX_RESPONSE_BYTES) throw new ProviderRequestError('invalid', 'the response is too long');
      chunks.push(part.value);
    }
  } catch (error) {
    if (error instanceof ProviderRequestError) throw error;
    throw new ProviderRequestError('unreachable', signal.aborted ? 'timed out' : connectionFailure(error));
  } finally {
    reader?.releaseLock();
  }
  return Buffer.concat(chunks);
}

function connectionFailure(error: unknown): string {
  const cause = (error as { cause?: { code?: unknown } } | null)?.cause;
  return typeof cause?.code === 'string' ? cause.code : 'the connection failed';
}
