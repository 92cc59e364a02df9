import {
  App,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import type { BrowserGateway } from './browser-gateway.ts';
import { type CarrierGatewayOptions, openCarrierGateway } from './carrier-gateway.ts';
import { createTokenReplayGuard } from './token-replay-guard.ts';
import { createUpgradeRejections } from './websocket-upgrade.ts';

export interface MediaServerOptions extends Omit<CarrierGatewayOptions, 'replayGuard' | 'rejections'> {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Opens `/web/<token>` for browsers' calls; without it there is no such path. */
  browsers?(app: TemplatedApp, shared: Pick<CarrierGatewayOptions, 'replayGuard' | 'rejections'>): BrowserGateway;
  /** Whether `/readyz` is 200; like `ready` where it is not given. */
  accepting?(): boolean;
  /** The body of `/readyz` while it is 200; `ok` where it is not given. */
  readyText?(): string;
  /** The body of `/metricsz`; without it there is no such path. */
  metrics?(): object;
}

export interface MediaServer {
  /** The port that is listened on. */
  port: number;
  /** Carrier sockets that are open. */
  readonly streams: number;
  /** Resolves when every stream of a carrier or browser that is open now has started or is closed: within about 30 seconds. */
  streamsStarted(): Promise<unknown>;
  /** Stops listening and closes every socket. Idempotent. */
  close(): Promise<void>;
}

/** Loopback addresses as uWebSockets.js writes them: IPv6 in full, and IPv4 mapped into IPv6. */
const LOOPBACK = /^(127\.|(0{4}:){7}0001$|(0{4}:){5}ffff:7f)/;

/**
 * Starts the engine's web server: the carrier and browser gateways, `GET /healthz` (200 while the process runs), `GET /readyz`
 * (200, with the parts that calls do without at present, or 503 while no call is taken) and `GET /metricsz` (JSON, loopback only).
 * Rejects when it cannot listen.
 */
export async function startServer(options: MediaServerOptions): Promise<MediaServer> {
  const rejections = createUpgradeRejections(options);
  const shared = { replayGuard: createTokenReplayGuard(options.clock), rejections };
  const app = App();
  const browsers = options.browsers?.(app, shared);
  const carriers = openCarrierGateway(app, { ...options, ...shared });

  app
    .get('/healthz', (response) => {
      response.end('ok\n');
    })
    .get('/readyz', (response) => {
      const ready = (options.accepting ?? options.ready)();
      response.cork(() =>
        response
          .writeStatus(ready ? '200 OK' : '503 Service Unavailable')
          .end(ready ? (options.readyText?.() ?? 'ok\n') : 'not ready\n'),
      );
    })
    .get('/metricsz', (response) => {
      const address = Buffer.from(response.getRemoteAddressAsText()).toString();
      const metrics = LOOPBACK.test(address) ? options.metrics?.() : undefined;
      response.cork(() => {
        if (metrics === undefined) response.writeStatus('404 Not Found').end();
        else response.writeHeader('content-type', 'application/json').end(JSON.stringify(metrics));
      });
    })
    .any('/*', (response) => {
      response.cork(() => response.writeStatus('404 Not Found').end());
    });

  const socket = await listen(app, options);
  let closing: Promise<void> | null = null;

  async function close(): Promise<void> {
    us_listen_socket_close(socket);
    await browsers?.close();
    await carriers.close();
    app.close();
    rejections.close();
  }

  return {
    port: us_socket_local_port(socket),
    get streams() {
      return carriers.streams;
    },
    streamsStarted: () => Promise.all([carriers.streamsStarted(), browsers?.streamsStarted()]),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function listen(app: TemplatedApp, { host, port }: { host: string; port: number }): Promise<us_listen_socket> {
  return new Promise((resolve, reject) => {
    app.listen(host, port, (socket) => {
      if (socket) resolve(socket);
      else reject(new Error(`cannot listen on ${host}:${port}`));
    });
  });
}
