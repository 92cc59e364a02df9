import type { Clock, Timer } from '../../shared/clock.ts';

/**
 * The 20 ms clock of the process: every call is ticked from it, in one of `PHASES` parts of the beat, so that a frame that
 * comes in never waits until all calls have sent theirs. Beats are counted from the first member, so a late beat does not
 * push the next ones; beats missed altogether are skipped, because playout and jitter buffer go by the time they are
 * told, not by counting beats. How late beats come is the process's own measure of health.
 */
export interface MediaClock {
  /** Calls `beat(nowMs)` every 20 ms until the returned function is called. */
  subscribe(beat: (nowMs: number) => void): () => void;
  /** The worst lateness of a beat since last asked, milliseconds. */
  takeMaxLagMs(): number;
  /** How many beats since the start came so many whole milliseconds late; in the last place those later still. */
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
  let worstLagMs = 0;
  const lagCounts = new Uint32Array(MAX_LAG_MS + 1);
  let stopped = false;

  function newPhase(): Phase {
    const phase: Phase = { subscribers: new Set(), timer: null, nextMs: 0, tick: () => beat(phase) };
    return phase;
  }

  function beat(phase: Phase): void {
    const nowMs = clock.now();
    const lagMs = Math.max(0, nowMs - phase.nextMs);
    worstLagMs = Math.max(worstLagMs, lagMs);
    lagCounts[Math.min(MAX_LAG_MS, Math.floor(lagMs))]!++;
    for (const member of phase.subscribers) {
      try {
        member(nowMs);
      } catch (error) {
        // One call's mistake must not silence the others.
        onError(error);
      }
    }
    // A timer may come a fraction of a millisecond early.
    phase.nextMs = nextAfter(Math.max(nowMs, phase.nextMs), phase.nextMs);
    schedule(phase);
  }

  function schedule(phase: Phase): void {
    const waits = !stopped && phase.subscribers.size > 0;
    phase.timer = waits ? clock.after(phase.nextMs - clock.now(), phase.tick) : null;
  }

  /** The phase with the fewest members: the first, as long as there is one call. */
  function emptiest(): Phase {
    return phases.reduce((least, phase) => (phase.subscribers.size < least.subscribers.size ? phase : least));
  }

  return {
    lagCounts,
    subscribe(member) {
      if (phases.every(({ subscribers: members }) => members.size === 0)) originMs = clock.now();
      const phase = emptiest();
      phase.subscribers.add(member);
      if (phase.timer === null) {
        phase.nextMs = nextAfter(clock.now(), originMs + (phases.indexOf(phase) * TICK_MS) / PHASES);
        schedule(phase);
      }
      return () => {
        phase.subscribers.delete(member);
      };
    },
    takeMaxLagMs() {
      const lag = worstLagMs;
      worstLagMs = 0;
      return lag;
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

/** The first beat after `nowMs` of those 20 ms apart of which one was at `beatMs`. */
function nextAfter(nowMs: number, beatMs: number): number {
  return beatMs + TICK_MS * (Math.floor((nowMs - beatMs) / TICK_MS) + 1);
}
