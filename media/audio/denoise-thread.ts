import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { startThread, type Thread, type ThreadListener } from '../../shared/worker-thread.ts';
import { FRAME_SAMPLES } from './format.ts';

/**
 * Noise cancellation for all calls of the process in one worker thread: 0.4 ms of computing for every 20 ms of a call is too
 * much for the thread that carries audio. Frames are sent in batches; while the thread works, the next batch fills. A frame
 * that is not denoised in time is delivered as it came in.
 */

/** Frames of one batch, in the shared memory. */
export const MAX_BATCH = 64;
/** A frame not denoised within this time is delivered with its noise. */
export const DENOISE_DEADLINE_MS = 40;
/** With more streams than this, frames wait up to GATHER_MS for a fuller batch: a message costs a tenth of a frame. */
const MAX_STREAMS_WITHOUT_GATHERING = 8;
const GATHER_MS = 5;
/** A thread that exited is restarted after this long. */
const RESTART_MS = 5_000;
const LOAD_TIMEOUT_MS = 30_000;

/** Memory shared with the thread. Row n: the stream's id, and 160 samples that are denoised in place. */
export interface DenoiseMemory {
  streams: Int32Array;
  samples: Int16Array;
}

/** To the thread, in order. `count`: that many rows are filled; the reply is `count` when they are denoised. */
export type DenoiseCommand = { open: number; strength: number } | { close: number } | { count: number };
/** `ready`: the delay of denoised audio in ms, for strengths above 0. */
export type DenoiseReply = { ready: number } | { count: number };

export interface DenoiseWorker {
  readonly memory: DenoiseMemory;
  readonly thread: Thread<DenoiseCommand>;
}

/**
 * Takes the stream's next frame, in order: 160 samples, only valid during the call. `endMs` is when its last sample came in;
 * denoised audio is delayed by a few ms against what was pushed.
 */
export type DenoisedFrameListener = (samples: Int16Array, endMs: number) => void;

export interface DenoiseStream {
  /** The next 20 ms, 160 samples at 8 kHz; the array is not kept. `atMs`: when the last of them came in. */
  push(samples: Int16Array, atMs: number): void;
  /** Frames in flight are not delivered any more. Idempotent. */
  close(): void;
}

export interface DenoiseStats {
  frames: number;
  batches: number;
  /** Frames delivered with their noise because the thread was late or had exited. */
  raw: number;
  restarts: number;
}

export interface DenoiseThread {
  /** `strength` as in `createDenoiser`; at 0 frames are delivered at once. Throws RangeError outside 0 to 100. */
  open(strength: number, listener: DenoisedFrameListener): DenoiseStream;
  readonly stats: Readonly<DenoiseStats>;
  close(): void;
}

