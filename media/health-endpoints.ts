import { METRICS_TYPE } from '../shared/labelled-metrics.ts';
import { type MetricsListenerOptions, plainText } from '../shared/metrics-listener.ts';

export interface MediaHealth {
  /** Takes a call. */
  ready: boolean;
  /** With what calls do without at present. */
  readyText: string;
  metrics: object;
}

/** What media serves where metrics have an address of their own: the same as on its port. */
export function healthEndpoints(
  health: () => MediaHealth,
  metricsText: () => Promise<string>,
): MetricsListenerOptions['endpoints'] {
  return {
    '/healthz': async () => plainText(200, 'ok'),
    '/readyz': async () => {
      const { ready, readyText } = health();
      return plainText(ready ? 200 : 503, ready ? readyText.trimEnd() : 'not ready');
    },
    '/metricsz': async () => ({
      ...{ status: 200, type: 'application/json; charset=utf-8' },
      body: JSON.stringify(health().metrics),
    }),
    '/metrics': async () => ({ status: 200, type: METRICS_TYPE, body: await metricsText() }),
  };
}
