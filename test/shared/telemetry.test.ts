import { execFile } from 'node:child_process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { newId } from '../../shared/ids.ts';
import { createLogger, setLogExport } from '../../shared/log.ts';
import { callSpanId, newSpanId, setSpanExport, spanExport } from '../../shared/telemetry/spans.ts';
import { startTelemetry } from '../../shared/telemetry/start-telemetry.ts';
import type { TelemetrySettings } from '../../shared/telemetry/telemetry-settings.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';
import { eventually } from '../support/until.ts';

const CALL = '0198c0ffee007000800000000000abcd';
const OFF: TelemetrySettings = {
  ...{ OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_SDK_DISABLED: 'false', OTEL_SERVICE_NAME: '' },
  ...{ OTEL_TRACES_EXPORTER: 'otlp', OTEL_METRICS_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'otlp' },
};

afterEach(() => {
  setSpanExport(null);
  setLogExport(null);
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
});

function start(endpoint: string, settings: Partial<TelemetrySettings> = {}) {
  // The exporters read it from there.
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  return startTelemetry({
    settings: { ...OFF, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings },
    ...{ program: 'media', instanceId: 'one', metrics: async () => [], log: createLogger('test', 'silent') },
  });
}

function emitSpan(callId = CALL): void {
  spanExport()?.({
    ...{ call_id: callId, span_id: newSpanId(), parent_id: callSpanId(callId), name: 'turn', kind: 'internal' },
    ...{ start_ms: 1_000, end_ms: 2_000, attributes: {} },
  });
}

it('a span arrives with the ids and times that it was given', async () => {
  const receiver = await startOtlpReceiver();
  const telemetry = await start(receiver.url);
  emitSpan();
  await eventually('the span', 60_000, async () => receiver.spans.length > 0 || null);
  expect(receiver.spans[0]).toMatchObject({
    ...{ trace_id: CALL, parent_id: callSpanId(CALL), service: 'antiphon-media', start_ms: 1_000, end_ms: 2_000 },
  });
  await telemetry!.close(1_000);
  await receiver.close();
});

it('what waits is sent when it is closed', async () => {
  const receiver = await startOtlpReceiver();
  const telemetry = await start(receiver.url);
  emitSpan();
  await telemetry!.close(10_000);
  expect(receiver.spans).toHaveLength(1);
  await receiver.close();
});

const silent = new Writable({ write: (_line, _encoding, done) => done() });

it("a line arrives with its fields, in its call's trace", async () => {
  const receiver = await startOtlpReceiver();
  const telemetry = await start(receiver.url);
  createLogger('media', 'info', silent).child({ call_id: CALL }).warn({ provider: 'soniox' }, 'transcriber lost');
  await telemetry!.close(10_000);
  expect(receiver.logs).toMatchObject([
    {
      ...{ service: 'antiphon-media', severity: 'WARN', body: 'transcriber lost' },
      ...{ trace_id: CALL, span_id: callSpanId(CALL), attributes: { provider: 'soniox', call_id: CALL } },
    },
  ]);
  await receiver.close();
});

it('debug lines, secrets and whole phone numbers stay here', async () => {
  const receiver = await startOtlpReceiver();
  const telemetry = await start(receiver.url);
  const log = createLogger('media', 'debug', silent);
  log.debug({ text: 'I am ill' }, 'transcript');
  log.info({ token: 'abc', error: 'no route to +919812345678' }, 'dial failed');
  await telemetry!.close(10_000);
  expect(receiver.logs.map(({ attributes }) => attributes)).toEqual([
    { name: 'media', token: '***', error: 'no route to +91***78' },
  ]);
  await receiver.close();
});

it('OTEL_LOGS_EXPORTER none sends no line', async () => {
  const receiver = await startOtlpReceiver();
  const telemetry = await start(receiver.url, { OTEL_LOGS_EXPORTER: 'none' });
  createLogger('media', 'info', silent).info('ready');
  emitSpan();
  await telemetry!.close(10_000);
  expect([receiver.spans.length, receiver.logs.length]).toEqual([1, 0]);
  await receiver.close();
});

it('a receiver that hangs holds up neither spans, lines nor the end', async () => {
  const receiver = await startOtlpReceiver(() => {});
  const telemetry = await start(receiver.url);
  const log = createLogger('media', 'info', silent);
  for (let nth = 0; nth < 5_000; nth++) {
    emitSpan();
    log.info({ nth }, 'ready');
  }
  await eventually('a request', 60_000, async () => receiver.requests() > 0 || null);
  await telemetry!.close(100);
  await receiver.close();
});

it.each([
  ['without an endpoint', '', {}],
  ['with OTEL_SDK_DISABLED', 'http://127.0.0.1:9', { OTEL_SDK_DISABLED: 'true' }],
])('%s nothing is started', async (_, endpoint, settings) => {
  expect(await start(endpoint, settings)).toBeNull();
  expect(spanExport()).toBeNull();
});

it('without an endpoint no package is loaded', async () => {
  const program = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { if (url.includes('opentelemetry')) console.log(url); return next(url, context); } });
    const { startTelemetry } = await import(process.argv[1]);
    await startTelemetry({ settings: ${JSON.stringify(OFF)} });
    console.log('over');`;
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const module = './shared/telemetry/start-telemetry.ts';
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program, module];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stdout).toBe('over\n');
});

it('a sampler decides for whole calls, by their ids, with parents or without', async () => {
  process.env.OTEL_TRACES_SAMPLER = 'parentbased_traceidratio';
  process.env.OTEL_TRACES_SAMPLER_ARG = '0.5';
  const receiver = await startOtlpReceiver();
  const telemetry = await start(receiver.url);
  const calls = Array.from({ length: 20 }, () => newId());
  for (const call of [...calls, ...calls]) emitSpan(call);
  await telemetry!.close(10_000);
  delete process.env.OTEL_TRACES_SAMPLER;
  delete process.env.OTEL_TRACES_SAMPLER_ARG;
  const perCall = calls.map((call) => receiver.spans.filter(({ trace_id }) => trace_id === call).length);
  expect(new Set(perCall)).toEqual(new Set([0, 2]));
  await receiver.close();
});
