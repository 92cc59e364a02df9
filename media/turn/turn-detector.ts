import { existsSync } from 'node:fs';
import type { Clock } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { keepRunning, type WorkerStatus } from '../../shared/restarting-worker.ts';
import { startRequestThread } from '../../shared/worker-thread.ts';
import { LINE_RATE } from '../audio/format.ts';

/**
 * Predicts from the audio of a turn whether it is over, with a model of the shape of Smart Turn v3 (pipecat-ai/smart-turn,
 * BSD-2): an ONNX file with one input, float32 [batch, 80, 800], the log-mel features (`audio/log-mel.ts`) of the last 8 s
 * of the turn at 16 kHz with silence in front of shorter ones, and one output, the probability that the turn is over.
 *
 * All calls share one thread, which computes one prediction at a time. Late results are dropped, and so are requests that
 * have waited too long: no turn waits for the model. While it is restarted there are no predictions, and turns end by their words.
 */

/** The model's input, and how much audio before the turn is part of it. */
const INPUT_MS = 8_000;
const BEFORE_TURN_MS = 500;
const INPUT_SAMPLES = (INPUT_MS * LINE_RATE) / 1_000;
/** After this long the silence itself has ended the turn. */
export const PREDICTION_DEADLINE_MS = 500;
/** A model that takes longer is taken for hung: a prediction takes 40 ms, and on a busy machine a second. */
const RUN_DEADLINE_MS = 10_000;

/** Memory shared with the model's thread: the model's path, and `INPUT_SAMPLES` samples at 8 kHz, the newest last. */
export interface TurnDetectorMemory {
  path: string;
  samples: Int16Array;
}

/** One prediction at a time: fill `samples`, then `run`. */
export interface TurnDetectorModel {
  readonly samples: Int16Array;
  /** The probability that the turn is over. Rejects when the model fails or is closed. */
  run(): Promise<number>;
  close(): Promise<void>;
}

/** The audio and predictions of one call. */
export interface TurnDetectorStream {
  /** The caller's next samples at 8 kHz; `atMs` is when the last of them came in. The array is not kept. */
  push(samples: Int16Array, atMs: number): void;
  /**
   * Requests the probability that the turn begun at `turnStartMs` is over. `onResult` is called once within
   * `PREDICTION_DEADLINE_MS`, or never. A new request replaces the one before.
   */
  predict(turnStartMs: number, onResult: (probability: number) => void): void;
  /** No result follows. Idempotent. */
  close(): void;
}

export interface TurnDetectorStats {
  requested: number;
  answered: number;
  /** Requests and results dropped because they were late. */
  late: number;
  /** Predictions that failed, and requests that found no model running. */
  failed: number;
}

export interface TurnDetector {
  open(): TurnDetectorStream;
  readonly stats: Readonly<TurnDetectorStats>;
  close(): Promise<void>;
}

/** A turn detector whose model is restarted when it fails. */
export interface RestartingTurnDetector extends TurnDetector {
  readonly worker: WorkerStatus;
}

/**
 * Loads the model, once per process, and again when it fails. Rejects, with a message for the operator, when the file is missing or
 * no such model.
 */
export async function loadTurnDetector(options: {
  path: string;
  clock: Clock;
  log: Logger;
  script?: URL;
}): Promise<RestartingTurnDetector> {
  const restart = () => loadTurnDetectorModel(options.path, options.clock, options.script);
  return createTurnDetector({ ...options, model: await restart(), restart });
}

interface PredictionRequest {
  requestedMs: number;
  turnStartMs: number;
  onResult: (probability: number) => void;
}

interface Stream {
  ring: Int16Array;
  /** Number of samples received so far, and when the last of them came in. */
  received: number;
  receivedMs: number;
  request: PredictionRequest | null;
}

