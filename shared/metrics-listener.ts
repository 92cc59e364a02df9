import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { port } from './env.ts';
import { errorText, type Logger } from './log.ts';

/**
 * An address of its own for metrics and health, on which nothing else is served: it may lie in a network that clients and carriers do not
 * reach. Without TLS and without credentials, like the exporters of other programs: the network decides who asks.
 */

export const METRICS_SETTINGS = {
  METRICS_HOST: z.string().default('127.0.0.1'),
  /** Where metrics and health are served, instead of metrics on the public port; 0: there is no such address. */
  METRICS_PORT: port(0),
};

export interface MetricsResponse {
  status: number;
  type: string;
  body: string;
}

export interface MetricsListenerOptions {
  host: string;
  /** 0 takes a free one. */
  port: number;
  log: Logger;
  /** By path. A rejection is answered as 500. */
  endpoints: Readonly<Record<string, () => Promise<MetricsResponse>>>;
}

export interface MetricsListener {
  port: number;
  /** It alone keeps no process alive. */
  unref(): void;
  close(): Promise<void>;
}

export const plainText = (status: number, text: string): MetricsResponse => ({
  ...{ status, type: 'text/plain; charset=utf-8' },
  body: `${text}\n`,
});

const REQUEST_TIMEOUT_MS = 10_000;
/** A few scrapers and load balancers. */
const MAX_CONNECTIONS = 64;

/** Rejects when it cannot listen. */
export async function startMetricsListener(options: MetricsListenerOptions): Promise<MetricsListener> {
  const { log, endpoints } = options;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS });
  server.maxConnections = MAX_CONNECTIONS;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?', 1)[0] ?? '';
    const endpoint = request.method === 'GET' && Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    const { status, type, body } = endpoint
      ? await endpoint().catch((error: unknown) => {
          log.error({ path, error: errorText(error) }, 'metrics request failed');
          return plainText(500, 'something went wrong');
        })
      : plainText(404, 'not found');
    response.writeHead(status, {
      'Content-Type': type,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    });
    response.end(body);
  }

  server.on('request', (request, response) => void respond(request, response));
  server.listen(options.port, options.host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    unref: () => void server.unref(),
    async close() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}
