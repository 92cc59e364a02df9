/**
 * Whether this engine takes another call, and how many more it could: from how late its beats come and how much of its
 * thread the calls take. Pure: it is told what was measured and asked what follows. It never touches calls that are on.
 */

/** What was measured since the last look. */
export interface Look {
  /** Calls that are on. */
  calls: number;
  /** Beats of the 20 ms clock, and how many of them came so late that two frames lay over 40 ms apart. */
  beats: number;
  lateBeats: number;
  /** Lateness of beats, 95th of 100. */
  lagMs: number;
  /** Share of the time in which the thread of the sound was busy, 0 to 1. */
  busyShare: number;
}

export interface Admission {
  /** Takes what was measured; once a second. */
  look(look: Look): void;
  /** How many more calls there is room for, with so many on. 0: none is taken. */
  room(calls: number): number;
  readonly overloaded: boolean;
}

export interface AdmissionOptions {
  /** More are never taken. */
  maxCalls: number;
  /** False: only `maxCalls` counts. Default true. */
  judges?: boolean;
}

/** How often the engine is looked at. */
export const LOOK_EVERY_MS = 1_000;
/** Beats that come so late, or so many that make gaps, are the mark of an engine that has too much to do … */
const LAG_MS = 15;
const LATE_SHARE = 0.02;
/** … when they do for so many looks in a row: a pause of the garbage collector is none. */
const LOOKS_TO_CLOSE = 3;
/** It takes calls again after so many looks in a row below these. */
const CALM_LAG_MS = 6;
const CALM_LATE_SHARE = 0.002;
const LOOKS_TO_OPEN = 5;
/** So much of the thread may be taken; the rest is for bursts. */
const FULL_SHARE = 0.75;
/** What one call costs is known from so many calls on; before, twice as many may come until the next look. */
const CALLS_TO_JUDGE = 10;
const SMOOTHING = 0.3;
/** An engine with hardly a call is not overloaded by its calls: the machine is busy elsewhere, and refusing is no help. */
export const ALWAYS_TAKEN = 8;

export function createAdmission({ maxCalls, judges = true }: AdmissionOptions): Admission {
  let overloaded = false;
  let bad = 0;
  let calm = 0;
  /** What a call takes of the thread, as a share; null before there were enough to tell. */
  let costOfCall: number | null = null;
  let callsBefore = 0;
  /** So many calls at most until the next look. */
  let most = judges ? Math.min(maxCalls, 2 * CALLS_TO_JUDGE) : maxCalls;

  return {
    get overloaded() {
      return overloaded;
    },
    look({ calls, beats, lateBeats, lagMs, busyShare }) {
      if (!judges) return;
      const lateShare = beats > 0 ? lateBeats / beats : 0;
      const isBad = lagMs >= LAG_MS || lateShare >= LATE_SHARE;
      const isCalm = lagMs < CALM_LAG_MS && lateShare < CALM_LATE_SHARE;
      bad = isBad ? bad + 1 : 0;
      calm = isCalm ? calm + 1 : 0;
      if (bad >= LOOKS_TO_CLOSE) overloaded = true;
      else if (calm >= LOOKS_TO_OPEN) overloaded = false;
      // While calls come in this overrates what one costs, which errs on the safe side.
      const callsMeanwhile = (callsBefore + calls) / 2;
      callsBefore = calls;
      if (callsMeanwhile >= CALLS_TO_JUDGE) {
        const cost = busyShare / callsMeanwhile;
        costOfCall = costOfCall === null ? cost : costOfCall + SMOOTHING * (cost - costOfCall);
      }
      const fitting = costOfCall ? Math.floor(FULL_SHARE / costOfCall) : maxCalls;
      // What a call costs shows only afterwards, so there are never more than twice as many at the next look.
      const doubled = 2 * Math.max(calls, CALLS_TO_JUDGE);
      most = Math.min(maxCalls, doubled, fitting);
    },
    room(calls) {
      const least = Math.min(ALWAYS_TAKEN, maxCalls);
      const limit = overloaded ? least : Math.max(least, most);
      return Math.max(0, limit - calls);
    },
  };
}
