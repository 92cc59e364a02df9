import type { Clock, Timer } from '../../shared/clock.ts';

/**
 * The one 20 ms clock of the process: every call is ticked from it. Beats are counted from the start, so a late beat
 * does not push the next ones; beats missed altogether are skipped, because playout and jitter buffer go by the time
 * they are told, not by counting beats. How late beats come is the process's own measure of health.
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
const MOST_LAG_MS = 200;

export function createMetronome(clock: Clock, onError: (error: unknown) => void): Metronome {
  const members = new Set<(nowMs: number) => void>();
  let timer: Timer | null = null;
  let nextMs = clock.now() + BEAT_MS;
  let worstLagMs = 0;
  const lagCounts = new Uint32Array(MOST_LAG_MS + 1);
  let stopped = false;

  function beat(): void {
    const nowMs = clock.now();
    const lagMs = Math.max(0, nowMs - nextMs);
    worstLagMs = Math.max(worstLagMs, lagMs);
    lagCounts[Math.min(MOST_LAG_MS, Math.floor(lagMs))]!++;
    for (const member of members) {
      try {
        member(nowMs);
      } catch (error) {
        // One call's mistake must not silence the others.
        onError(error);
      }
    }
    nextMs += BEAT_MS;
    if (nextMs <= nowMs) nextMs = nowMs + BEAT_MS - ((nowMs - nextMs) % BEAT_MS);
    schedule();
  }

  function schedule(): void {
    timer = stopped || members.size === 0 ? null : clock.after(nextMs - clock.now(), beat);
  }

  return {
    lagCounts,
    join(member) {
      members.add(member);
      if (timer === null) {
        nextMs = clock.now() + BEAT_MS;
        schedule();
      }
      return () => {
        members.delete(member);
      };
    },
    takeWorstLagMs() {
      const lag = worstLagMs;
      worstLagMs = 0;
      return lag;
    },
    stop() {
      stopped = true;
      timer?.cancel();
      timer = null;
      members.clear();
    },
  };
}
