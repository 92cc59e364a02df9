import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { createWorkerRestarts, type WorkerStatus } from '../../shared/restarting-worker.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import type { ThreadListener } from '../../shared/worker-thread.ts';
import { denoiserDelayMs } from './denoise.ts';
import {
  type DenoiseMemory,
  type DenoiseReply,
  type DenoiseWorker,
  frameSamples,
  MAX_BATCH,
  ROW_SAMPLES,
  startDenoiseWorker,
} from './denoise-protocol.ts';

/**
 * Noise cancellation for all calls of the process in one worker thread: 0.4 ms of computing for every 20 ms of a call is too
 * much for the thread that carries audio. Frames are sent in batches; while the thread works, the next batch fills. A frame
 * that is not denoised in time is delivered as it came in.
 */

/** A frame not denoised within this time is delivered with its noise. */
export const DENOISE_DEADLINE_MS = 40;
/** With more streams than this, frames wait up to GATHER_MS for a fuller batch: a message costs a tenth of a frame. */
const MAX_STREAMS_WITHOUT_GATHERING = 8;
const GATHER_MS = 5;
/** A thread that works on one batch for so long is taken for hung: it is ended and another is started. */
const HUNG_AFTER_MS = 1_000;
const LOAD_TIMEOUT_MS = 30_000;
/** In log lines and metrics. */
const NAME = 'noise cancellation';
/** Frames of one stream that are under way at once in normal operation. */
const MAX_SPARE = 3;

/**
 * Takes the stream's next frame, in order, at the stream's rate, only valid during the call. `endMs` is when its last sample came in;
 * denoised audio is delayed by a few ms against what was pushed.
 */
export type DenoisedFrameListener = (samples: Int16Array, endMs: number) => void;

export interface DenoiseStream {
  /** The next 20 ms at the stream's rate; the array is not kept. `atMs`: when the last of them came in. */
  push(samples: Int16Array, atMs: number): void;
  /** Frames in flight are not delivered any more. Idempotent. */
  close(): void;
}

export interface DenoiseStats {
  frames: number;
  batches: number;
  /** Frames delivered with their noise because the thread was late or had exited. */
  raw: number;
}

export interface DenoiseThread {
  /**
   * `strength` as in `createDenoiser`; at 0 frames are delivered at once. Throws RangeError outside 0 to 100, and for a rate
   * above 24 kHz.
   */
  open(strength: number, rateHz: number, listener: DenoisedFrameListener): DenoiseStream;
  readonly stats: Readonly<DenoiseStats>;
  readonly worker: WorkerStatus;
  close(): void;
}

interface Stream {
  id: number;
  strength: number;
  rateHz: number;
  /** Of denoised audio. */
  delayMs: number;
  /** Sample arrays for reuse. */
  spare: Int16Array[];
  listener: DenoisedFrameListener;
  closed: boolean;
}

interface PendingFrame {
  stream: Stream;
  samples: Int16Array;
  atMs: number;
  pushedMs: number;
  /** Delivered with its noise while the thread was working on it. */
  delivered: boolean;
}

/** Starts the thread. Rejects when the model cannot be loaded within 30 seconds. */
export async function loadDenoiseThread(options: { clock: Clock; log: Logger; script?: URL }): Promise<DenoiseThread> {
  const loaded = Promise.withResolvers<void>();
  const denoising = createDenoiseThread({
    ...options,
    start: ({ onMessage, onExit }) =>
      startDenoiseWorker(
        {
          onMessage(reply) {
            onMessage(reply);
            if (reply === 'ready') loaded.resolve();
          },
          onExit(reason) {
            onExit(reason);
            loaded.reject(new Error(reason));
          },
        },
        options.script,
      ),
  });
  try {
    await withTimeout(loaded.promise, LOAD_TIMEOUT_MS, options.clock, () => {
      throw new Error('the noise canceller did not load in time');
    });
  } catch (error) {
    denoising.close();
    throw error;
  }
  return denoising;
}

