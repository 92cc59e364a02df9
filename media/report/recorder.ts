import { CHUNK_BYTES } from '../../shared/recordings/chunks.ts';
import { LINE_RATE } from '../audio/format.ts';
import type { ChunkSink } from './chunk-writer.ts';

/** What the agent said may still be cut this far back. */
const BEHIND_SAMPLES = 2 * LINE_RATE;
/** The agent's samples may lie this far ahead of the caller's. */
const AHEAD_SAMPLES = LINE_RATE;
/** What is taken out of the ring at a time: a quarter of a piece, so that no beat has much to do. */
const STEP_SAMPLES = LINE_RATE;
/** Behind, one step that is not yet taken, and ahead. */
const RING_SAMPLES = BEHIND_SAMPLES + STEP_SAMPLES + AHEAD_SAMPLES;

export interface Recorder {
  /** The caller's next samples, 8 kHz: their count is the recording's timeline. */
  addCaller(samples: Int16Array): void;
  /**
   * Samples of the agent that the caller hears from `atSample` of the caller's timeline on. Written over what was
   * there. What lies more than 1 s ahead of the caller, or more than 2 s behind, is left out.
   */
  addAgent(samples: Int16Array, atSample: number): void;
  /** Everything of the agent from here on was never heard; at most 2 s back. */
  dropAgent(fromSample: number): void;
  /**
   * Ends the recording at the caller's last sample; waits for the store as long as `PieceSink.close` does. Never rejects.
   * Idempotent. `kept`: there is something to be heard.
   */
  close(): Promise<{ durationSeconds: number; kept: boolean }>;
}

/**
 * Records one call as 16-bit stereo at 8 kHz, caller left, agent right. The last 2 to 3 s stay here, where they can still
 * change; before them a piece is filled and handed over every 4 s. Holds 256 kB.
 */
export function createRecorder(sink: ChunkSink): Recorder {
  const left = new Int16Array(RING_SAMPLES);
  const right = new Int16Array(RING_SAMPLES);
  let heard = 0;
  /** From here on the agent's side of the ring is silent. */
  let agentEnd = 0;
  let taken = 0;
  let piece = sink.buffer();
  let filled = 0;
  let closing: Promise<{ durationSeconds: number; kept: boolean }> | null = null;

  /** Takes samples that nothing can change any more out of the ring and lays them into the piece. */
  function take(count: number): void {
    for (let i = 0, place = taken % RING_SAMPLES; i < count; i++, place++) {
      if (place === RING_SAMPLES) place = 0;
      const l = left[place]!;
      const r = right[place]!;
      piece[filled++] = l & 0xff;
      piece[filled++] = (l >> 8) & 0xff;
      piece[filled++] = r & 0xff;
      piece[filled++] = (r >> 8) & 0xff;
      right[place] = 0;
      if (filled === CHUNK_BYTES) handOver(sink.buffer());
    }
    taken += count;
  }

  function handOver(next: Uint8Array): void {
    const full = piece;
    const bytes = filled;
    piece = next;
    filled = 0;
    sink.add(full, bytes);
  }

  async function finish(): Promise<{ durationSeconds: number; kept: boolean }> {
    while (taken < heard) take(Math.min(STEP_SAMPLES, heard - taken));
    if (filled > 0) handOver(new Uint8Array(0));
    await sink.close();
    return { durationSeconds: heard / LINE_RATE, kept: sink.stored > 0 };
  }

  return {
    addCaller(samples) {
      if (closing) return;
      for (let i = 0, place = heard % RING_SAMPLES; i < samples.length; i++, place++) {
        if (place === RING_SAMPLES) place = 0;
        left[place] = samples[i]!;
        heard++;
        if (heard - taken >= BEHIND_SAMPLES + STEP_SAMPLES) take(STEP_SAMPLES);
      }
    },
    addAgent(samples, atSample) {
      if (closing || !Number.isFinite(atSample)) return;
      const start = Math.round(atSample);
      const end = Math.min(start + samples.length, heard + AHEAD_SAMPLES);
      for (let at = Math.max(start, taken); at < end; at++) right[at % RING_SAMPLES] = samples[at - start]!;
      agentEnd = Math.max(agentEnd, end);
    },
    dropAgent(fromSample) {
      if (closing || !Number.isFinite(fromSample)) return;
      const from = Math.max(Math.round(fromSample), taken);
      for (let at = from; at < agentEnd; at++) right[at % RING_SAMPLES] = 0;
      agentEnd = Math.min(agentEnd, from);
    },
    close() {
      closing ??= finish();
      return closing;
    },
  };
}
