import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { CHUNK_BYTES, chunkName, RECORDING_RATE_HZ, SAMPLE_BYTES } from '../../shared/recordings/chunks.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';

/**
 * Writes the chunks of all recordings of this engine to the store in the background: no call waits for it while it is live.
 * A store that fails is retried with growing delays. Meanwhile a minute of each call and 64 MB of all calls together are
 * buffered; beyond that the oldest chunks are given up.
 */
export interface ChunkWriter {
  /** `rateHz`: of the recording, default 8000. @throws RangeError when one of them is not an id. */
  open(workspaceId: string, callId: string, listener?: ChunkListener, rateHz?: number): ChunkSink;
  /** Waits up to `withinMs` for what is still buffered, then gives up the rest. */
  close(withinMs: number): Promise<void>;
}

export interface ChunkListener {
  /** `chunks`: how many chunks of this call have been given up so far. */
  onLost(chunks: number): void;
}

/** A chunk is put together of so many blocks. */
export const BLOCKS_PER_CHUNK = 16;
/** Samples of both channels in a block: a quarter of a second at 8 kHz. */
export const BLOCK_SAMPLES = CHUNK_BYTES / SAMPLE_BYTES / BLOCKS_PER_CHUNK;

/** The chunks of one call, in order. */
export interface ChunkSink {
  /** Takes ownership of the blocks, which are filled up to `bytes`, all together. */
  add(blocks: Int16Array[], bytes: number): void;
  /** Leaves the next chunk out: it is silent. */
  skip(): void;
  /** A silent block for a chunk. */
  block(): Int16Array;
  /**
   * Ends the recording. Resolves when all chunks are stored or given up, or after 3 s: the remaining ones then get another
   * minute in the background, unless none was stored at all. Idempotent.
   */
  close(): Promise<void>;
  /** Chunks in the store. */
  readonly stored: number;
  /** Chunks given up. */
  readonly lost: number;
}

/** At 8 kHz. */
const MAX_WAITING_PER_CALL = 15;
const MAX_WAITING = Math.floor(64_000_000 / CHUNK_BYTES);
const MAX_SPARE_BLOCKS = 8 * BLOCKS_PER_CHUNK;
const CLOSE_WAIT_MS = 3_000;
const AFTER_CLOSE_MS = 60_000;
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 5_000];

interface Chunk {
  sink: OpenSink;
  name: string;
  blocks: Int16Array[];
  bytes: number;
  writing: boolean;
}

interface OpenSink {
  waiting: Chunk[];
  stored: number;
  lost: number;
  settled: () => void;
  listener: ChunkListener | undefined;
}

export interface ChunkWriterOptions {
  store: RecordingStore;
  clock: Clock;
  log: Logger;
}

