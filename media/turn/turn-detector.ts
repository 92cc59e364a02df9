import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { LINE_RATE } from '../audio/format.ts';

/**
 * A model that hears from the voice whether the caller's turn is over, of the shape of Smart Turn v3 (pipecat-ai/smart-turn,
 * BSD-2): an ONNX file with one input, float32 [batch, 80, 800], the log-mel features (`audio/log-mel.ts`) of the last 8 s
 * of the turn at 16 kHz with silence in front of shorter ones, and one output, the probability that the turn is over.
 *
 * One thread for all calls, one question at a time. An answer that would come late is not given, and a question that
 * waited too long is not asked: nobody waits for this model.
 */

/** What the model is given of the sound, and how much of it from before the turn. */
const INPUT_MS = 8_000;
const BEFORE_TURN_MS = 500;
const INPUT_SAMPLES = (INPUT_MS * LINE_RATE) / 1_000;
/** Later than this after the question the silence itself has answered. */
export const PREDICTION_DEADLINE_MS = 500;
const LOAD_WAIT_MS = 30_000;
const CLOSE_WAIT_MS = 2_000;

/** What is shared with the model's thread: the file, and `HEARD_SAMPLES` samples at 8 kHz, the last ones last. */
export interface TurnDetectorMemory {
  path: string;
  samples: Int16Array;
}

/** One question at a time: fill `samples`, then `run`. */
export interface TurnDetectorModel {
  readonly samples: Int16Array;
  /** The probability that the turn is over. Rejects when the model fails or is closed. */
  run(): Promise<number>;
  close(): Promise<void>;
}

/** One call's ear. */
export interface TurnDetectorStream {
  /** The caller's next samples, 8 kHz; `atMs` is when the last of them came in. Nothing is kept of the array. */
  push(samples: Int16Array, atMs: number): void;
  /**
   * Is the turn over that began at `sinceMs`? `answer` is called once within `ANSWER_WITHIN_MS`, or never. A new question
   * takes the place of the one before.
   */
  predict(sinceMs: number, answer: (probability: number) => void): void;
  /** No answer follows. Idempotent. */
  close(): void;
}

export interface TurnDetectorStats {
  requested: number;
  answered: number;
  /** Questions that were not asked, and answers not given, because they came too late. */
  late: number;
  failed: number;
}

export interface TurnDetector {
  open(): TurnDetectorStream;
  readonly stats: Readonly<TurnDetectorStats>;
  close(): Promise<void>;
}

/**
 * Loads the model, once for the process. Rejects, with words for an operator, when there is no such file or the file
 * is no such model.
 */
export async function loadTurnDetector(options: { path: string; clock: Clock; log: Logger }): Promise<TurnDetector> {
  return createTurnDetector({ ...options, judge: await loadTurnDetectorModel(options.path, options.clock) });
}

interface PredictionRequest {
  requestedMs: number;
  sinceMs: number;
  onResult: (probability: number) => void;
}

interface Stream {
  ring: Int16Array;
  /** Samples ever heard, and when the last of them came in. */
  received: number;
  receivedMs: number;
  request: PredictionRequest | null;
}

