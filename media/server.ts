import {
  App,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import type { BrowserGateway } from './browser-gateway.ts';
import { type CarrierGatewayOptions, openCarrierGateway } from './carrier-gateway.ts';
import type { StreamRelay } from './stream-relay.ts';
import { createTokenReplayGuard } from './token-replay-guard.ts';
import { createUpgradeRejections } from './websocket-upgrade.ts';

export interface MediaServerOptions extends Omit<CarrierGatewayOptions, 'usedTokens' | 'refusals' | 'relay'> {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Opens `/web/<token>` for browsers' calls; without it there is no such path. */
  browsers?(app: TemplatedApp, shared: Pick<CarrierGatewayOptions, 'replayGuard' | 'rejections'>): BrowserGateway;
  /** How the process is doing, for the operator. Without it there is no such page. */
  metrics?(): object;
  /** Where other engines share the port: passes on what belongs to them, and tells whether they take a call. */
  peers?: { relay: StreamRelay; ready(): boolean };
}

export interface MediaServer {
  /** The port really listened on. */
  port: number;
  /** On 127.0.0.1, for siblings; 0 without them. */
  privatePort: number;
  /** Carrier sockets that are open. */
  readonly streams: number;
  /** Siblings go on listening on the common port, this engine on its private one only. Idempotent. */
  closePublicPort(): void;
  /** Stops listening and closes every socket. Idempotent. */
  close(): Promise<void>;
}

/** An address of this machine as uWebSockets.js writes it: IPv6 in full, also what came in as IPv4 over it. */
const LOOPBACK = /^(127\.|(0{4}:){7}0001$|(0{4}:){5}ffff:7f)/;

/**
 * The engine's one web server: the doors of carriers and browsers, `GET /healthz` (200 as long as the process runs),
 * `GET /readyz` (200, or 503 while no call is taken), `GET /metricsz` (JSON, on this machine). Rejects when the port cannot be
 * listened on.
 */
export async function startServer(options: MediaServerOptions): Promise<MediaServer> {
  const { peers: siblings } = options;
  const rejections = createUpgradeRejections(options);
  const shared = { usedTokens: createTokenReplayGuard(options.clock), refusals: rejections };
  const app = App();
  const browsers = options.browsers?.(app, shared);
  const carriers = openCarrierGateway(app, { ...options, ...shared, ...(siblings ? { relay: siblings.relay } : {}) });

  app
    .get('/healthz', (response) => {
      response.end('ok\n');
    })
    .get('/readyz', (response) => {
      const ready = options.ready() || siblings?.ready() === true;
      response.cork(() =>
        response.writeStatus(ready ? '200 OK' : '503 Service Unavailable').end(ready ? 'ok\n' : 'not ready\n'),
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

  const [publicPort, privatePort] = await Promise.all([
    listen(app, options),
    siblings ? listen(app, { host: '127.0.0.1', port: 0 }) : null,
  ]);
  let listening = true;
  let closing: Promise<void> | null = null;

  function leavePort(): void {
    if (listening) us_listen_socket_close(publicPort);
    listening = false;
  }

  async function close(): Promise<void> {
    leavePort();
    if (privatePort) us_listen_socket_close(privatePort);
    await browsers?.close();
    await carriers.close();
    app.close();
    rejections.close();
  }

  return {
    port: us_socket_local_port(publicPort),
    privatePort: privatePort ? us_socket_local_port(privatePort) : 0,
    closePublicPort: leavePort,
    get streams() {
      return carriers.behavior;
    },
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