export function createChunkWriter({ store, clock, log }: ChunkWriterOptions): ChunkWriter {
  /** Of all calls, oldest first, including those being written. */
  const chunks: Chunk[] = [];
  const spareBlocks: Int16Array[] = [];
  /** As long as a chunk, to put one together in; no more than writes at a time. */
  const spareChunks: Uint8Array[] = [];
  let writing = 0;
  /** Consecutive failures of the store. */
  let failures = 0;
  let retryTimer: Timer | null = null;
  let onEmpty: (() => void)[] = [];

  function startWrites(): void {
    // A failing store is probed with one write at a time.
    const maxWrites = failures > 0 ? 1 : store.maxConcurrentPuts;
    while (retryTimer === null && writing < maxWrites) {
      const next = chunks.find((chunk) => !chunk.writing);
      if (!next) return;
      void write(next);
    }
  }

  async function write(chunk: Chunk): Promise<void> {
    chunk.writing = true;
    writing++;
    try {
      const whole = putTogether(chunk.blocks);
      await store.put(chunk.name, whole.subarray(0, chunk.bytes));
      // What failed may still be read by the store.
      spareChunks.push(whole);
      if (failures > 0) log.info({ waiting: chunks.length }, 'recordings can be stored again');
      failures = 0;
      writing--;
      // A chunk that was given up during its write was reported as lost and stays counted as lost.
      if (remove(chunk)) chunk.sink.stored++;
      for (const block of chunk.blocks) if (spareBlocks.length < MAX_SPARE_BLOCKS) spareBlocks.push(block);
      settle(chunk.sink);
    } catch (error) {
      writing--;
      chunk.writing = false;
      if (failures === 0) log.error({ error: errorText(error), waiting: chunks.length }, 'recordings cannot be stored');
      retryTimer?.cancel();
      retryTimer = clock.after(RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)]!, () => {
        retryTimer = null;
        startWrites();
      });
      failures++;
    }
    startWrites();
  }

  function putTogether(blocks: readonly Int16Array[]): Uint8Array {
    const whole = spareChunks.pop() ?? new Uint8Array(CHUNK_BYTES);
    const samples = new Int16Array(whole.buffer);
    blocks.forEach((block, index) => void samples.set(block, index * block.length));
    return whole;
  }

  function remove(chunk: Chunk): boolean {
    const index = chunks.indexOf(chunk);
    if (index < 0) return false;
    chunks.splice(index, 1);
    chunk.sink.waiting.splice(chunk.sink.waiting.indexOf(chunk), 1);
    return true;
  }

  function giveUp(chunk: Chunk): void {
    if (!remove(chunk)) return;
    const { sink } = chunk;
    sink.lost++;
    if (sink.lost === 1) log.warn({ name: chunk.name }, 'recording chunk lost: the store did not take it in time');
    sink.listener?.onLost(sink.lost);
    settle(sink);
  }

  function settle(sink: OpenSink): void {
    if (sink.waiting.length === 0) sink.settled();
    if (chunks.length > 0) return;
    for (const resolve of onEmpty) resolve();
    onEmpty = [];
  }

  /** Resolves to whether `done` resolved within `ms`. */
  function within(ms: number, done: Promise<void>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = clock.after(ms, () => resolve(false));
      void done.then(() => {
        timer.cancel();
        resolve(true);
      });
    });
  }

  return {
    open(workspaceId, callId, listener, rateHz = RECORDING_RATE_HZ) {
      // Throws for invalid ids here rather than in the middle of a call.
      chunkName(workspaceId, callId, 0);
      let number = 0;
      const maxWaiting = (MAX_WAITING_PER_CALL * rateHz) / RECORDING_RATE_HZ;
      let closing: Promise<void> | null = null;
      const sink: OpenSink = { waiting: [], stored: 0, lost: 0, settled() {}, listener };
      const allSettled = () =>
        new Promise<void>((resolve) => {
          sink.settled = resolve;
          if (sink.waiting.length === 0) resolve();
        });
      const close = async () => {
        if (await within(CLOSE_WAIT_MS, allSettled())) return;
        const giveUpRest = () => {
          for (const chunk of [...sink.waiting]) giveUp(chunk);
        };
        // The call reports now whether it was recorded; with nothing stored the answer is no and must stay no.
        if (sink.stored === 0) giveUpRest();
        else void within(AFTER_CLOSE_MS, allSettled()).then((done) => done || giveUpRest());
      };
      return {
        block: () => spareBlocks.pop()?.fill(0) ?? new Int16Array(2 * BLOCK_SAMPLES),
        add(blocks, bytes) {
          const chunk = { sink, name: chunkName(workspaceId, callId, number++, rateHz), blocks, bytes, writing: false };
          sink.waiting.push(chunk);
          chunks.push(chunk);
          if (sink.waiting.length > maxWaiting) giveUp(sink.waiting[0]!);
          if (chunks.length > MAX_WAITING) giveUp(chunks[0]!);
          startWrites();
        },
        skip() {
          number++;
        },
        close() {
          closing ??= close();
          return closing;
        },
        get stored() {
          return sink.stored;
        },
        get lost() {
          return sink.lost;
        },
      };
    },

    async close(withinMs) {
      const empty = new Promise<void>((resolve) => {
        if (chunks.length === 0) resolve();
        else onEmpty.push(resolve);
      });
      if (!(await within(withinMs, empty))) for (const chunk of [...chunks]) giveUp(chunk);
      retryTimer?.cancel();
      retryTimer = null;
    },
  };
}
