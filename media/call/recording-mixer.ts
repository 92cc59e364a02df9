import type { Clock } from '../../shared/clock.ts';
import { CHUNK_SECONDS } from '../../shared/recordings/chunks.ts';
import { type AudioFormat, FRAME_MS, LINE_RATE } from '../audio/format.ts';
import { createNarrowbandConverter } from '../audio/narrowband.ts';
import { readSamples } from '../audio/samples.ts';
import type { ChunkWriter } from '../report/chunk-writer.ts';
import { createRecorder } from '../report/recorder.ts';
import type { Reporter } from '../report/reporter.ts';

/**
 * Puts both voices on one timeline: the caller's samples are counted as they come, the agent's are laid where the caller
 * hears them. A run of the agent's frames is laid without a seam, whatever the moments of its sending were.
 */
export interface RecordingMixer {
  addCaller(samples: Int16Array, atMs: number): void;
  /** One frame in the line's format, heard from `hearMs` on. */
  addAgent(frame: Uint8Array, hearMs: number, newRun: boolean): void;
  /** What was to be heard from this moment on was not. */
  dropAgent(fromMs: number): void;
  /** Something of the recording lies in the store. */
  hasStoredAudio(): boolean;
  close(): Promise<void>;
}

const SAMPLES_PER_MS = LINE_RATE / 1_000;

export interface RecordingMixerOptions {
  recordings: ChunkWriter;
  workspaceId: string;
  callId: string;
  reporter: Pick<Reporter, 'report'>;
  /** How the agent's frames lie. */
  agentFormat: AudioFormat;
  clock: Clock;
}

export function createRecordingMixer({
  recordings,
  workspaceId,
  callId,
  reporter,
  agentFormat: line,
  clock,
}: RecordingMixerOptions): RecordingMixer {
  const sink = recordings.open(workspaceId, callId, {
    onLost: (pieces) => pieces === 1 && tellLoss('sound of the recording could not be stored in time', pieces),
  });
  const recorder = createRecorder(sink);
  const samples = new Int16Array((line.sample_rate * FRAME_MS) / 1_000);
  const narrow = createNarrowbandConverter(line.sample_rate);
  let callerSamples = 0;
  /** When the last of them came in. */
  let callerAtMs = clock.now();
  let nextAgentSample = 0;
  let kept = false;

  function tellLoss(message: string, pieces: number): void {
    const data = { component: 'recording', lost_seconds: pieces * CHUNK_SECONDS };
    reporter.report('error', message, { level: 'warning', data });
  }

  function sampleAt(ms: number): number {
    return Math.max(0, callerSamples + Math.round((ms - callerAtMs) * SAMPLES_PER_MS));
  }

  return {
    addCaller(heard, atMs) {
      recorder.addCaller(heard);
      callerSamples += heard.length;
      callerAtMs = atMs;
    },
    addAgent(frame, hearMs, newRun) {
      readSamples(frame, line.encoding, samples);
      const heard = narrow(samples);
      if (newRun) nextAgentSample = sampleAt(hearMs);
      recorder.addAgent(heard, nextAgentSample);
      nextAgentSample += heard.length;
    },
    dropAgent(fromMs) {
      recorder.dropAgent(sampleAt(fromMs));
    },
    hasStoredAudio: () => kept,
    async close() {
      ({ kept } = await recorder.close());
      if (sink.lost > 1) tellLoss(kept ? 'the recording has gaps' : 'nothing was recorded', sink.lost);
    },
  };
}