export function createTurnDetector(options: {
  model: TurnDetectorModel;
  /** Starts another model when this one has failed; else it is tried again. */
  restart?: () => Promise<TurnDetectorModel>;
  clock: Clock;
  log: Logger;
}): RestartingTurnDetector {
  const { clock, log } = options;
  const start = options.restart ?? (async () => options.model);
  const worker = keepRunning({ name: 'turn detector', worker: options.model, start, clock, log });
  const stats: TurnDetectorStats = { requested: 0, answered: 0, late: 0, failed: 0 };
  /** Streams with a waiting request, in the order of the requests. */
  const waiting = new Set<Stream>();
  let running = false;
  let closed = false;

  const isLate = ({ requestedMs }: PredictionRequest) => clock.now() - requestedMs >= PREDICTION_DEADLINE_MS;

  function runNext(): void {
    if (running || closed) return;
    for (const stream of waiting) {
      waiting.delete(stream);
      const { request } = stream;
      if (!request) continue;
      const model = worker.current;
      if (!model) {
        stream.request = null;
        stats.failed++;
        continue;
      }
      if (isLate(request)) {
        stream.request = null;
        stats.late++;
        continue;
      }
      running = true;
      copyTurnAudio(stream, request.turnStartMs, model.samples);
      worker.request(model, model.run(), RUN_DEADLINE_MS).then(
        (probability) => finish(stream, request, probability),
        () => finish(stream, request, null),
      );
      return;
    }
  }

  function finish(stream: Stream, request: PredictionRequest, probability: number | null): void {
    running = false;
    if (stream.request === request) {
      stream.request = null;
      if (probability === null) stats.failed++;
      else if (isLate(request)) stats.late++;
      else deliver(request, probability);
    }
    runNext();
  }

  function deliver(request: PredictionRequest, probability: number): void {
    stats.answered++;
    try {
      request.onResult(probability);
    } catch (error) {
      // An error in one call must not affect the others.
      log.error({ error: errorText(error) }, 'turn detector listener failed');
    }
  }

  return {
    stats,
    worker,
    open() {
      const stream: Stream = { ring: new Int16Array(INPUT_SAMPLES), received: 0, receivedMs: 0, request: null };
      let streamClosed = false;
      return {
        push(samples, atMs) {
          for (const sample of samples) stream.ring[stream.received++ % INPUT_SAMPLES] = sample;
          stream.receivedMs = atMs;
        },
        predict(turnStartMs, onResult) {
          if (streamClosed || closed) return;
          stats.requested++;
          stream.request = { requestedMs: clock.now(), turnStartMs, onResult };
          waiting.add(stream);
          runNext();
        },
        close() {
          streamClosed = true;
          stream.request = null;
          waiting.delete(stream);
        },
      };
    },
    async close() {
      closed = true;
      waiting.clear();
      await worker.close();
    },
  };
}

/** Writes the turn's audio, at most its last 8 s, to the end of `target`, and silence before it. */
function copyTurnAudio(stream: Stream, turnStartMs: number, target: Int16Array): void {
  const wanted = Math.ceil(((stream.receivedMs - turnStartMs + BEFORE_TURN_MS) * LINE_RATE) / 1_000);
  const count = Math.max(0, Math.min(wanted, stream.received, target.length));
  target.fill(0, 0, target.length - count);
  for (let back = count; back > 0; back--) {
    target[target.length - back] = stream.ring[(stream.received - back) % INPUT_SAMPLES]!;
  }
}

const WORKER_SCRIPT = new URL('./turn-detector-worker.ts', import.meta.url);

/** The model in a worker thread with memory of its own. Rejects like `loadTurnDetector`. */
export async function loadTurnDetectorModel(
  path: string,
  clock: Clock,
  script = WORKER_SCRIPT,
): Promise<TurnDetectorModel> {
  if (!existsSync(path)) throw new Error(`TURN_MODEL: there is no file ${path}`);
  const samples = new Int16Array(new SharedArrayBuffer(INPUT_SAMPLES * Int16Array.BYTES_PER_ELEMENT));
  const workerData: TurnDetectorMemory = { path, samples };
  // onnxruntime reads this variable from the process, not from a worker's copy.
  process.env.ORT_DISABLE_TELEMETRY = '1';
  try {
    const thread = await startRequestThread<null, number>(script, { name: 'turn-detector', workerData, clock });
    return { samples, run: () => thread.request(null), close: thread.close };
  } catch (error) {
    throw new Error(`TURN_MODEL: ${path} is no turn-detector model: ${errorText(error)}`);
  }
}
