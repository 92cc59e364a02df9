import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { Clock } from '../shared/clock.ts';
import { METRICS_TYPE } from '../shared/labelled-metrics.ts';
import { errorText, type Logger } from '../shared/log.ts';
import { type MetricsListenerOptions, startMetricsListener } from '../shared/metrics-listener.ts';
import { secureContext, type TlsCertificate, watchCertificate } from '../shared/tls-certificate.ts';
import { combineLoads, readyText } from './engine-channel.ts';
import { engineMetricsText } from './engine-metrics.ts';
import { healthEndpoints } from './health-endpoints.ts';
import type { Supervisor } from './supervisor.ts';

/** IPv4, IPv6, and IPv4 mapped into IPv6. */
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

export interface SupervisorServerOptions {
  host: string;
  port: number;
  certificate: TlsCertificate | null;
  /** The address of metrics where they have their own. */
  metrics?: Pick<MetricsListenerOptions, 'host' | 'port'> | null;
  clock: Clock;
  log: Logger;
}

/**
 * Serves the health of all engine processes on the common port: `GET /healthz`, `GET /readyz` (200 while any engine takes a
 * call, else 503), `GET /metricsz` (JSON sums and one entry per engine) and `GET /metrics` (each engine's, for Prometheus); both for
 * loopback only, and not here where metrics have an address of their own. Rejects when it cannot listen.
 */
export async function startSupervisorServer(
  { host, port, certificate, metrics, clock, log }: SupervisorServerOptions,
  supervisor: Pick<Supervisor, 'engines'>,
): Promise<void> {
  const health = () => {
    const engines = supervisor.engines();
    const total = combineLoads(engines.map(({ load }) => load));
    const each = engines.map(({ load: { lag_counts: _counts, ...load }, metrics: _metrics, ...engine }) => ({
      ...engine,
      ...load,
    }));
    return { ready: total.headroom > 0, readyText: readyText(total.workers), metrics: { ...total, engines: each } };
  };
  const metricsText = () => engineMetricsText(supervisor.engines());
  const answer: RequestListener = (request, response) => {
    const path = request.method === 'GET' ? request.url : '';
    if (path === '/healthz') response.end('ok\n');
    else if (path === '/readyz') {
      const { ready, readyText } = health();
      response.writeHead(ready ? 200 : 503).end(ready ? readyText : 'not ready\n');
    } else if (path === '/metricsz' && showsMetrics(request)) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(health().metrics));
    } else if (path === '/metrics' && showsMetrics(request)) {
      metricsText().then(
        (text) => response.setHeader('content-type', METRICS_TYPE).end(text),
        (error: unknown) => {
          log.error({ path, error: errorText(error) }, 'metrics request failed');
          response.writeHead(500).end();
        },
      );
    } else response.writeHead(404).end();
  };
  const showsMetrics = ({ socket }: IncomingMessage) => !metrics && LOOPBACK.test(socket.remoteAddress ?? '');
  const server = certificate ? createSecureServer(secureContext(certificate), answer) : createServer(answer);
  if (certificate && 'setSecureContext' in server) {
    watchCertificate({ certificate, clock, log, take: (next) => server.setSecureContext(secureContext(next)) });
  }
  server.listen(port, host);
  await once(server, 'listening');
  const own =
    metrics && (await startMetricsListener({ ...metrics, log, endpoints: healthEndpoints(health, metricsText) }));
  // The engines decide how long this process lives.
  server.unref();
  own?.unref();
}
