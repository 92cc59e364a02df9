import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EventType } from '../shared/events.ts';
import { mergeLabelled, type ProcessMetrics } from '../shared/labelled-metrics.ts';
import { CERTIFICATE_METRIC, certificateRemainingSeconds } from '../shared/tls-certificate.ts';
import type { EngineLoad } from './engine-channel.ts';
import type { EventDetails } from './report/reporter.ts';

/** The metrics of one engine, as Prometheus counts: from its start on, without any call, person or number. */
export interface EngineMetrics {
  /** Counts an event of a call's timeline. */
  observe(type: EventType, details: EventDetails): void;
  read(): Promise<ProcessMetrics>;
}

/** Seconds of an answer's latency. */
const ANSWER_BUCKETS = [0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5, 3, 4, 6, 10];
/** Whole milliseconds of a tick's lateness; from 20 on two frames may be more than 40 ms apart. */
const LAG_BUCKETS_MS = [1, 2, 4, 6, 10, 15, 20, 40, 100, 200];
/** Of these `provider` is one of a closed list; a carrier's and an MCP server's name are no label. */
const WITH_PROVIDER = new Set<unknown>(['stt', 'transcriber', 'tts', 'voice', 'llm']);

export function createEngineMetrics(load: () => EngineLoad): EngineMetrics {
  const registry = new Registry();
  const registers = [registry];
  const events = new Counter({
    name: 'antiphon_engine_events_total',
    help: 'Events of calls, by the type that their timeline has.',
    labelNames: ['type'],
    registers,
  });
  const endedCalls = new Counter({
    name: 'antiphon_engine_calls_ended_total',
    help: 'Calls that ended, by who ended them; service: the service itself, at an error as a rule.',
    labelNames: ['hangup_by'],
    registers,
  });
  const errors = new Counter({
    name: 'antiphon_engine_errors_total',
    help: 'Events of the type error, by the part of the call; level "error": the call ended with it, or lost something.',
    labelNames: ['component', 'provider', 'level'],
    registers,
  });
  const fallbacks = new Counter({
    name: 'antiphon_engine_fallbacks_total',
    help: 'How often another provider took over from this one, because it failed or was at its limit.',
    labelNames: ['component', 'provider'],
    registers,
  });
  const answers = new Histogram({
    name: 'antiphon_engine_answer_latency_seconds',
    help: "From the true end of the caller's speech to the first frame of the model's answer at the carrier.",
    buckets: ANSWER_BUCKETS,
    registers,
  });
  const partSeconds = new Counter({
    name: 'antiphon_engine_answer_part_seconds_total',
    help: 'What of the latency of answers each part took; per answer: divided by antiphon_engine_answer_latency_seconds_count.',
    labelNames: ['part'],
    registers,
  });

  function observeAnswer(latencyMs: number, data: Record<string, unknown>): void {
    const parts = (data.parts ?? {}) as Record<string, number>;
    // Welcomes and other prompts have no token.
    if (data.welcome || data.filler || parts.first_token_ms === undefined) return;
    answers.observe(latencyMs / 1_000);
    for (const [name, ms] of Object.entries(parts)) partSeconds.inc({ part: name.replace(/_ms$/, '') }, ms / 1_000);
  }

  return {
    observe(type, { level = 'info', latency_ms, data = {}, ending }) {
      events.inc({ type });
      if (type === 'tts.first_audio' && latency_ms !== undefined) observeAnswer(latency_ms, data);
      if (type === 'call.ended' && ending) endedCalls.inc({ hangup_by: ending.hangup_by });
      const component = text(data.component);
      if (type === 'error') errors.inc({ component, provider: providerOf(component, data.provider), level });
      if (type === 'fallback.used' || type === 'capacity.fallback') {
        fallbacks.inc({ component, provider: providerOf(component, (data.from as { provider?: unknown })?.provider) });
      }
    },
    read: async () => [...(await registry.getMetricsAsJSON()), ...(await loadMetrics(load()))],
  };
}

/** The metrics of engines as Prometheus reads them; the series of each have its port. */
export function engineMetricsText(engines: readonly { port: number; metrics: ProcessMetrics }[]): Promise<string> {
  return mergeLabelled(engines.map(({ port, metrics }) => ({ labels: { port }, metrics }))).metrics();
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');
const providerOf = (component: string, provider: unknown) => (WITH_PROVIDER.has(component) ? text(provider) : '');

async function loadMetrics(load: EngineLoad): Promise<ProcessMetrics> {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string, value: number) => new Gauge({ name, help, registers }).set(value);
  gauge('antiphon_engine_calls', 'Calls in progress.', load.calls);
  gauge(
    'antiphon_engine_headroom_calls',
    'How many more calls the engine takes; 0 as well while it drains or its bus is away.',
    load.headroom,
  );
  gauge(
    'antiphon_engine_overloaded',
    '1 while the engine takes fewer calls, because its ticks are late.',
    +load.overloaded,
  );
  gauge(
    'antiphon_engine_draining',
    '1 while the engine takes no new call and waits for those in progress.',
    +load.draining,
  );
  const remaining = certificateRemainingSeconds();
  if (remaining !== null) gauge(CERTIFICATE_METRIC.name, CERTIFICATE_METRIC.help, remaining);
  const unhealthy = new Gauge({
    name: 'antiphon_engine_provider_unhealthy',
    help: '1: calls do not start with the provider, because too many of its latest uses failed.',
    labelNames: ['provider'],
    registers,
  });
  for (const provider of load.unhealthy_providers) unhealthy.set({ provider }, 1);
  const running = new Gauge({
    name: 'antiphon_engine_worker_running',
    help: '0 while a thread that calls share is away and calls do without it.',
    labelNames: ['worker'],
    registers,
  });
  const restarts = new Counter({
    name: 'antiphon_engine_worker_restarts_total',
    help: 'How often another thread was started in its place.',
    labelNames: ['worker'],
    registers,
  });
  for (const worker of load.workers) {
    running.set({ worker: worker.name }, +worker.running);
    restarts.inc({ worker: worker.name }, worker.restarts);
  }
  const { user, system } = process.cpuUsage();
  const cpu = { name: 'process_cpu_seconds_total', help: 'CPU time of the engine, with its threads.', registers };
  new Counter(cpu).inc((user + system) / 1e6);
  gauge('process_resident_memory_bytes', 'Resident memory of the engine.', process.memoryUsage.rss());
  return [...(await registry.getMetricsAsJSON()), tickLag(load.lag_counts)];
}

/** A histogram out of counts by whole milliseconds; prom-client's own would have to be given each tick. */
function tickLag(countsByMs: readonly number[]): ProcessMetrics[number] {
  const name = 'antiphon_engine_tick_lag_seconds';
  const sumOf = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);
  const buckets = LAG_BUCKETS_MS.map((ms) => ({ le: ms / 1_000, count: sumOf(countsByMs.slice(0, ms)) }));
  const count = sumOf(countsByMs);
  const sumMs = countsByMs.reduce((sum, each, ms) => sum + each * ms, 0);
  const values = [
    ...buckets.map(({ le, count }) => ({ metricName: `${name}_bucket`, labels: { le }, value: count })),
    { metricName: `${name}_bucket`, labels: { le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels: {}, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
  const help = 'How late the ticks of the media clock were; a frame is 20 ms.';
  return { name, help, type: 'histogram', values, aggregator: 'sum' } as unknown as ProcessMetrics[number];
}