interface Stream {
  id: number;
  strength: number;
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
export async function loadDenoiseThread(options: { clock: Clock; log: Logger }): Promise<DenoiseThread> {
  const loaded = Promise.withResolvers<void>();
  const denoising = createDenoiseThread({
    ...options,
    start: ({ onMessage, onExit }) =>
      startWorker({
        onMessage(reply) {
          onMessage(reply);
          if ('ready' in reply) loaded.resolve();
        },
        onExit(reason) {
          onExit(reason);
          loaded.reject(new Error(reason));
        },
      }),
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
  const stats: DenoiseStats = { frames: 0, batches: 0, raw: 0, restarts: 0 };
  const streams = new Map<number, Stream>();
  /** Undelivered frames of all streams in the order they came in; the first ones are in flight. */
  const pending: PendingFrame[] = [];
  /** The batch in the thread; those of it that were delivered raw are no longer in `pending`. */
  let inFlight: PendingFrame[] = [];
  /** Sample arrays for reuse. */
  const spare: Int16Array[] = [];
  let worker: DenoiseWorker | null = null;
  let delayMs = 0;
  let ready = false;
  let gathering: { cancel(): void } | null = null;
  let deadline: Timer | null = null;
  let restartTimer: Timer | null = null;
  let nextId = 1;
  let closed = false;

  function start(): void {
    let exited = false;
    const started = options.start({
      onMessage(reply) {
        if (exited || closed) return;
        if ('ready' in reply) {
          delayMs = reply.ready;
          ready = true;
          for (const { id, strength } of streams.values()) started.thread.post({ open: id, strength });
        } else {
          finish(started.memory);
        }
        sendBatch();
      },
      onExit(reason) {
        if (exited || closed) return;
        exited = true;
        onThreadLost(reason);
      },
    });
    worker = started;
  }

  function onThreadLost(reason: string): void {
    log.error({ reason }, 'noise cancellation thread exited; audio continues with its noise');
    worker = null;
    ready = false;
    inFlight = [];
    for (const frame of pending.splice(0)) deliverRaw(frame);
    restartTimer = clock.after(RESTART_MS, restart);
  }

  function restart(): void {
    stats.restarts++;
    try {
      start();
    } catch (error) {
      // No thread can be started now, which is no reason to end calls.
      onThreadLost(errorText(error));
    }
  }

  function sendBatch(): void {
    gathering?.cancel();
    gathering = null;
    if (closed || !worker || !ready || inFlight.length > 0 || pending.length === 0) return;
    const { memory, thread } = worker;
    inFlight = pending.slice(0, MAX_BATCH);
    for (const [row, { stream, samples }] of inFlight.entries()) {
      memory.streams[row] = stream.id;
      memory.samples.set(samples, row * FRAME_SAMPLES);
    }
    stats.batches++;
    thread.post({ count: inFlight.length });
  }

  function finish(memory: DenoiseMemory): void {
    const batch = inFlight;
    inFlight = [];
    for (const [row, frame] of batch.entries()) {
      if (frame.delivered) continue;
      pending.shift();
      frame.samples.set(memory.samples.subarray(row * FRAME_SAMPLES, (row + 1) * FRAME_SAMPLES));
      deliver(frame, frame.atMs - delayMs);
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
    if (spare.length < MAX_BATCH) spare.push(samples);
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
    if (isStuck()) for (const frame of pending.splice(0)) deliverRaw(frame);
    if (pending[0]) deadline = clock.after(pending[0].pushedMs + DENOISE_DEADLINE_MS - clock.now(), checkDeadlines);
  }

  /** The batch in flight is overdue and still not back. */
  function isStuck(): boolean {
    return inFlight[0]?.delivered === true;
  }

  start();
  return {
    stats,
    open(strength, listener) {
      if (!(strength >= 0 && strength <= 100)) throw new RangeError(`strength ${strength} is not in 0 to 100`);
      const stream: Stream = { id: nextId++, strength, listener, closed: false };
      if (strength > 0) {
        streams.set(stream.id, stream);
        if (ready) worker?.thread.post({ open: stream.id, strength });
      }
      return {
        push(samples, atMs) {
          if (stream.closed || closed) return;
          stats.frames++;
          if (strength === 0) return void listener(samples, atMs);
          const own = spare.pop() ?? new Int16Array(FRAME_SAMPLES);
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
      restartTimer?.cancel();
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

function startWorker(listener: ThreadListener<DenoiseReply>): DenoiseWorker {
  const memory: DenoiseMemory = {
    streams: new Int32Array(new SharedArrayBuffer(MAX_BATCH * Int32Array.BYTES_PER_ELEMENT)),
    samples: new Int16Array(new SharedArrayBuffer(MAX_BATCH * FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT)),
  };
  const script = new URL('./denoise-worker.ts', import.meta.url);
  // The thread holds nothing that must be closed in order.
  const options = { workerData: memory, name: 'denoise', keepsProcessAlive: false };
  return { memory, thread: startThread<DenoiseCommand, DenoiseReply>(script, options, listener) };
}
