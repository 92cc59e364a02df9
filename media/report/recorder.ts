import { CHUNK_BYTES, RECORDING_RATE_HZ, SAMPLE_BYTES } from '../../shared/recordings/chunks.ts';
import type { ChunkSink } from './recording-chunk-writer.ts';

/** The agent's audio can be dropped this far back. */
const BEHIND_SECONDS = 2;
/** The agent's samples may lie this far ahead of the caller's: while the network holds back the caller, the agent goes on. */
const AHEAD_SECONDS = 1.5;
/** Samples moved out of the rings at a time: a quarter of a second at 8 kHz, so that no tick has much to do. */
const STEP_SAMPLES = CHUNK_BYTES / SAMPLE_BYTES / 16;

export interface Recorder {
  /** Appends the caller's next samples; their count is the recording's timeline. */
  addCaller(samples: Int16Array): void;
  /** Where it was opened with `waits`: chunks that end before now are not stored, and are silent therefore. */
  begin(): void;
  /** Appends silence of the caller instead. */
  addSilence(count: number): void;
  /**
   * Writes samples of the agent that the caller hears from `atSample` of the caller's timeline on, over what was there. Leaves
   * out what lies more than 1.5 s ahead of the caller or more than 2 s behind.
   */
  addAgent(samples: Int16Array, atSample: number): void;
  /** Silences the agent from this sample on, at most 2 s back. */
  dropAgent(fromSample: number): void;
  /**
   * Ends the recording at the caller's last sample and waits for the store as long as `ChunkSink.close` does. Never rejects.
   * Idempotent. `stored`: at least one chunk is in the store.
   */
  close(): Promise<RecordingResult>;
}

export interface RecordingResult {
  durationSeconds: number;
  stored: boolean;
}

/**
 * Records one call as 16-bit stereo at 8 or 16 kHz, caller left, agent right. The last 2 s stay in rings, where they can still
 * change; older samples go into a chunk that is handed to the sink when it is full. Holds 224 kB at 8 kHz.
 */
export function createRecorder(sink: ChunkSink, { waits = false, rateHz = RECORDING_RATE_HZ } = {}): Recorder {
  const behindSamples = BEHIND_SECONDS * rateHz;
  const aheadSamples = AHEAD_SECONDS * rateHz;
  const left = new Int16Array(behindSamples + STEP_SAMPLES);
  const right = new Int16Array(left.length + aheadSamples);
  let callerSamples = 0;
  /** From here on the agent's ring is silent. */
  let agentEnd = 0;
  /** Samples moved out of the rings. */
  let taken = 0;
  let chunk = sink.buffer();
  let filled = 0;
  /** Where what is to be stored begins. */
  let begunAt = waits ? Number.POSITIVE_INFINITY : 0;
  let closing: Promise<RecordingResult> | null = null;

  /** Moves samples that can no longer change from the rings into the chunk. */
  function take(count: number): void {
    for (const end = taken + count; taken < end; ) {
      const fromLeft = taken % left.length;
      const fromRight = taken % right.length;
      const free = (CHUNK_BYTES - filled) / SAMPLE_BYTES;
      const part = Math.min(end - taken, left.length - fromLeft, right.length - fromRight, free);
      const into = new Int16Array(chunk.buffer, chunk.byteOffset + filled, 2 * part);
      for (let i = 0; i < part; i++) {
        into[2 * i] = left[fromLeft + i]!;
        into[2 * i + 1] = right[fromRight + i]!;
      }
      right.fill(0, fromRight, fromRight + part);
      taken += part;
      filled += part * SAMPLE_BYTES;
      if (filled === CHUNK_BYTES) handOver(taken);
    }
  }

  /** Appends the caller's samples, silence where there are none. */
  function append(samples: Int16Array | null, count: number): void {
    if (closing) return;
    for (let from = 0; from < count; ) {
      const slot = callerSamples % left.length;
      const untilStep = taken + left.length - callerSamples;
      const part = Math.min(count - from, untilStep, left.length - slot);
      if (samples === null) left.fill(0, slot, slot + part);
      else left.set(samples.subarray(from, from + part), slot);
      from += part;
      callerSamples += part;
      if (part === untilStep) take(STEP_SAMPLES);
    }
  }

  function handOver(endSample: number, last = false): void {
    const [full, bytes] = [chunk, filled];
    filled = 0;
    if (endSample <= begunAt) {
      sink.skip();
      return;
    }
    chunk = last ? new Uint8Array(0) : sink.buffer();
    sink.add(full, bytes);
  }

  async function finish(): Promise<RecordingResult> {
    while (taken < callerSamples) take(Math.min(STEP_SAMPLES, callerSamples - taken));
    if (filled > 0) handOver(taken, true);
    await sink.close();
    return { durationSeconds: callerSamples / rateHz, stored: sink.stored > 0 };
  }

  return {
    begin() {
      begunAt = Math.min(begunAt, callerSamples);
    },
    addCaller: (samples) => append(samples, samples.length),
    addSilence: (count) => append(null, count),
    addAgent(samples, atSample) {
      if (closing || !Number.isFinite(atSample)) return;
      const start = Math.round(atSample);
      const end = Math.min(start + samples.length, callerSamples + aheadSamples);
      const from = Math.max(start, taken);
      if (from < end) {
        const given = samples.subarray(from - start, end - start);
        const slot = from % right.length;
        const untilWrap = Math.min(given.length, right.length - slot);
        right.set(given.subarray(0, untilWrap), slot);
        right.set(given.subarray(untilWrap), 0);
      }
      agentEnd = Math.max(agentEnd, end);
    },
    dropAgent(fromSample) {
      if (closing || !Number.isFinite(fromSample)) return;
      const from = Math.max(Math.round(fromSample), taken);
      for (let at = from; at < agentEnd; at++) right[at % right.length] = 0;
      agentEnd = Math.min(agentEnd, from);
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };
}
