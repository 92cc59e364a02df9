import { expect, it } from 'vitest';
import { freePort } from '../../dev/ports.ts';
import { startMediaProgram } from '../support/media-program.ts';
import { eventually } from '../support/until.ts';

const WITHIN_MS = 90_000;

it.each(['0', '2'])(
  'metrics have an address of their own, and are on no other, with MEDIA_PROCESSES=%s',
  async (count) => {
    const port = await freePort();
    const media = await startMediaProgram({
      METRICS_PORT: String(port),
      MEDIA_PROCESSES: count,
      PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}',
    });
    try {
      const own = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
      await eventually('media to be ready', WITHIN_MS, async () => (await own('/readyz'))?.ok || null);
      const metrics = await eventually('every engine', WITHIN_MS, async () => {
        const found = (await (await own('/metricsz'))?.json()) as { engines?: { port: number }[] } | undefined;
        return (found?.engines?.length ?? 0) === Number(count) ? found : null;
      });
      expect(metrics).toMatchObject({ calls: 0, headroom: expect.any(Number) });
      const ports = [media.port, ...(metrics.engines ?? []).map((engine) => engine.port)];
      expect(ports).toHaveLength(1 + Number(count));
      await eventually('the metrics of every engine', WITHIN_MS, async () => {
        const text = (await (await own('/metrics'))?.text()) ?? '';
        const engines = Number(count) === 0 ? ports : ports.slice(1);
        return engines.every((port) => text.includes(`antiphon_engine_calls{port="${port}"} 0\n`)) || null;
      });
      for (const each of ports) {
        expect((await fetch(`http://127.0.0.1:${each}/metricsz`)).status).toBe(404);
        expect((await fetch(`http://127.0.0.1:${each}/metrics`)).status).toBe(404);
        expect((await fetch(`http://127.0.0.1:${each}/healthz`)).status).toBe(200);
      }
      expect((await own('/carrier/twilio/x'))!.status).toBe(404);
    } finally {
      await media.stop();
    }
  },
);
