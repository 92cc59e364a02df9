import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { FRAME_SAMPLES } from './format.ts';

/**
 * Noise cancellation for all calls of the process in one thread of its own: 0.4 ms of computing for every 20 ms of a call
 * are too much for the thread that carries the sound. Frames that come in together go over together; while the thread
 * works, the next ones gather. The sound never waits long: a frame that is not back in time goes on as it came.
 */

/** Frames of one batch, in the memory both threads see. */
export const MAX_BATCH = 64;
/** A frame that is not back by then goes on with its noise. */
export const DENOISE_DEADLINE_MS = 40;
/** Beyond so many streams frames wait a little for each other: a message costs as much as a tenth of a frame. */
const MAX_STREAMS_WITHOUT_GATHERING = 8;
const GATHER_MS = 5;
/** A thread that died is started again this much later. */
const RESTART_MS = 5_000;
const LOAD_TIMEOUT_MS = 30_000;

/** What is shared with the thread: of row n, whose frame it is, and 160 samples that are cleaned where they lie. */
export interface DenoiseMemory {
  streams: Int32Array;
  samples: Int16Array;
}

/** To the thread, in order. `count` rows are ready; the answer is `count` when they are clean. */
export type DenoiseCommand = { open: number; strength: number } | { close: number } | { count: number };
/** `ready` tells how late a cleaned sound comes, by strength above 0. */
export type DenoiseReply = { ready: number } | { count: number };

/** The other thread, as far as this one sees it. */
export interface DenoiseWorker {
  readonly memory: DenoiseMemory;
  post(order: DenoiseCommand): void;
  /** Never tells anything again. */
  stop(): void;
}

export interface DenoiseWorkerListener {
  reply(reply: DenoiseReply): void;
  gone(reason: string): void;
}

/**
 * The stream's next frame, in order: 160 samples, only valid during the call. `endMs` is when its last sample came in: a
 * cleaned sound lies `delayMs` behind what was pushed.
 */
export type DenoisedFrameListener = (samples: Int16Array, endMs: number) => void;

export interface DenoiseStream {
  /** The next 20 ms, 160 samples at 8 kHz; nothing is kept of the array. `atMs`: when the last of them came in. */
  push(samples: Int16Array, atMs: number): void;
  /** What is under way is not told any more. Idempotent. */
  close(): void;
}

export interface DenoiseStats {
  frames: number;
  batches: number;
  /** Frames that went on uncleaned because the thread was late, or gone. */
  raw: number;
  restarts: number;
}

export interface DenoiseThread {
  /** `strength` as in `createDenoiser`; at 0 frames are told at once, as they came. Throws RangeError outside 0 to 100. */
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
  /** It went on uncleaned while the thread had it. */
  delivered: boolean;
}

/** Starts the thread. Rejects when the model cannot be loaded within 30 seconds. */
export async function loadDenoiseThread(options: { clock: Clock; log: Logger }): Promise<DenoiseThread> {
  const { clock } = options;
  let settle: (problem: string | null) => void = () => {};
  const loaded = new Promise<void>((resolve, reject) => {
    settle = (problem) => (problem === null ? resolve() : reject(new Error(problem)));
  });
  const denoising = createDenoiseThread({
    ...options,
    start: (listener) =>
      startWorker({
        reply(answer) {
          listener.reply(answer);
          if ('ready' in answer) settle(null);
        },
        gone(reason) {
          listener.gone(reason);
          settle(reason);
        },
      }),
  });
  const deadline = clock.after(LOAD_TIMEOUT_MS, () => settle('the noise canceller did not load in time'));
  try {
    await loaded;
  } catch (error) {
    denoising.close();
    throw error;
  } finally {
    deadline.cancel();
  }
  return denoising;
}

