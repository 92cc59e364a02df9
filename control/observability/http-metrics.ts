import type { FastifyInstance } from 'fastify';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Seconds. A read takes a few milliseconds, the revocation of a key 275 ms; a request is ended after 30 s. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/**
 * Counts the requests that the app answers from now on, by route as declared: no id and no number becomes a label. Call it before
 * the routes are added.
 */
export function countRequests(app: FastifyInstance, registry: Registry): void {
  const requests = new Counter({
    name: 'antiphon_http_requests_total',
    help: 'Requests answered, by route as declared; route "none": no route has this path.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'antiphon_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers: [registry],
  });

  app.addHook('onResponse', (request, reply, done) => {
    const method = METHODS.has(request.method) ? request.method : 'other';
    // Unknown paths share one series, so that a scanner cannot make thousands.
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    requests.inc({ method, route, status: `${Math.trunc(reply.statusCode / 100)}xx` });
    durations.observe({ method, route }, reply.elapsedTime / 1000);
    done();
  });
}