export function createTurnDetector(options: { judge: TurnDetectorModel; clock: Clock; log: Logger }): TurnDetector {
  const { judge, clock, log } = options;
  const stats: TurnDetectorStats = { requested: 0, answered: 0, late: 0, failed: 0 };
  /** Ears with a question that waits, in the order in which they asked. */
  const waiting = new Set<Stream>();
  let running = false;
  let failureTold = false;
  let closed = false;

  function next(): void {
    if (running || closed) return;
    for (const ear of waiting) {
      waiting.delete(ear);
      const { request: question } = ear;
      if (!question) continue;
      if (clock.now() - question.requestedMs >= PREDICTION_DEADLINE_MS) {
        ear.request = null;
        stats.late++;
        continue;
      }
      running = true;
      copyTurnAudio(ear, question.sinceMs, judge.samples);
      judge.run().then(
        (probability) => finish(ear, question, probability),
        (error: unknown) => {
          stats.failed++;
          if (!failureTold && !closed) log.error({ reason: errorText(error) }, 'the end-of-turn model failed');
          failureTold = true;
          finish(ear, question, null);
        },
      );
      return;
    }
  }

  function finish(ear: Stream, question: PredictionRequest, probability: number | null): void {
    running = false;
    if (ear.request === question) {
      ear.request = null;
      const late = clock.now() - question.requestedMs >= PREDICTION_DEADLINE_MS;
      if (late) stats.late++;
      else if (probability !== null) tell(question, probability);
    }
    next();
  }

  function tell(question: PredictionRequest, probability: number): void {
    stats.answered++;
    try {
      question.onResult(probability);
    } catch (error) {
      // One call's mistake is not the other calls' loss.
      log.error({ reason: errorText(error) }, 'a listener of the end-of-turn model failed');
    }
  }

  return {
    stats,
    open() {
      const ear: Stream = { ring: new Int16Array(INPUT_SAMPLES), received: 0, receivedMs: 0, request: null };
      let left = false;
      return {
        push(samples, atMs) {
          for (const sample of samples) ear.ring[ear.received++ % INPUT_SAMPLES] = sample;
          ear.receivedMs = atMs;
        },
        predict(sinceMs, answer) {
          if (left || closed) return;
          stats.requested++;
          ear.request = { requestedMs: clock.now(), sinceMs, onResult: answer };
          waiting.add(ear);
          next();
        },
        close() {
          left = true;
          ear.request = null;
          waiting.delete(ear);
        },
      };
    },
    async close() {
      closed = true;
      waiting.clear();
      await judge.close();
    },
  };
}

/** The turn's sound, at most its last 8 s, at the end of `target`; silence before it. */
function copyTurnAudio(ear: Stream, sinceMs: number, target: Int16Array): void {
  const wanted = Math.ceil(((ear.receivedMs - sinceMs + BEFORE_TURN_MS) * LINE_RATE) / 1_000);
  const count = Math.max(0, Math.min(wanted, ear.received, target.length));
  target.fill(0, 0, target.length - count);
  for (let back = count; back > 0; back--) {
    target[target.length - back] = ear.ring[(ear.received - back) % INPUT_SAMPLES]!;
  }
}

/** The model in a thread of its own. Rejects like `loadTurnModel`. */
export async function loadTurnDetectorModel(path: string, clock: Clock): Promise<TurnDetectorModel> {
  if (!existsSync(path)) throw new Error(`TURN_MODEL: there is no file ${path}`);
  const samples = new Int16Array(new SharedArrayBuffer(INPUT_SAMPLES * Int16Array.BYTES_PER_ELEMENT));
  const memory: TurnDetectorMemory = { path, samples };
  // Read from the process, not from a worker's copy.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  const worker = new Worker(new URL('./turn-detector-worker.ts', import.meta.url), {
    workerData: memory,
    name: 'turn-model',
  });
  let running: { resolve: (probability: number) => void; reject: (error: Error) => void } | null = null;
  let broken: Error | null = null;
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()));

  function settle(result: number | Error): void {
    const asked = running;
    running = null;
    if (result instanceof Error) asked?.reject(result);
    else asked?.resolve(result);
  }
  function breakDown(error: Error): void {
    broken ??= error;
    settle(broken);
  }
  worker.on('message', (message: number | string) => {
    if (message === 'ready') settle(0);
    else settle(typeof message === 'number' ? message : new Error(message));
  });
  worker.on('error', (error) => breakDown(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => breakDown(new Error('the thread of the end-of-turn model is gone')));

  const loading = clock.after(LOAD_WAIT_MS, () => settle(new Error('it did not load in time')));
  try {
    await new Promise<number>((resolve, reject) => {
      running = { resolve, reject };
    });
  } catch (error) {
    await worker.terminate();
    throw new Error(`TURN_MODEL: ${path} is no end-of-turn model: ${errorText(error)}`);
  } finally {
    loading.cancel();
  }

  return {
    samples,
    run() {
      if (broken) return Promise.reject(broken);
      return new Promise((resolve, reject) => {
        running = { resolve, reject };
        worker.postMessage('judge');
      });
    },
    async close() {
      broken ??= new Error('closed');
      worker.postMessage('close');
      const timer: Timer = clock.after(CLOSE_WAIT_MS, () => void worker.terminate());
      await exited;
      timer.cancel();
    },
  };
}
