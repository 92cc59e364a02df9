import { expect, it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { startMediaProgram } from '../support/media-program.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { eventually } from '../support/until.ts';

it('the supervisor and its engines send their logs, to the last line', async () => {
  const receiver = await startOtlpReceiver();
  afterFile(() => receiver.close());
  const media = await startMediaProgram({
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_METRICS_EXPORTER: 'none', LOG_LEVEL: 'info' },
    ...{ MEDIA_PROCESSES: '2', PUBLIC_ENGINE_URL: 'ws://127.0.0.1:{port}' },
  });
  const linesOf = (message: string) => receiver.logs.filter(({ body }) => body === message);
  await eventually('all three to be ready', 90_000, async () => linesOf('media ready').length === 3 || null);
  expect(linesOf('media ready').filter(({ attributes }) => attributes.processes === 2)).toHaveLength(1);
  await media.stop();
  expect(linesOf('media shutting down')).toHaveLength(3);
});
