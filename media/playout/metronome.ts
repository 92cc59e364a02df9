import type { Clock, Timer } from '../../shared/clock.ts';

/**
 * The 20 ms clock of the process: every call is ticked from it, in one of `PHASES` parts of the beat, so that a frame that
 * comes in never waits until all calls have sent theirs. Beats are counted from the first member, so a late beat does not
 * push the next ones; beats missed altogether are skipped, because playout and jitter buffer go by the time they are
 * told, not by counting beats. How late beats come is the process's own measure of health.
 */
export interface Metronome {
  /** Calls `beat(nowMs)` every 20 ms until the returned function is called. */
  join(beat: (nowMs: number) => void): () => void;
  /** The worst lateness of a beat since last asked, milliseconds. */
  takeWorstLagMs(): number;
  /** How many beats since the start came so many whole milliseconds late; in the last place those later still. */
  readonly lagCounts: Readonly<Uint32Array>;
  stop(): void;
}

const BEAT_MS = 20;
const PHASES = 5;
const MOST_LAG_MS = 200;

interface Phase {
  members: Set<(nowMs: number) => void>;
  timer: Timer | null;
  nextMs: number;
  beat: () => void;
}

export function createMetronome(clock: Clock, onError: (error: unknown) => void): Metronome {
  const phases = Array.from({ length: PHASES }, newPhase);
  let originMs = 0;
  let worstLagMs = 0;
  const lagCounts = new Uint32Array(MOST_LAG_MS + 1);
  let stopped = false;

  function newPhase(): Phase {
    const phase: Phase = { members: new Set(), timer: null, nextMs: 0, beat: () => beat(phase) };
    return phase;
  }

  function beat(phase: Phase): void {
    const nowMs = clock.now();
    const lagMs = Math.max(0, nowMs - phase.nextMs);
    worstLagMs = Math.max(worstLagMs, lagMs);
    lagCounts[Math.min(MOST_LAG_MS, Math.floor(lagMs))]!++;
    for (const member of phase.members) {
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
    const waits = !stopped && phase.members.size > 0;
    phase.timer = waits ? clock.after(phase.nextMs - clock.now(), phase.beat) : null;
  }

  /** The phase with the fewest members: the first, as long as there is one call. */
  function emptiest(): Phase {
    return phases.reduce((least, phase) => (phase.members.size < least.members.size ? phase : least));
  }

  return {
    lagCounts,
    join(member) {
      if (phases.every(({ members }) => members.size === 0)) originMs = clock.now();
      const phase = emptiest();
      phase.members.add(member);
      if (phase.timer === null) {
        phase.nextMs = nextAfter(clock.now(), originMs + (phases.indexOf(phase) * BEAT_MS) / PHASES);
        schedule(phase);
      }
      return () => {
        phase.members.delete(member);
      };
    },
    takeWorstLagMs() {
      const lag = worstLagMs;
      worstLagMs = 0;
      return lag;
    },
    stop() {
      stopped = true;
      for (const phase of phases) {
        phase.timer?.cancel();
        phase.timer = null;
        phase.members.clear();
      }
    },
  };
}

/** The first beat after `nowMs` of those 20 ms apart of which one was at `beatMs`. */
function nextAfter(nowMs: number, beatMs: number): number {
  return beatMs + BEAT_MS * (Math.floor((nowMs - beatMs) / BEAT_MS) + 1);
}
