import { Agent as HttpAgent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Clock, Timer } from '../clock.ts';
import { LanguageModelError } from './language-model.ts';

/**
 * HTTP with streamed responses through Node's own client instead of `fetch`: the pool of `fetch` drops a connection after four
 * idle seconds, less than a caller's sentence, so most turns would begin with a TLS handshake.
 */

/** How long the rest of a completed response may take before its connection is closed. */
const DRAIN_MS = 2_000;
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Connections outlive the adapter of one call; a server that closes earlier announces it. */
const AGENT_OPTIONS = { keepAlive: true, maxFreeSockets: 256, timeout: 90_000 };
const httpAgent = new HttpAgent(AGENT_OPTIONS);
const httpsAgent = new HttpsAgent(AGENT_OPTIONS);

export function hasIdleConnection(base: string): boolean {
  const { protocol, hostname, port } = new URL(base);
  const free = (protocol === 'https:' ? httpsAgent : httpAgent).freeSockets;
  const prefix = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:`;
  return Object.keys(free).some((name) => name.startsWith(prefix));
}

export interface Exchange {
  /** Null when aborted. Rejects when the connection fails. */
  response(): Promise<{ status: number; contentType: string; headers: IncomingHttpHeaders } | null>;
  /** The next bytes; null at the end, after `withinMs`, or when aborted. Rejects when the connection breaks. */
  next(withinMs: number | null): Promise<Uint8Array | null>;
  wholeBody(): Promise<Buffer>;
  /** Discards the rest of the response, so that the connection can be reused. */
  complete(): void;
  abort(): void;
  /** To be called at the end; closes the connection unless `complete` was called. */
  release(): void;
}

/** Sends one HTTP request. @throws LanguageModelError `bad_request` for an invalid URL. */
export function openExchange(
  call: { url: string; method: string; headers: Record<string, string>; body: string; accept?: string },
  clock: Clock,
): Exchange {
  if (!URL.canParse(call.url) || !/^https?:/.test(call.url)) {
    throw new LanguageModelError('bad_request', 'the address of the language model is not an http(s) URL');
  }
  const secure = call.url.startsWith('https:');
  const received: Buffer[] = [];
  let response: IncomingMessage | null = null;
  let ended = false;
  let aborted = false;
  let completed = false;
  let failure: Error | null = null;
  let wake: (() => void) | null = null;
  let request = send(true);

  function send(mayRetry: boolean) {
    const sent = (secure ? requestHttps : requestHttp)(call.url, {
      method: call.method,
      agent: secure ? httpsAgent : httpAgent,
      headers: {
        ...call.headers,
        ...(call.body !== '' && {
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(call.body)),
          accept: call.accept ?? 'text/event-stream',
        }),
      },
    });
    sent.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (bytes: Buffer) => {
        if (completed) return;
        received.push(bytes);
        notify();
      });
      incoming.on('end', () => {
        ended = true;
        notify();
      });
      incoming.on('error', fail);
      notify();
    });
    sent.on('error', (error) => {
      // The server closed the idle connection just before it was reused: it has not read the request.
      if (mayRetry && sent.reusedSocket && response === null && !aborted) request = send(false);
      else fail(error);
    });
    sent.end(call.body);
    return sent;
  }

  function notify(): void {
    wake?.();
    wake = null;
  }

  function fail(error: Error): void {
    failure ??= error;
    notify();
  }

  function nextChange(withinMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer: Timer | null = withinMs === null ? null : clock.after(withinMs, notify);
      wake = () => {
        timer?.cancel();
        resolve();
      };
    });
  }

  return {
    async response() {
      while (response === null && failure === null && !aborted) await nextChange(null);
      if (aborted) return null;
      if (response === null) throw failure ?? new Error('no response');
      const { statusCode = 0, headers } = response;
      return { status: statusCode, contentType: headers['content-type'] ?? '', headers };
    },
    async next(withinMs) {
      if (received.length === 0 && !ended && !aborted && failure === null) await nextChange(withinMs);
      if (aborted) return null;
      const bytes = received.shift();
      if (bytes === undefined && failure !== null) throw failure;
      return bytes ?? null;
    },
    async wholeBody() {
      const chunks: Buffer[] = [];
      let length = 0;
      for (;;) {
        const bytes = await this.next(null);
        if (bytes === null) {
          if (ended) completed = true;
          return Buffer.concat(chunks);
        }
        chunks.push(bytes as Buffer);
        length += bytes.length;
        if (length > MAX_BODY_BYTES) throw new Error('the response is too long');
      }
    },
    complete() {
      completed = true;
      if (ended || response === null) return;
      response.resume();
      const timer = clock.after(DRAIN_MS, () => request.destroy());
      response.once('close', () => timer.cancel());
    },
    abort() {
      if (completed) return;
      aborted = true;
      request.destroy();
      notify();
    },
    release() {
      if (!completed) {
        aborted = true;
        request.destroy();
      }
    },
  };
}
