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
export const CLEAN_WITHIN_MS = 40;
/** Beyond so many streams frames wait a little for each other: a message costs as much as a tenth of a frame. */
const FEW_STREAMS = 8;
const GATHER_MS = 5;
/** A thread that died is started again this much later. */
const RESTART_MS = 5_000;
const LOAD_WAIT_MS = 30_000;

/** What is shared with the thread: of row n, whose frame it is, and 160 samples that are cleaned where they lie. */
export interface DenoiseMemory {
  streams: Int32Array;
  samples: Int16Array;
}

/** To the thread, in order. `count` rows are ready; the answer is `count` when they are clean. */
export type DenoiseOrder = { open: number; strength: number } | { close: number } | { count: number };
/** `ready` tells how late a cleaned sound comes, by strength above 0. */
export type DenoiseAnswer = { ready: number } | { count: number };

/** The other thread, as far as this one sees it. */
export interface DenoiseWorker {
  readonly memory: DenoiseMemory;
  post(order: DenoiseOrder): void;
  /** Never tells anything again. */
  stop(): void;
}

export interface DenoiseWorkerListener {
  answer(answer: DenoiseAnswer): void;
  gone(reason: string): void;
}

/**
 * The stream's next frame, in order: 160 samples, only valid during the call. `endMs` is when its last sample came in: a
 * cleaned sound lies `delayMs` behind what was pushed.
 */
export type CleanListener = (samples: Int16Array, endMs: number) => void;

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

export interface Denoising {
  /** `strength` as in `createDenoiser`; at 0 frames are told at once, as they came. Throws RangeError outside 0 to 100. */
  open(strength: number, listener: CleanListener): DenoiseStream;
  readonly stats: Readonly<DenoiseStats>;
  close(): void;
}

interface Stream {
  id: number;
  strength: number;
  listener: CleanListener;
  closed: boolean;
}

interface Waiting {
  stream: Stream;
  samples: Int16Array;
  atMs: number;
  pushedMs: number;
  /** It went on uncleaned while the thread had it. */
  told: boolean;
}

/** Starts the thread. Rejects when the model cannot be loaded within 30 seconds. */
export async function loadDenoising(options: { clock: Clock; log: Logger }): Promise<Denoising> {
  const { clock } = options;
  let settle: (problem: string | null) => void = () => {};
  const loaded = new Promise<void>((resolve, reject) => {
    settle = (problem) => (problem === null ? resolve() : reject(new Error(problem)));
  });
  const denoising = createDenoising({
    ...options,
    start: (listener) =>
      startWorker({
        answer(answer) {
          listener.answer(answer);
          if ('ready' in answer) settle(null);
        },
        gone(reason) {
          listener.gone(reason);
          settle(reason);
        },
      }),
  });
  const deadline = clock.after(LOAD_WAIT_MS, () => settle('the noise canceller did not load in time'));
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

export function createDenoising(options: {
  start(listener: DenoiseWorkerListener): DenoiseWorker;
  clock: Clock;
  log: Logger;
}): Denoising {
  const { clock, log } = options;
  const stats: DenoiseStats = { frames: 0, batches: 0, raw: 0, restarts: 0 };
  const streams = new Map<number, Stream>();
  /** Frames of all streams that were not told yet, in the order of their coming; the first are in the thread. */
  const waiting: Waiting[] = [];
  /** The batch in the thread; what of it is told does not wait any more. */
  let flying: Waiting[] = [];
  /** Arrays to be used again. */
  const spare: Int16Array[] = [];
  let worker: DenoiseWorker | null = null;
  let delayMs = 0;
  let ready = false;
  let soon: { cancel(): void } | null = null;
  let deadline: Timer | null = null;
  let restart: Timer | null = null;
  let nextId = 1;
  let closed = false;

  function begin(): void {
    let gone = false;
    const started = options.start({
      answer(answer) {
        if (gone || closed) return;
        if ('ready' in answer) {
          delayMs = answer.ready;
          ready = true;
          for (const { id, strength } of streams.values()) started.post({ open: id, strength });
        } else {
          finish(started.memory);
        }
        send();
      },
      gone(reason) {
        if (gone || closed) return;
        gone = true;
        lost(reason);
      },
    });
    worker = started;
  }

  function lost(reason: string): void {
    log.error({ reason }, 'the thread of noise cancellation is gone; callers are heard with their noise');
    worker = null;
    ready = false;
    flying = [];
    for (const frame of waiting.splice(0)) tellRaw(frame);
    restart = clock.after(RESTART_MS, beginAgain);
  }

  function beginAgain(): void {
    stats.restarts++;
    try {
      begin();
    } catch (error) {
      // This machine gives no thread now: no reason to end the calls.
      lost(errorText(error));
    }
  }

  /** What gathered goes over when the thread is free. */
  function send(): void {
    soon?.cancel();
    soon = null;
    if (closed || !worker || !ready || flying.length > 0 || waiting.length === 0) return;
    const { memory } = worker;
    flying = waiting.slice(0, MAX_BATCH);
    for (const [row, { stream, samples }] of flying.entries()) {
      memory.streams[row] = stream.id;
      memory.samples.set(samples, row * FRAME_SAMPLES);
    }
    stats.batches++;
    worker.post({ count: flying.length });
  }

  function finish(memory: DenoiseMemory): void {
    const batch = flying;
    flying = [];
    for (const [row, frame] of batch.entries()) {
      // What went on uncleaned has left the line already.
      if (frame.told) continue;
      waiting.shift();
      frame.samples.set(memory.samples.subarray(row * FRAME_SAMPLES, (row + 1) * FRAME_SAMPLES));
      tell(frame, frame.atMs - delayMs);
    }
  }

  function tell(frame: Waiting, endMs: number): void {
    frame.told = true;
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

  function tellRaw(frame: Waiting): void {
    stats.raw++;
    tell(frame, frame.atMs);
  }

  /** Lets go what has waited too long; one timer for all frames. */
  function watch(): void {
    deadline = null;
    while (waiting[0] && clock.now() - waiting[0].pushedMs >= CLEAN_WITHIN_MS) tellRaw(waiting.shift()!);
    // What gathered behind a batch that is late would be late in its turn.
    if (stuck()) for (const frame of waiting.splice(0)) tellRaw(frame);
    if (waiting[0]) deadline = clock.after(waiting[0].pushedMs + CLEAN_WITHIN_MS - clock.now(), watch);
  }

  /** The thread has had its time for a batch, and has not answered yet. */
  function stuck(): boolean {
    return flying[0]?.told === true;
  }

  begin();
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
          const frame: Waiting = { stream, samples: own, atMs, pushedMs: clock.now(), told: false };
          if (!ready || stuck()) return tellRaw(frame);
          waiting.push(frame);
          deadline ??= clock.after(CLEAN_WITHIN_MS, watch);
          if (flying.length > 0) return;
          if (waiting.length >= MAX_BATCH) send();
          else soon ??= streams.size > FEW_STREAMS ? clock.after(GATHER_MS, send) : inAMoment(send);
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
      soon?.cancel();
      waiting.length = 0;
      streams.clear();
      worker?.stop();
    },
  };
}

/** When everything that has come in by now was read. */
function inAMoment(run: () => void): { cancel(): void } {
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
  worker.on('message', (answer: DenoiseAnswer) => {
    if (!over) listener.answer(answer);
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
