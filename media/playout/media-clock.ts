import type { Clock, Timer } from '../../shared/clock.ts';

/**
 * The process-wide 20 ms clock. Calls are spread over `PHASES` phases of the tick, so that a frame that comes in never waits
 * until all calls have sent theirs. Ticks are scheduled from the first subscription, so a late tick does not shift the next
 * ones; missed ticks are skipped, because playout and jitter buffer use the given time and do not count ticks. The lateness of
 * ticks is the process's own measure of health.
 */
export interface MediaClock {
  /** Calls `onTick(nowMs)` every 20 ms until the returned function is called. */
  subscribe(onTick: (nowMs: number) => void): () => void;
  /** Returns the maximum lateness of a tick since the last call, in milliseconds. */
  takeMaxLagMs(): number;
  /** Ticks since the start by lateness in whole milliseconds; the last bucket holds all later ones. */
  readonly lagCounts: Readonly<Uint32Array>;
  stop(): void;
}

const TICK_MS = 20;
const PHASES = 5;
const MAX_LAG_MS = 200;

interface Phase {
  subscribers: Set<(nowMs: number) => void>;
  timer: Timer | null;
  nextMs: number;
  tick: () => void;
}

export function createMediaClock(clock: Clock, onError: (error: unknown) => void): MediaClock {
  const phases = Array.from({ length: PHASES }, newPhase);
  let originMs = 0;
  let maxLagMs = 0;
  const lagCounts = new Uint32Array(MAX_LAG_MS + 1);
  let stopped = false;

  function newPhase(): Phase {
    const phase: Phase = { subscribers: new Set(), timer: null, nextMs: 0, tick: () => tick(phase) };
    return phase;
  }

  function tick(phase: Phase): void {
    const nowMs = clock.now();
    const lagMs = Math.max(0, nowMs - phase.nextMs);
    maxLagMs = Math.max(maxLagMs, lagMs);
    lagCounts[Math.min(MAX_LAG_MS, Math.floor(lagMs))]!++;
    for (const onTick of phase.subscribers) {
      try {
        onTick(nowMs);
      } catch (error) {
        // An error in one call must not stop the others.
        onError(error);
      }
    }
    // A timer may fire a fraction of a millisecond early.
    phase.nextMs = nextAfter(Math.max(nowMs, phase.nextMs), phase.nextMs);
    schedule(phase);
  }

  function schedule(phase: Phase): void {
    const waits = !stopped && phase.subscribers.size > 0;
    phase.timer = waits ? clock.after(phase.nextMs - clock.now(), phase.tick) : null;
  }

  /** The phase with the fewest subscribers; the first phase while there is one call. */
  function emptiestPhase(): Phase {
    return phases.reduce((least, phase) => (phase.subscribers.size < least.subscribers.size ? phase : least));
  }

  return {
    lagCounts,
    subscribe(onTick) {
      if (phases.every(({ subscribers }) => subscribers.size === 0)) originMs = clock.now();
      const phase = emptiestPhase();
      phase.subscribers.add(onTick);
      if (phase.timer === null) {
        phase.nextMs = nextAfter(clock.now(), originMs + (phases.indexOf(phase) * TICK_MS) / PHASES);
        schedule(phase);
      }
      return () => {
        phase.subscribers.delete(onTick);
      };
    },
    takeMaxLagMs() {
      const lagMs = maxLagMs;
      maxLagMs = 0;
      return lagMs;
    },
    stop() {
      stopped = true;
      for (const phase of phases) {
        phase.timer?.cancel();
        phase.timer = null;
        phase.subscribers.clear();
      }
    },
  };
}

/** Returns the first tick after `nowMs` on the 20 ms raster that contains `tickMs`. */
function nextAfter(nowMs: number, tickMs: number): number {
  return tickMs + TICK_MS * (Math.floor((nowMs - tickMs) / TICK_MS) + 1);
}