export function createDenoiseThread(options: {
  start(listener: DenoiseWorkerListener): DenoiseWorker;
  clock: Clock;
  log: Logger;
}): DenoiseThread {
  const { clock, log } = options;
  const stats: DenoiseStats = { frames: 0, batches: 0, raw: 0, restarts: 0 };
  const streams = new Map<number, Stream>();
  /** Frames of all streams that were not told yet, in the order of their coming; the first are in the thread. */
  const pending: PendingFrame[] = [];
  /** The batch in the thread; what of it is told does not wait any more. */
  let inFlight: PendingFrame[] = [];
  /** Arrays to be used again. */
  const spare: Int16Array[] = [];
  let worker: DenoiseWorker | null = null;
  let delayMs = 0;
  let ready = false;
  let sendTimer: { cancel(): void } | null = null;
  let deadline: Timer | null = null;
  let restart: Timer | null = null;
  let nextId = 1;
  let closed = false;

  function startThread(): void {
    let gone = false;
    const started = options.start({
      reply(answer) {
        if (gone || closed) return;
        if ('ready' in answer) {
          delayMs = answer.ready;
          ready = true;
          for (const { id, strength } of streams.values()) started.post({ open: id, strength });
        } else {
          deliverBatch(started.memory);
        }
        send();
      },
      gone(reason) {
        if (gone || closed) return;
        gone = true;
        onThreadLost(reason);
      },
    });
    worker = started;
  }

  function onThreadLost(reason: string): void {
    log.error({ reason }, 'the thread of noise cancellation is gone; callers are heard with their noise');
    worker = null;
    ready = false;
    inFlight = [];
    for (const frame of pending.splice(0)) deliverRaw(frame);
    restart = clock.after(RESTART_MS, restartThread);
  }

  function restartThread(): void {
    stats.restarts++;
    try {
      startThread();
    } catch (error) {
      // This machine gives no thread now: no reason to end the calls.
      onThreadLost(errorText(error));
    }
  }

  /** What gathered goes over when the thread is free. */
  function send(): void {
    sendTimer?.cancel();
    sendTimer = null;
    if (closed || !worker || !ready || inFlight.length > 0 || pending.length === 0) return;
    const { memory } = worker;
    inFlight = pending.slice(0, MAX_BATCH);
    for (const [row, { stream, samples }] of inFlight.entries()) {
      memory.streams[row] = stream.id;
      memory.samples.set(samples, row * FRAME_SAMPLES);
    }
    stats.batches++;
    worker.post({ count: inFlight.length });
  }

  function deliverBatch(memory: DenoiseMemory): void {
    const batch = inFlight;
    inFlight = [];
    for (const [row, frame] of batch.entries()) {
      // What went on uncleaned has left the line already.
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
        // One call's mistake is not the other calls' loss.
        log.error({ reason: errorText(error) }, 'a listener of cleaned sound failed');
      }
    }
    if (spare.length < MAX_BATCH) spare.push(samples);
  }

  function deliverRaw(frame: PendingFrame): void {
    stats.raw++;
    deliver(frame, frame.atMs);
  }

  /** Lets go what has waited too long; one timer for all frames. */
  function expirePending(): void {
    deadline = null;
    while (pending[0] && clock.now() - pending[0].pushedMs >= DENOISE_DEADLINE_MS) deliverRaw(pending.shift()!);
    // What gathered behind a batch that is late would be late in its turn.
    if (stuck()) for (const frame of pending.splice(0)) deliverRaw(frame);
    if (pending[0]) deadline = clock.after(pending[0].pushedMs + DENOISE_DEADLINE_MS - clock.now(), expirePending);
  }

  /** The thread has had its time for a batch, and has not answered yet. */
  function stuck(): boolean {
    return inFlight[0]?.delivered === true;
  }

  startThread();
  return {
    stats,
    open(strength, listener) {
      if (!(strength >= 0 && strength <= 100)) throw new RangeError(`a strength of ${strength}`);
      const stream: Stream = { id: nextId++, strength, listener, closed: false };
      if (strength > 0) {
        streams.set(stream.id, stream);
        if (ready) worker?.post({ open: stream.id, strength });
      }
      return {
        push(samples, atMs) {
          if (stream.closed || closed) return;
          stats.frames++;
          if (strength === 0) return void listener(samples, atMs);
          const own = spare.pop() ?? new Int16Array(FRAME_SAMPLES);
          own.set(samples);
          const frame: PendingFrame = { stream, samples: own, atMs, pushedMs: clock.now(), delivered: false };
          if (!ready || stuck()) return deliverRaw(frame);
          pending.push(frame);
          deadline ??= clock.after(DENOISE_DEADLINE_MS, expirePending);
          if (inFlight.length > 0) return;
          if (pending.length >= MAX_BATCH) send();
          else
            sendTimer ??=
              streams.size > MAX_STREAMS_WITHOUT_GATHERING ? clock.after(GATHER_MS, send) : afterPendingInput(send);
        },
        close() {
          if (stream.closed) return;
          stream.closed = true;
          if (streams.delete(stream.id) && ready) worker?.post({ close: stream.id });
        },
      };
    },
    close() {
      closed = true;
      deadline?.cancel();
      restart?.cancel();
      sendTimer?.cancel();
      pending.length = 0;
      streams.clear();
      worker?.stop();
    },
  };
}

/** When everything that has come in by now was read. */
function afterPendingInput(run: () => void): { cancel(): void } {
  const moment = setImmediate(run);
  return { cancel: () => clearImmediate(moment) };
}

function startWorker(listener: DenoiseWorkerListener): DenoiseWorker {
  const memory: DenoiseMemory = {
    streams: new Int32Array(new SharedArrayBuffer(MAX_BATCH * Int32Array.BYTES_PER_ELEMENT)),
    samples: new Int16Array(new SharedArrayBuffer(MAX_BATCH * FRAME_SAMPLES * Int16Array.BYTES_PER_ELEMENT)),
  };
  const worker = new Worker(new URL('./denoise-worker.ts', import.meta.url), { workerData: memory, name: 'denoise' });
  // It holds nothing that must be put in order: the process need not wait for it.
  worker.unref();
  let over = false;
  const gone = (reason: string) => {
    if (over) return;
    over = true;
    listener.gone(reason);
  };
  worker.on('message', (answer: DenoiseReply) => {
    if (!over) listener.reply(answer);
  });
  worker.on('error', (error) => gone(errorText(error)));
  worker.on('exit', (code) => gone(`it ended with code ${code}`));
  return {
    memory,
    post: (order) => worker.postMessage(order),
    stop() {
      over = true;
      void worker.terminate();
    },
  };
}
