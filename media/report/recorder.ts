import { RECORDING_RATE_HZ, SAMPLE_BYTES } from '../../shared/recordings/chunks.ts';
import { BLOCK_SAMPLES, BLOCKS_PER_CHUNK, type ChunkSink } from './recording-chunk-writer.ts';

/** The agent's audio can be dropped this far back. */
const BEHIND_SECONDS = 2;
/** The agent's samples may lie this far ahead of the caller's: while the network holds back the caller, the agent goes on. */
const AHEAD_SECONDS = 1.5;
const CHUNK_SAMPLES = BLOCKS_PER_CHUNK * BLOCK_SAMPLES;
/** Places of the channels in a sample. */
const CALLER = 0;
const AGENT = 1;

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
 * Records one call as 16-bit stereo at 8 or 16 kHz, caller left, agent right. A chunk is handed to the sink when nothing in it can
 * change any more, 2 s after its end. Holds 64 to 192 kB at 8 kHz, in blocks that are taken as the call goes on.
 */
export function createRecorder(sink: ChunkSink, { waits = false, rateHz = RECORDING_RATE_HZ } = {}): Recorder {
  const behindSamples = BEHIND_SECONDS * rateHz;
  const aheadSamples = AHEAD_SECONDS * rateHz;
  /** The timeline from `handedOver` on, as far as anything was written; what is missing is silence. */
  const blocks: Int16Array[] = [];
  let callerSamples = 0;
  /** From here on the agent is silent. */
  let agentEnd = 0;
  /** Samples of the timeline that the sink has. */
  let handedOver = 0;
  /** Where what is to be stored begins. */
  let begunAt = waits ? Number.POSITIVE_INFINITY : 0;
  let closing: Promise<RecordingResult> | null = null;

  /** Older samples can no longer change. */
  const oldestOfAgent = () => Math.max(callerSamples - behindSamples, 0);

  function needBlocks(count: number): void {
    while (blocks.length < count) blocks.push(sink.block());
  }

  function write(channel: number, samples: Int16Array, atSample: number): void {
    for (let from = 0; from < samples.length; ) {
      const at = atSample + from - handedOver;
      const index = Math.floor(at / BLOCK_SAMPLES);
      const slot = at - index * BLOCK_SAMPLES;
      const part = Math.min(samples.length - from, BLOCK_SAMPLES - slot);
      needBlocks(index + 1);
      const block = blocks[index]!;
      for (let i = 0, to = 2 * slot + channel; i < part; i++, to += 2) block[to] = samples[from + i]!;
      from += part;
    }
  }

  /** Appends silence of the caller, where its samples were not written. */
  function append(count: number): void {
    callerSamples += count;
    while (callerSamples - behindSamples >= handedOver + CHUNK_SAMPLES) handOver(CHUNK_SAMPLES);
  }

  function handOver(samples: number): void {
    const count = Math.ceil(samples / BLOCK_SAMPLES);
    handedOver += samples;
    if (handedOver <= begunAt) {
      blocks.splice(0, count);
      sink.skip();
      return;
    }
    needBlocks(count);
    sink.add(blocks.splice(0, count), samples * SAMPLE_BYTES);
  }

  async function finish(): Promise<RecordingResult> {
    while (handedOver < callerSamples) handOver(Math.min(CHUNK_SAMPLES, callerSamples - handedOver));
    await sink.close();
    return { durationSeconds: callerSamples / rateHz, stored: sink.stored > 0 };
  }

  return {
    begin() {
      begunAt = Math.min(begunAt, callerSamples);
    },
    addCaller(samples) {
      if (closing) return;
      write(CALLER, samples, callerSamples);
      append(samples.length);
    },
    addSilence(count) {
      if (!closing) append(count);
    },
    addAgent(samples, atSample) {
      if (closing || !Number.isFinite(atSample)) return;
      const start = Math.round(atSample);
      const end = Math.min(start + samples.length, callerSamples + aheadSamples);
      const from = Math.max(start, oldestOfAgent());
      if (from < end) write(AGENT, samples.subarray(from - start, end - start), from);
      agentEnd = Math.max(agentEnd, end);
    },
    dropAgent(fromSample) {
      if (closing || !Number.isFinite(fromSample)) return;
      const from = Math.max(Math.round(fromSample), oldestOfAgent());
      if (from < agentEnd) write(AGENT, new Int16Array(agentEnd - from), from);
      agentEnd = Math.min(agentEnd, from);
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };
}
