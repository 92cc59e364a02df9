import { FRAME_MS } from './audio/format.ts';

/**
 * Admission control: decides from tick lag and thread utilization how many more calls this engine takes. Pure. It never ends
 * calls that are in progress.
 */

/** One measurement of the engine's load. */
export interface LoadSample {
  /** Calls in progress. */
  calls: number;
  /** Ticks of the media clock since the last sample, and how many were late enough to put two frames over 40 ms apart. */
  ticks: number;
  lateTicks: number;
  /** Lateness of ticks, 95th percentile. */
  lagMs: number;
  /** Share of the time in which the media thread was busy, 0 to 1. */
  utilization: number;
}

export interface Admission {
  /** Takes a sample; once per `SAMPLE_INTERVAL_MS`. */
  observe(sample: LoadSample): void;
  /** How many more calls fit beside `calls` calls in progress. */
  headroom(calls: number): number;
  readonly overloaded: boolean;
}

export interface AdmissionOptions {
  maxCalls: number;
  /** False: only `maxCalls` counts. Default true. */
  adaptive?: boolean;
}

export const SAMPLE_INTERVAL_MS = 1_000;
/** An engine is overloaded after SAMPLES_TO_CLOSE samples in a row at or above one of these; a single GC pause is not enough. */
const MAX_LAG_MS = 15;
const MAX_LATE_SHARE = 0.02;
const SAMPLES_TO_CLOSE = 3;
/** It takes calls again after SAMPLES_TO_OPEN samples in a row below both of these. */
const CALM_LAG_MS = 6;
const CALM_LATE_SHARE = 0.002;
const SAMPLES_TO_OPEN = 5;
/** The rest of the thread is for bursts. */
const MAX_UTILIZATION = 0.75;
/** The cost of a call is estimated from this many calls on. */
const MIN_CALLS_FOR_COST = 10;
const SMOOTHING = 0.3;
/** Always admitted: with so few calls a lag comes from elsewhere on the machine, and refusing calls would not reduce it. */
export const MIN_CALLS = 8;
const LAG_QUANTILE = 0.95;

export function createAdmission({ maxCalls, adaptive = true }: AdmissionOptions): Admission {
  let overloaded = false;
  let badSamples = 0;
  let calmSamples = 0;
  /** Null before there were enough calls to estimate it. */
  let utilizationPerCall: number | null = null;
  let previousCalls = 0;
  /** Until the next sample. */
  let callLimit = adaptive ? Math.min(maxCalls, 2 * MIN_CALLS_FOR_COST) : maxCalls;

  return {
    get overloaded() {
      return overloaded;
    },
    observe({ calls, ticks, lateTicks, lagMs, utilization }) {
      if (!adaptive) return;
      const lateShare = ticks > 0 ? lateTicks / ticks : 0;
      const isBad = lagMs >= MAX_LAG_MS || lateShare >= MAX_LATE_SHARE;
      const isCalm = lagMs < CALM_LAG_MS && lateShare < CALM_LATE_SHARE;
      badSamples = isBad ? badSamples + 1 : 0;
      calmSamples = isCalm ? calmSamples + 1 : 0;
      if (badSamples >= SAMPLES_TO_CLOSE) overloaded = true;
      else if (calmSamples >= SAMPLES_TO_OPEN) overloaded = false;
      // Overestimates the cost while calls are being added, which is the safe side.
      const averageCalls = (previousCalls + calls) / 2;
      previousCalls = calls;
      if (averageCalls >= MIN_CALLS_FOR_COST) {
        const cost = utilization / averageCalls;
        utilizationPerCall =
          utilizationPerCall === null ? cost : utilizationPerCall + SMOOTHING * (cost - utilizationPerCall);
      }
      const fitting = utilizationPerCall ? Math.floor(MAX_UTILIZATION / utilizationPerCall) : maxCalls;
      // The cost of a call is measured only afterwards, so the calls at most double between two samples.
      const doubled = 2 * Math.max(calls, MIN_CALLS_FOR_COST);
      callLimit = Math.min(maxCalls, doubled, fitting);
    },
    headroom(calls) {
      const minCalls = Math.min(MIN_CALLS, maxCalls);
      const limit = overloaded ? minCalls : Math.max(minCalls, callLimit);
      return Math.max(0, limit - calls);
    },
  };
}

/** Computes the tick figures of a sample from counts of ticks by their lateness in whole milliseconds. */
export function tickStats(lagCounts: Uint32Array): Pick<LoadSample, 'ticks' | 'lateTicks' | 'lagMs'> {
  const ticks = lagCounts.reduce((sum, count) => sum + count, 0);
  const lateTicks = lagCounts.subarray(FRAME_MS).reduce((sum, count) => sum + count, 0);
  let lagMs = 0;
  let seen = 0;
  for (const [ms, count] of lagCounts.entries()) {
    if (count > 0 && seen < ticks * LAG_QUANTILE) lagMs = ms;
    seen += count;
  }
  return { ticks, lateTicks, lagMs };
}
