import type { FastifyInstance } from 'fastify';
import type { Family } from './exposition.ts';

/** Seconds. A read takes a few milliseconds; 275 ms is a revoked key, 30 s the end of a request. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;

interface Counted {
  method: string;
  /** As declared, `/api/v1/calls/:call_id`: no id and no number becomes a label. */
  route: string;
  byClass: number[];
  inBucket: number[];
  seconds: number;
}

/**
 * Counts what the app answers from now on, by route, in memory: as many series as there are routes, whatever is asked for. Put it
 * before the routes are added.
 */
export function createHttpMetrics(app: FastifyInstance): () => Family[] {
  const counted = new Map<string, Counted>();

  app.addHook('onResponse', (request, reply, done) => {
    const method = METHODS.has(request.method) ? request.method : 'other';
    // What no route answers is one series, whatever the path.
    const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
    const key = `${method} ${route}`;
    let own = counted.get(key);
    if (!own) {
      own = { method, route, byClass: CLASSES.map(() => 0), inBucket: [...BOUNDS, 0].map(() => 0), seconds: 0 };
      counted.set(key, own);
    }
    const seconds = reply.elapsedTime / 1000;
    const place = BOUNDS.findIndex((bound) => seconds <= bound);
    const bucket = place < 0 ? BOUNDS.length : place;
    own.inBucket[bucket] = own.inBucket[bucket]! + 1;
    own.seconds += seconds;
    const status = Math.min(Math.max(Math.trunc(reply.statusCode / 100), 1), CLASSES.length) - 1;
    own.byClass[status] = own.byClass[status]! + 1;
    done();
  });

  return () => {
    const all = [...counted.values()];
    return [
      {
        name: 'antiphon_http_requests_total',
        help: 'Requests answered, by route as declared; route "none": no route has this path.',
        type: 'counter',
        series: all.flatMap(({ method, route, byClass }) =>
          byClass.flatMap((value, index) =>
            value === 0 ? [] : { labels: { method, route, status: CLASSES[index]! }, value },
          ),
        ),
      },
      {
        name: 'antiphon_http_request_duration_seconds',
        help: 'From the arrival of a request to the end of its answer.',
        type: 'histogram',
        bounds: BOUNDS,
        series: all.map(({ method, route, inBucket, seconds }) => ({
          labels: { method, route },
          counts: inBucket,
          sum: seconds,
        })),
      },
    ];
  };
}
