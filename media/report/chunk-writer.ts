import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { CHUNK_BYTES, chunkName } from '../../shared/recordings/chunks.ts';
import type { RecordingStore } from '../../shared/recordings/recording-store.ts';

/**
 * Takes the pieces of all recordings of this engine to the store, behind the calls' backs: nothing here is waited for while
 * a call is live. A store that is away is asked again with growing pauses; meanwhile a minute of each call and 64 MB of all
 * together are kept, and beyond that the oldest pieces are given up.
 */
export interface ChunkWriter {
  /** @throws RangeError when one of them is no id. */
  open(workspaceId: string, callId: string, listener?: ChunkListener): ChunkSink;
  /** What still waits gets so long; what is left then is given up. */
  close(withinMs: number): Promise<void>;
}

export interface ChunkListener {
  /** So many pieces of this call have been given up by now. */
  onLost(pieces: number): void;
}

/** The pieces of one call, in order. */
export interface ChunkSink {
  /** The buffer belongs to the sink from now on: `PIECE_BYTES` long, of which `bytes` are used. */
  add(buffer: Uint8Array, bytes: number): void;
  /** A buffer for the next piece. */
  buffer(): Uint8Array;
  /**
   * No further piece comes. Resolves when all are stored or given up, or after 3 s: then those that are left get another
   * minute behind the call's back, unless none was stored at all. Idempotent.
   */
  close(): Promise<void>;
  /** How many pieces are in the store. */
  readonly stored: number;
  /** How many were given up. */
  readonly lost: number;
}

const MAX_WAITING_PER_CALL = 15;
const MAX_WAITING = Math.floor(64_000_000 / CHUNK_BYTES);
const SPARE_BUFFERS = 8;
const CLOSE_WAIT_MS = 3_000;
const AFTER_CLOSE_MS = 60_000;
const RETRY_DELAYS_MS = [250, 500, 1_000, 2_000, 5_000];

interface Chunk {
  sink: OpenSink;
  name: string;
  buffer: Uint8Array;
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
  /** Of all calls, oldest first; those being written are among them. */
  const pieces: Chunk[] = [];
  const spare: Uint8Array[] = [];
  let inHand = 0;
  /** How often the store has failed since it last took a piece. */
  let failures = 0;
  let pause: Timer | null = null;
  let idle: (() => void)[] = [];

  function work(): void {
    // A store that fails is asked by one at a time.
    const atOnce = failures > 0 ? 1 : store.maxConcurrentPuts;
    while (pause === null && inHand < atOnce) {
      const next = pieces.find((piece) => !piece.writing);
      if (!next) return;
      void write(next);
    }
  }

  async function write(piece: Chunk): Promise<void> {
    piece.writing = true;
    inHand++;
    try {
      await store.put(piece.name, piece.buffer.subarray(0, piece.bytes));
      if (failures > 0) log.info({ waiting: pieces.length }, 'recordings can be stored again');
      failures = 0;
      inHand--;
      // Given up meanwhile, and there all the same: what was told stays told.
      if (forget(piece)) piece.sink.stored++;
      if (spare.length < SPARE_BUFFERS) spare.push(piece.buffer);
      settle(piece.sink);
    } catch (error) {
      inHand--;
      piece.writing = false;
      if (failures === 0) log.error({ error: errorText(error), waiting: pieces.length }, 'recordings cannot be stored');
      pause?.cancel();
      pause = clock.after(RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)]!, () => {
        pause = null;
        work();
      });
      failures++;
    }
    work();
  }

  function forget(piece: Chunk): boolean {
    const at = pieces.indexOf(piece);
    if (at < 0) return false;
    pieces.splice(at, 1);
    piece.sink.waiting.splice(piece.sink.waiting.indexOf(piece), 1);
    return true;
  }

  function giveUp(piece: Chunk): void {
    if (!forget(piece)) return;
    piece.sink.lost++;
    if (piece.sink.lost === 1) log.warn({ name: piece.name }, 'a piece of a recording could not be stored in time');
    piece.sink.listener?.onLost(piece.sink.lost);
    settle(piece.sink);
  }

  function settle(sink: OpenSink): void {
    if (sink.waiting.length === 0) sink.settled();
    if (pieces.length > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  /** Resolves when it is done or its time is over; true when it was done. */
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
    open(workspaceId, callId, listener) {
      // Wrong ids are found here, not in the middle of a call.
      chunkName(workspaceId, callId, 0);
      let number = 0;
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
          for (const piece of [...sink.waiting]) giveUp(piece);
        };
        // The call says now whether it was recorded, and with nothing stored the answer is no.
        if (sink.stored === 0) giveUpRest();
        else void within(AFTER_CLOSE_MS, allSettled()).then((done) => done || giveUpRest());
      };
      return {
        buffer: () => spare.pop() ?? new Uint8Array(CHUNK_BYTES),
        add(buffer, bytes) {
          const piece = { sink, name: chunkName(workspaceId, callId, number++), buffer, bytes, writing: false };
          sink.waiting.push(piece);
          pieces.push(piece);
          if (sink.waiting.length > MAX_WAITING_PER_CALL) giveUp(sink.waiting[0]!);
          if (pieces.length > MAX_WAITING) giveUp(pieces[0]!);
          work();
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
        if (pieces.length === 0) resolve();
        else idle.push(resolve);
      });
      if (!(await within(withinMs, empty))) for (const piece of [...pieces]) giveUp(piece);
      pause?.cancel();
      pause = null;
    },
  };
}
