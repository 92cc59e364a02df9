import type { Clock } from '../../shared/clock.ts';
import {
  CHUNK_BYTES,
  RECORDING_RATE_HZ,
  SAMPLE_BYTES,
  WIDEBAND_RECORDING_RATE_HZ,
} from '../../shared/recordings/chunks.ts';
import { type AudioFormat, FRAME_MS, LINE_RATE } from '../audio/format.ts';
import { createRateConverter } from '../audio/resample.ts';
import { readSamples } from '../audio/samples.ts';
import { createRecorder } from '../report/recorder.ts';
import type { ChunkWriter } from '../report/recording-chunk-writer.ts';
import type { Reporter } from '../report/reporter.ts';

/**
 * Mixes both sides of a call into one recording: the caller's samples are the timeline, and the agent's are written where the
 * caller hears them. Frames of one run are written without gaps, whatever the jitter of their sending.
 */
export interface RecordingMixer {
  /** Adds the caller's next samples, at `callerRateHz`. */
  addCaller(samples: Int16Array, atMs: number): void;
  /** Adds one frame in `agentFormat`; the caller hears it from `playAtMs` on. */
  addAgent(frame: Uint8Array, playAtMs: number, newRun: boolean): void;
  /** Drops the agent's audio from this moment on: it was cleared before it was played. */
  dropAgent(fromMs: number): void;
  /** Where it was opened with `waits`: both sides were silent until now, and nothing is stored of a call where this never comes. */
  begin(): void;
  /** Both sides are silent from now on, or no longer; the timeline goes on. */
  setPaused(paused: boolean): void;
  /** After `close`: at least one chunk is in the store. */
  hasStoredAudio(): boolean;
  close(): Promise<void>;
}

export interface RecordingMixerOptions {
  recordings: ChunkWriter;
  workspaceId: string;
  callId: string;
  reporter: Pick<Reporter, 'report'>;
  agentFormat: AudioFormat;
  /** Default 8000. From 16000 on the recording is wideband. */
  callerRateHz?: number;
  /** It begins later, with `begin`. */
  waits?: boolean;
  clock: Clock;
}

export function createRecordingMixer({
  recordings,
  workspaceId,
  callId,
  reporter,
  agentFormat,
  callerRateHz = LINE_RATE,
  waits = false,
  clock,
}: RecordingMixerOptions): RecordingMixer {
  const rateHz = callerRateHz < WIDEBAND_RECORDING_RATE_HZ ? RECORDING_RATE_HZ : WIDEBAND_RECORDING_RATE_HZ;
  const samplesPerMs = rateHz / 1_000;
  const chunkSeconds = CHUNK_BYTES / SAMPLE_BYTES / rateHz;
  const listener = {
    onLost: (chunks: number) =>
      chunks === 1 && reportLoss('audio of the recording could not be stored in time', chunks),
  };
  const sink = recordings.open(workspaceId, callId, listener, rateHz);
  const recorder = createRecorder(sink, { waits, rateHz });
  const samples = new Int16Array((agentFormat.sample_rate * FRAME_MS) / 1_000);
  const ofAgent = createRateConverter(agentFormat.sample_rate, rateHz);
  const ofCaller = createRateConverter(callerRateHz, rateHz);
  let callerSamples = 0;
  /** When the last of them came in. */
  let callerAtMs = clock.now();
  let nextAgentSample = 0;
  let stored = false;
  let waiting = waits;
  let paused = false;

  function reportLoss(message: string, chunks: number): void {
    const data = { component: 'recording', lost_seconds: chunks * chunkSeconds };
    reporter.report('error', message, { level: 'warning', data });
  }

  function sampleAt(ms: number): number {
    return Math.max(0, callerSamples + Math.round((ms - callerAtMs) * samplesPerMs));
  }

  return {
    addCaller(given, atMs) {
      const converted = ofCaller(given);
      if (waiting || paused) recorder.addSilence(converted.length);
      else recorder.addCaller(converted);
      callerSamples += converted.length;
      callerAtMs = atMs;
    },
    addAgent(frame, playAtMs, newRun) {
      readSamples(frame, agentFormat.encoding, samples);
      const converted = ofAgent(samples);
      if (newRun) nextAgentSample = sampleAt(playAtMs);
      if (!waiting && !paused) recorder.addAgent(converted, nextAgentSample);
      nextAgentSample += converted.length;
    },
    dropAgent(fromMs) {
      recorder.dropAgent(sampleAt(fromMs));
    },
    begin() {
      waiting = false;
      recorder.begin();
    },
    setPaused(given) {
      paused = given;
      // What was sent already is not played out yet.
      if (paused) recorder.dropAgent(callerSamples);
    },
    hasStoredAudio: () => stored,
    async close() {
      ({ stored } = await recorder.close());
      if (sink.lost > 1) reportLoss(stored ? 'the recording has gaps' : 'nothing was recorded', sink.lost);
    },
  };
}
