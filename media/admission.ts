/**
 * Whether this engine takes another call, and how many more it could: from how late its beats come and how much of its
 * thread the calls take. Pure: it is told what was measured and asked what follows. It never touches calls that are on.
 */

/** What was measured since the last look. */
export interface LoadSample {
  /** Calls that are on. */
  calls: number;
  /** Beats of the 20 ms clock, and how many of them came so late that two frames lay over 40 ms apart. */
  ticks: number;
  lateTicks: number;
  /** Lateness of beats, 95th of 100. */
  lagMs: number;
  /** Share of the time in which the thread of the sound was busy, 0 to 1. */
  utilization: number;
}

export interface Admission {
  /** Takes what was measured; once a second. */
  observe(observe: LoadSample): void;
  /** How many more calls there is room for, with so many on. 0: none is taken. */
  headroom(calls: number): number;
  readonly overloaded: boolean;
}

export interface AdmissionOptions {
  /** More are never taken. */
  maxCalls: number;
  /** False: only `maxCalls` counts. Default true. */
  adaptive?: boolean;
}

/** How often the engine is looked at. */
export const SAMPLE_INTERVAL_MS = 1_000;
/** Beats that come so late, or so many that make gaps, are the mark of an engine that has too much to do … */
const MAX_LAG_MS = 15;
const MAX_LATE_SHARE = 0.02;
/** … when they do for so many looks in a row: a pause of the garbage collector is none. */
const SAMPLES_TO_CLOSE = 3;
/** It takes calls again after so many looks in a row below these. */
const CALM_LAG_MS = 6;
const CALM_LATE_SHARE = 0.002;
const SAMPLES_TO_OPEN = 5;
/** So much of the thread may be taken; the rest is for bursts. */
const MAX_UTILIZATION = 0.75;
/** What one call costs is known from so many calls on; before, twice as many may come until the next look. */
const MIN_CALLS_FOR_COST = 10;
const SMOOTHING = 0.3;
/** An engine with hardly a call is not overloaded by its calls: the machine is busy elsewhere, and refusing is no help. */
export const MIN_CALLS = 8;

export function createAdmission({ maxCalls, adaptive: judges = true }: AdmissionOptions): Admission {
  let overloaded = false;
  let badSamples = 0;
  let calmSamples = 0;
  /** What a call takes of the thread, as a share; null before there were enough to tell. */
  let utilizationPerCall: number | null = null;
  let previousCalls = 0;
  /** So many calls at most until the next look. */
  let callLimit = judges ? Math.min(maxCalls, 2 * MIN_CALLS_FOR_COST) : maxCalls;

  return {
    get overloaded() {
      return overloaded;
    },
    observe({ calls, ticks: beats, lateTicks: lateBeats, lagMs, utilization: busyShare }) {
      if (!judges) return;
      const lateShare = beats > 0 ? lateBeats / beats : 0;
      const isBad = lagMs >= MAX_LAG_MS || lateShare >= MAX_LATE_SHARE;
      const isCalm = lagMs < CALM_LAG_MS && lateShare < CALM_LATE_SHARE;
      badSamples = isBad ? badSamples + 1 : 0;
      calmSamples = isCalm ? calmSamples + 1 : 0;
      if (badSamples >= SAMPLES_TO_CLOSE) overloaded = true;
      else if (calmSamples >= SAMPLES_TO_OPEN) overloaded = false;
      // While calls come in this overrates what one costs, which errs on the safe side.
      const callsMeanwhile = (previousCalls + calls) / 2;
      previousCalls = calls;
      if (callsMeanwhile >= MIN_CALLS_FOR_COST) {
        const cost = busyShare / callsMeanwhile;
        utilizationPerCall =
          utilizationPerCall === null ? cost : utilizationPerCall + SMOOTHING * (cost - utilizationPerCall);
      }
      const fitting = utilizationPerCall ? Math.floor(MAX_UTILIZATION / utilizationPerCall) : maxCalls;
      // What a call costs shows only afterwards, so there are never more than twice as many at the next look.
      const doubled = 2 * Math.max(calls, MIN_CALLS_FOR_COST);
      callLimit = Math.min(maxCalls, doubled, fitting);
    },
    headroom(calls) {
      const least = Math.min(MIN_CALLS, maxCalls);
      const limit = overloaded ? least : Math.max(least, callLimit);
      return Math.max(0, limit - calls);
    },
  };
}
