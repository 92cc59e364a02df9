import type { Clock, Timer } from '../../shared/clock.ts';
import type { Reporter } from '../report/reporter.ts';
import type { RecordingMixer } from './recording-mixer.ts';

/**
 * Pauses a call's recording, which is silent on both sides for so long and keeps its length. A pause that nobody ends does so by itself
 * after `maxSeconds`; a pause within a pause starts this time again. Pause and resumption are on the timeline.
 */
export interface RecordingPause {
  /** Returns false when nothing is recorded. */
  set(paused: boolean, by: 'agent' | 'member' | 'service'): boolean;
  close(): void;
}

export interface RecordingPauseOptions {
  recording: Pick<RecordingMixer, 'setPaused'> | null;
  maxSeconds: number;
  reporter: Pick<Reporter, 'report'>;
  clock: Clock;
}

export function createRecordingPause({
  recording,
  maxSeconds,
  reporter,
  clock,
}: RecordingPauseOptions): RecordingPause {
  let timer: Timer | null = null;
  let sinceMs = 0;

  function set(paused: boolean, by: 'agent' | 'member' | 'service'): boolean {
    if (!recording) return false;
    const wasPaused = timer !== null;
    timer?.cancel();
    timer = paused ? clock.after(maxSeconds * 1_000, () => set(false, 'service')) : null;
    if (paused === wasPaused) return true;
    recording.setPaused(paused);
    if (paused) {
      sinceMs = clock.now();
      reporter.report('recording.paused', 'recording paused', { data: { by, max_seconds: maxSeconds } });
    } else {
      const paused_seconds = Math.round((clock.now() - sinceMs) / 100) / 10;
      reporter.report('recording.resumed', 'recording resumed', { data: { by, paused_seconds } });
    }
    return true;
  }

  return { set, close: () => timer?.cancel() };
}
