import { expect, it } from 'vitest';
import type { EngineLoad } from '../../media/engine-channel.ts';
import { createEngineMetrics, engineMetricsText } from '../../media/engine-metrics.ts';
import { emptyUsage } from '../../shared/usage.ts';

const LOAD: EngineLoad = {
  calls: 3,
  headroom: 7,
  overloaded: false,
  draining: true,
  lag_counts: [90, 5, 0, 3, ...Array(16).fill(0), 2],
  unhealthy_providers: ['stt deepgram/nova-3'],
  workers: [{ name: 'noise cancellation', running: false, restarts: 2 }],
};

async function linesOf(counted: (metrics: ReturnType<typeof createEngineMetrics>) => void): Promise<string[]> {
  const metrics = createEngineMetrics(() => LOAD);
  counted(metrics);
  return (await engineMetricsText([{ port: 7171, metrics: await metrics.read() }])).split('\n');
}

it('shows the load of an engine', async () => {
  const lines = await linesOf(() => {});
  for (const line of [
    'antiphon_engine_calls{port="7171"} 3',
    'antiphon_engine_headroom_calls{port="7171"} 7',
    'antiphon_engine_overloaded{port="7171"} 0',
    'antiphon_engine_draining{port="7171"} 1',
    'antiphon_engine_provider_unhealthy{provider="stt deepgram/nova-3",port="7171"} 1',
    'antiphon_engine_worker_running{worker="noise cancellation",port="7171"} 0',
    'antiphon_engine_worker_restarts_total{worker="noise cancellation",port="7171"} 2',
  ]) {
    expect(lines).toContain(line);
  }
  expect(lines.some((line) => line.startsWith('process_cpu_seconds_total{port="7171"} '))).toBe(true);
});

it('counts ticks by how late they were', async () => {
  const lag = (await linesOf(() => {})).filter((line) => line.startsWith('antiphon_engine_tick_lag_seconds_'));
  const values = Object.fromEntries(
    lag.map((line) => [line.replace(/.*seconds_(\w+)\{(?:le="([^"]*)",)?.*/, '$1 $2').trim(), line.split(' ').at(-1)]),
  );
  expect(values).toMatchObject({
    'bucket 0.001': '90',
    'bucket 0.004': '98',
    'bucket 0.02': '98',
    'bucket 0.04': '100',
    'bucket +Inf': '100',
    count: '100',
    sum: '0.054',
  });
});

it("measures the model's answers, not prompts, part by part", async () => {
  const parts = { end_of_turn_ms: 300, first_token_ms: 400, playout_ms: 100 };
  const lines = await linesOf(({ observe }) => {
    observe('tts.first_audio', { latency_ms: 800, data: { parts } });
    observe('tts.first_audio', { latency_ms: 50, data: { welcome: true, parts } });
    observe('tts.first_audio', { latency_ms: 50, data: { filler: true, parts } });
    observe('tts.first_audio', { latency_ms: 50, data: { parts: { playout_ms: 50 } } });
  });
  expect(lines).toContain('antiphon_engine_answer_latency_seconds_bucket{le="0.75",port="7171"} 0');
  expect(lines).toContain('antiphon_engine_answer_latency_seconds_bucket{le="1",port="7171"} 1');
  expect(lines).toContain('antiphon_engine_answer_latency_seconds_count{port="7171"} 1');
  expect(lines).toContain('antiphon_engine_answer_part_seconds_total{part="first_token",port="7171"} 0.4');
});

it('counts ended calls, errors and fallbacks; what clients name is no label', async () => {
  const ending = {
    hangup_reason: 'error: llm',
    duration_seconds: 1,
    recorded: false,
    provider_usage_json: '[]',
  } as const;
  const lines = await linesOf(({ observe }) => {
    observe('call.ended', { data: { usage: emptyUsage() }, ending: { hangup_by: 'service', ...ending } });
    observe('error', { level: 'warning', data: { component: 'mcp', provider: "a customer's server" } });
    observe('error', { level: 'error', data: { component: 'llm', provider: 'openai' } });
    observe('fallback.used', {
      data: { component: 'tts', from: { provider: 'cartesia' }, to: { provider: 'elevenlabs' } },
    });
  });
  for (const line of [
    'antiphon_engine_calls_ended_total{hangup_by="service",port="7171"} 1',
    'antiphon_engine_errors_total{component="mcp",provider="",level="warning",port="7171"} 1',
    'antiphon_engine_errors_total{component="llm",provider="openai",level="error",port="7171"} 1',
    'antiphon_engine_fallbacks_total{component="tts",provider="cartesia",port="7171"} 1',
    'antiphon_engine_events_total{type="error",port="7171"} 2',
  ]) {
    expect(lines).toContain(line);
  }
});