export function createDenoiseThread(options: {
  start(listener: ThreadListener<DenoiseReply>): DenoiseWorker;
  clock: Clock;
  log: Logger;
}): DenoiseThread {
  const { clock, log } = options;
  const stats: DenoiseStats = { frames: 0, batches: 0, raw: 0 };
  const streams = new Map<number, Stream>();
  /** Undelivered frames of all streams in the order they came in; the first ones are in flight. */
  const pending: PendingFrame[] = [];
  /** The batch in the thread; those of it that were delivered raw are no longer in `pending`. */
  let inFlight: PendingFrame[] = [];
  let worker: DenoiseWorker | null = null;
  let ready = false;
  let readyMs = 0;
  /** Since when the batch in flight is overdue; null while none is. */
  let stuckSinceMs: number | null = null;
  let gathering: { cancel(): void } | null = null;
  let deadline: Timer | null = null;
  let loadDeadline: Timer | null = null;
  let nextId = 1;
  let closed = false;
  const restarts = createWorkerRestarts({ name: NAME, start: restart, clock, log });

  function start(): void {
    const started = options.start({
      onMessage(reply) {
        if (closed || worker !== started) return;
        if (reply === 'ready') onReady(started);
        else finish(started.memory);
        sendBatch();
      },
      onExit(reason) {
        if (!closed && worker === started) onThreadLost(reason);
      },
    });
    worker = started;
    loadDeadline = clock.after(LOAD_TIMEOUT_MS, () => endThread('not loaded in time'));
  }

  function onReady({ thread }: DenoiseWorker): void {
    loadDeadline?.cancel();
    restarts.running();
    ready = true;
    readyMs = clock.now();
    for (const { id, strength, rateHz } of streams.values()) thread.post({ open: id, strength, rateHz });
  }

  function onThreadLost(reason: string): void {
    const ranMs = ready ? clock.now() - readyMs : null;
    loadDeadline?.cancel();
    worker = null;
    ready = false;
    stuckSinceMs = null;
    inFlight = [];
    for (const frame of pending.splice(0)) deliverRaw(frame);
    restarts.failed(reason, ranMs);
  }

  function restart(): void {
    try {
      start();
    } catch (error) {
      // No thread can be started now, which is no reason to end calls.
      onThreadLost(errorText(error));
    }
  }

  function endThread(reason: string): void {
    void worker?.thread.terminate();
    onThreadLost(reason);
  }

  function sendBatch(): void {
    gathering?.cancel();
    gathering = null;
    if (closed || !worker || !ready || inFlight.length > 0 || pending.length === 0) return;
    const { memory, thread } = worker;
    inFlight = pending.slice(0, MAX_BATCH);
    for (const [row, { stream, samples }] of inFlight.entries()) {
      memory.streams[row] = stream.id;
      memory.samples.set(samples, row * ROW_SAMPLES);
    }
    stats.batches++;
    thread.post({ count: inFlight.length });
  }

  function finish(memory: DenoiseMemory): void {
    const batch = inFlight;
    inFlight = [];
    stuckSinceMs = null;
    for (const [row, frame] of batch.entries()) {
      if (frame.delivered) continue;
      pending.shift();
      const first = row * ROW_SAMPLES;
      frame.samples.set(memory.samples.subarray(first, first + frame.samples.length));
      deliver(frame, frame.atMs - frame.stream.delayMs);
    }
  }

  function deliver(frame: PendingFrame, endMs: number): void {
    frame.delivered = true;
    const { stream, samples } = frame;
    if (!stream.closed) {
      try {
        stream.listener(samples, endMs);
      } catch (error) {
        // An error in one call must not affect the others.
        log.error({ error: errorText(error) }, 'denoised audio listener failed');
      }
    }
    if (stream.spare.length < MAX_SPARE) stream.spare.push(samples);
  }

  function deliverRaw(frame: PendingFrame): void {
    stats.raw++;
    deliver(frame, frame.atMs);
  }

  /** Delivers frames that are overdue; one timer for all frames. */
  function checkDeadlines(): void {
    deadline = null;
    while (pending[0] && clock.now() - pending[0].pushedMs >= DENOISE_DEADLINE_MS) deliverRaw(pending.shift()!);
    // Frames behind a late batch would be late as well.
    if (isStuck()) {
      stuckSinceMs ??= clock.now();
      for (const frame of pending.splice(0)) deliverRaw(frame);
    }
    if (pending[0]) deadline = clock.after(pending[0].pushedMs + DENOISE_DEADLINE_MS - clock.now(), checkDeadlines);
  }

  /** The batch in flight is overdue and still not back. */
  function isStuck(): boolean {
    return inFlight[0]?.delivered === true;
  }

  function isHung(): boolean {
    return stuckSinceMs !== null && clock.now() - stuckSinceMs >= HUNG_AFTER_MS;
  }

  start();
  return {
    stats,
    worker: {
      name: NAME,
      get running() {
        return ready;
      },
      get restarts() {
        return restarts.count;
      },
    },
    open(strength, rateHz, listener) {
      if (!(strength >= 0 && strength <= 100)) throw new RangeError(`strength ${strength} is not in 0 to 100`);
      if (frameSamples(rateHz) > ROW_SAMPLES) throw new RangeError(`no noise cancellation at ${rateHz} Hz`);
      const delayMs = denoiserDelayMs(rateHz);
      const stream: Stream = { id: nextId++, strength, rateHz, delayMs, spare: [], listener, closed: false };
      if (strength > 0) {
        streams.set(stream.id, stream);
        if (ready) worker?.thread.post({ open: stream.id, strength, rateHz });
      }
      return {
        push(samples, atMs) {
          if (stream.closed || closed) return;
          stats.frames++;
          if (strength === 0) return void listener(samples, atMs);
          if (isHung()) endThread(`no answer within ${HUNG_AFTER_MS} ms`);
          const own = stream.spare.pop() ?? new Int16Array(frameSamples(rateHz));
          own.set(samples);
          const frame: PendingFrame = { stream, samples: own, atMs, pushedMs: clock.now(), delivered: false };
          if (!ready || isStuck()) return deliverRaw(frame);
          pending.push(frame);
          deadline ??= clock.after(DENOISE_DEADLINE_MS, checkDeadlines);
          if (inFlight.length > 0) return;
          if (pending.length >= MAX_BATCH) sendBatch();
          else if (streams.size > MAX_STREAMS_WITHOUT_GATHERING) gathering ??= clock.after(GATHER_MS, sendBatch);
          else gathering ??= afterPendingInput(sendBatch);
        },
        close() {
          if (stream.closed) return;
          stream.closed = true;
          if (streams.delete(stream.id) && ready) worker?.thread.post({ close: stream.id });
        },
      };
    },
    close() {
      closed = true;
      deadline?.cancel();
      restarts.cancel();
      loadDeadline?.cancel();
      gathering?.cancel();
      pending.length = 0;
      streams.clear();
      void worker?.thread.terminate();
    },
  };
}

/** Runs after the input that has already arrived was read. */
function afterPendingInput(run: () => void): { cancel(): void } {
  const immediate = setImmediate(run);
  return { cancel: () => clearImmediate(immediate) };
}
