import { z } from 'zod';
import type { ProcessMetrics } from '../shared/labelled-metrics.ts';

/** Messages between the supervisor (`supervisor.ts`) and its engine processes, over the IPC channel of `fork`. */

/** An engine's load, as its `/metricsz` shows it. */
const engineLoad = z.object({
  calls: z.number(),
  /** How many more calls it would take; 0 also while its bus is disconnected. */
  headroom: z.number(),
  overloaded: z.boolean(),
  draining: z.boolean(),
  /** Ticks by lateness in whole milliseconds, without trailing zeros. */
  lag_counts: z.array(z.number()),
  /** Providers that calls do not start with, because too many of their latest uses failed. */
  unhealthy_providers: z.array(z.string()),
  /** Worker threads that calls share: whether each runs, and how often another was started in its place. */
  workers: z.array(z.object({ name: z.string(), running: z.boolean(), restarts: z.number() })),
});
export type EngineLoad = z.infer<typeof engineLoad>;

export const fromEngineSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), engine_id: z.string(), port: z.number(), load: engineLoad }),
  z.object({ kind: z.literal('load'), load: engineLoad }),
  z.object({ kind: z.literal('metrics'), metrics: z.custom<ProcessMetrics>(Array.isArray) }),
]);
export type FromEngine = z.infer<typeof fromEngineSchema>;

const toEngineSchema = z.object({ kind: z.literal('shut_down'), drain_ms: z.number() });
export type ToEngine = z.infer<typeof toEngineSchema>;

export interface EngineChannelOptions {
  engineId: string;
  port: number;
  load(): EngineLoad;
  metrics(): Promise<ProcessMetrics>;
  onShutDown(drainMs: number): void;
  /** The supervisor is gone; nothing would restart this engine. */
  onSupervisorGone(): void;
}

/** The part of `process` that is connected to the process that forked it. */
export interface ParentChannel {
  connected: boolean;
  send?(message: unknown, handle: undefined, options: undefined, sent: (error: Error | null) => void): boolean;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

const REPORT_INTERVAL_MS = 1_000;

/** Reports that this engine is ready, and its load and metrics every second from then on. Returns a function that reports the load at once. */
export function connectToSupervisor(channel: ParentChannel, options: EngineChannelOptions): () => void {
  const { engineId, port, load, metrics } = options;
  const send = (message: FromEngine) => {
    if (channel.connected) channel.send?.(message, undefined, undefined, () => {});
  };
  channel.on('message', (message) => {
    const parsed = toEngineSchema.safeParse(message);
    if (parsed.success) options.onShutDown(parsed.data.drain_ms);
  });
  channel.on('disconnect', options.onSupervisorGone);
  send({ kind: 'ready', engine_id: engineId, port, load: load() });
  const reportLoad = () => send({ kind: 'load', load: load() });
  const report = async () => {
    reportLoad();
    send({ kind: 'metrics', metrics: await metrics() });
  };
  setInterval(() => void report(), REPORT_INTERVAL_MS).unref();
  return reportLoad;
}

/**
 * Sums several engines' loads. `overloaded` and `draining` are true when all are; a provider is unhealthy when any finds it so, and a
 * worker runs when it does in all of them.
 */
export function combineLoads(loads: readonly EngineLoad[]): EngineLoad {
  const lagCounts: number[] = [];
  for (const { lag_counts } of loads) {
    for (const [ms, count] of lag_counts.entries()) lagCounts[ms] = (lagCounts[ms] ?? 0) + count;
  }
  const sum = (of: (load: EngineLoad) => number) => loads.reduce((total, load) => total + of(load), 0);
  return {
    calls: sum(({ calls }) => calls),
    headroom: sum(({ headroom }) => headroom),
    overloaded: loads.every(({ overloaded }) => overloaded),
    draining: loads.every(({ draining }) => draining),
    lag_counts: lagCounts,
    unhealthy_providers: [...new Set(loads.flatMap(({ unhealthy_providers }) => unhealthy_providers))].sort(),
    workers: combineWorkers(loads.flatMap(({ workers }) => workers)),
  };
}

/** The body of a `/readyz` that is 200: names the workers that calls do without at present. */
export function readyText(workers: readonly { name: string; running: boolean }[]): string {
  const failed = workers.filter(({ running }) => !running).map(({ name }) => name);
  return failed.length === 0 ? 'ok\n' : `ok, without ${failed.join(', ')}\n`;
}

function combineWorkers(workers: EngineLoad['workers']): EngineLoad['workers'] {
  return [...new Set(workers.map(({ name }) => name))].map((name) => {
    const same = workers.filter((worker) => worker.name === name);
    const restarts = same.reduce((total, worker) => total + worker.restarts, 0);
    return { name, running: same.every(({ running }) => running), restarts };
  });
}

export function withoutTrailingZeros(counts: Readonly<Uint32Array>): number[] {
  return [...counts.subarray(0, counts.findLastIndex((count) => count > 0) + 1)];
}
