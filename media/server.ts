import type { HttpResponse, TemplatedApp, WebSocketBehavior } from 'uWebSockets.js';
import { METRICS_TYPE } from '../shared/labelled-metrics.ts';
import { errorText } from '../shared/log.ts';
import type { TlsCertificate } from '../shared/tls-certificate.ts';
import type { BrowserGateway } from './browser-gateway.ts';
import { type CarrierGatewayOptions, openCarrierGateway } from './carrier-gateway.ts';
import { listen, type WebSocketRoutes } from './listener.ts';
import { createTokenReplayGuard } from './token-replay-guard.ts';
import { createUpgradeRejections } from './websocket-upgrade.ts';

export interface MediaServerOptions extends Omit<CarrierGatewayOptions, 'replayGuard' | 'rejections'> {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** For TLS; the one in its files is taken when it changes. */
  certificate?: TlsCertificate | undefined;
  /** Opens `/web/<token>` for browsers' calls; without it there is no such path. */
  browsers?(app: WebSocketRoutes, shared: Pick<CarrierGatewayOptions, 'replayGuard' | 'rejections'>): BrowserGateway;
  /** Whether `/readyz` is 200; like `ready` where it is not given. */
  accepting?(): boolean;
  /** The body of `/readyz` while it is 200; `ok` where it is not given. */
  readyText?(): string;
  /** The body of `/metricsz`; without it there is no such path. */
  metrics?(): object;
  /** The body of `/metrics`, for Prometheus; without it there is no such path. */
  metricsText?(): Promise<string>;
}

export interface MediaServer {
  /** The port that is listened on. */
  port: number;
  /** The one in use. */
  readonly certificate: TlsCertificate | undefined;
  /** Carrier sockets that are open. */
  readonly streams: number;
  /** Resolves when every stream of a carrier or browser that is open now has started or is closed: within about 30 seconds. */
  streamsStarted(): Promise<unknown>;
  /** Stops listening and closes every socket. Idempotent. */
  close(): Promise<void>;
}

/** Loopback addresses as uWebSockets.js writes them: IPv6 in full, and IPv4 mapped into IPv6. */
const LOOPBACK = /^(127\.|(0{4}:){7}0001$|(0{4}:){5}ffff:7f)/;

const isLoopback = (response: HttpResponse) => LOOPBACK.test(Buffer.from(response.getRemoteAddressAsText()).toString());

/**
 * Starts the engine's web server: the carrier and browser gateways, `GET /healthz` (200 while the process runs), `GET /readyz`
 * (200, with the parts that calls do without at present, or 503 while no call is taken), `GET /metricsz` (JSON) and `GET /metrics`
 * (for Prometheus), both for loopback only.
 * Rejects when it cannot listen.
 */
export async function startServer(options: MediaServerOptions): Promise<MediaServer> {
  const rejections = createUpgradeRejections(options);
  const shared = { replayGuard: createTokenReplayGuard(options.clock), rejections };
  const endpoints: [pattern: string, behavior: WebSocketBehavior<unknown>][] = [];
  const routes: WebSocketRoutes = {
    ws(pattern, behavior) {
      endpoints.push([pattern, behavior as WebSocketBehavior<unknown>]);
      return routes;
    },
  };
  const browsers = options.browsers?.(routes, shared);
  const carriers = openCarrierGateway(routes, { ...options, ...shared });
  const listener = await listen(options, addRoutes);
  let closing: Promise<void> | null = null;

  function addRoutes(app: TemplatedApp): void {
    for (const [pattern, behavior] of endpoints) app.ws(pattern, behavior);
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
        const metrics = isLoopback(response) ? options.metrics?.() : undefined;
        response.cork(() => {
          if (metrics === undefined) response.writeStatus('404 Not Found').end();
          else response.writeHeader('content-type', 'application/json').end(JSON.stringify(metrics));
        });
      })
      .get('/metrics', (response) => {
        if (!options.metricsText || !isLoopback(response)) {
          response.cork(() => response.writeStatus('404 Not Found').end());
          return;
        }
        let aborted = false;
        response.onAborted(() => {
          aborted = true;
        });
        const end = (write: () => void) => void (aborted || response.cork(write));
        options.metricsText().then(
          (text) => end(() => response.writeHeader('content-type', METRICS_TYPE).end(text)),
          (error: unknown) => {
            options.log.error({ path: '/metrics', error: errorText(error) }, 'metrics request failed');
            end(() => response.writeStatus('500 Internal Server Error').end());
          },
        );
      })
      .any('/*', (response) => {
        response.cork(() => response.writeStatus('404 Not Found').end());
      });
  }

  async function close(): Promise<void> {
    listener.stopListening();
    await browsers?.close();
    await carriers.close();
    listener.close();
    rejections.close();
  }

  return {
    port: listener.port,
    get certificate() {
      return listener.certificate;
    },
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
