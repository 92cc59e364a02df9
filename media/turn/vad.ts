import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { keepRunning, type WorkerStatus } from '../../shared/restarting-worker.ts';
import { LINE_RATE } from '../audio/format.ts';
import { speechByEnergy } from './energy-vad.ts';
import { type BatchModel, loadSilero, STATE_FLOATS } from './silero.ts';
import { checkLevel, newStream, type Stream } from './vad-stream.ts';
import { createVadWindows, MAX_WAITING_WINDOWS } from './vad-windows.ts';
import { periodicityOf } from './voicing.ts';

/**
 * With more streams than this, windows wait up to BATCH_WAIT_MS for a fuller batch: eight in one run cost the model a third of
 * eight runs, and both threads an eighth of the messages. A window's `endMs` is not affected.
 */
const FEW_STREAMS = 8;
const BATCH_WAIT_MS = 5;
/** The wait of windows that probably change nothing: of continuing speech, or of known noise. */
const RELAXED_BATCH_WAIT_MS = 15;
/** Without having caught up for this long, a stream drops its oldest windows … */
const BEHIND_MS = 480;
/** … as far as more than this many wait. */
const BEHIND_WINDOWS = 15;
/** A stream with so many waiting windows received a burst, which does not wait for fuller batches. */
const BURST_WINDOWS = 4;
/** As in `speech-state.ts`. */
const SPEECH_THRESHOLD = 0.5;
/** Below it the periodicity of a window is not needed (`speech-state.ts`). */
const POSSIBLE_SPEECH_THRESHOLD = 0.2;
const LAYER = STATE_FLOATS / 2;
/** A model that takes longer is taken for hung: a run of a full batch takes a few ms. Until then windows wait. */
const RUN_DEADLINE_MS = 500;

/**
 * Called for every 32 ms window of the stream, in order. See `VadStream.push` for `endMs`. `periodicity`: see `voicing.ts`; 0
 * for a window that is unlikely to be speech, silent, or noise (`noise-floor.ts`).
 */
export type VadListener = (probability: number, endMs: number, periodicity: number) => void;

export interface VadStream {
  /**
   * The caller's next samples, usually 20 ms; `atMs` is the monotonic moment the last of them came in. A window's
   * `endMs` is when its last sample came in, counted back from `atMs` in samples: windows are 32 ms apart however frames
   * and windows overlap, and never end in the future. The listener is called within this call (silence, noise) or about
   * 0.25 ms later, with many streams up to 5 ms, or 15 ms where no change is expected. `samples` is not kept.
   */
  push(samples: Int16Array, atMs: number): void;
  /** Windows that were not examined, because the stream was half a second behind. */
  readonly dropped: number;
  /** No result follows. Idempotent. */
  close(): void;
}

export interface VadStats {
  /** Windows the model was run on. */
  windows: number;
  batches: number;
  largestBatch: number;
  /** Windows that were no speech by their level alone. */
  gated: number;
  /** Windows that were not run, because the stream was half a second behind. */
  dropped: number;
  /** Windows judged by their level, because the model failed or was not running. */
  failed: number;
  /** Time spent waiting for the model, all batches together. */
  busyMs: number;
}

export interface Vad {
  /**
   * `rateHz`: of the samples that will be pushed, 8 kHz where not given. Throws RangeError for one that has no whole samples
   * in 32 ms.
   */
  open(listener: VadListener, rateHz?: number): VadStream;
  readonly stats: Readonly<VadStats>;
  /** Closes all streams and the model; streams opened afterwards give no results. Idempotent. */
  close(): Promise<void>;
}

/** Voice activity detection whose model is restarted when it fails; meanwhile windows are judged by their level (`energy-vad.ts`). */
export interface RestartingVad extends Vad {
  readonly worker: WorkerStatus;
}

/**
 * Voice activity detection by Silero v5 for all calls of the process; loaded once, and again when it fails. Rejects when the model
 * cannot be loaded.
 */
export async function loadVad(options: { clock: Clock; log: Logger; script?: URL }): Promise<RestartingVad> {
  const restart = () => loadSilero(options.clock, options.script ? { script: options.script } : {});
  return createVad({ ...options, model: await restart(), restart });
}

/**
 * With few streams a window that is ready while the model is idle is run at once, and those that become ready meanwhile make
 * the next batch. A stream has one window in a batch at most.
 */
export function createVad(options: {
  model: BatchModel;
  /** Starts another model when this one has failed; else it is tried again. */
  restart?: () => Promise<BatchModel>;
  clock: Clock;
  log: Logger;
  /** Runs the model on noise as well, to measure what skipping costs. */
  alwaysRunsModel?: boolean;
}): RestartingVad {
  const { clock, log, alwaysRunsModel = false } = options;
  const { maxBatch, windowSamples, contextSamples } = options.model;
  const rowFloats = contextSamples + windowSamples;
  const start = options.restart ?? (async () => options.model);
  const worker = keepRunning({ name: 'voice activity', worker: options.model, start, clock, log });
  const stats: VadStats = { windows: 0, batches: 0, largestBatch: 0, gated: 0, dropped: 0, failed: 0, busyMs: 0 };
  const streams = new Set<Stream>();
  const ready: Stream[] = [];
  const batch: Stream[] = [];
  const batchEndMs = new Float64Array(maxBatch);
  let running = false;
  let batchTimer: Timer | null = null;
  let batchDueMs = 0;
  /** A waiting window may be a change. */
  let urgent = false;
  let closed = false;
  let listenerFailureLogged = false;

  function notify(stream: Stream, probability: number, endMs: number, periodicity: number): void {
    try {
      stream.listener(probability, endMs, periodicity);
    } catch (error) {
      // An error in one call must not affect the others.
      if (!listenerFailureLogged) log.error({ error: errorText(error) }, 'voice activity listener failed');
      listenerFailureLogged = true;
    }
  }

  function onWindow(stream: Stream): void {
    if (stream.closed) return;
    const { waiting } = stream.windows;
    if (waiting === 1) stream.waitingSinceMs = clock.now();
    const behind = waiting > BEHIND_WINDOWS && clock.now() - stream.waitingSinceMs >= BEHIND_MS;
    if (behind || waiting > MAX_WAITING_WINDOWS) {
      stream.windows.skip();
      stream.dropped++;
      stats.dropped++;
    }
    enqueue(stream);
  }

  function enqueue(stream: Stream): void {
    if (stream.busy || stream.queued) return;
    const { windows } = stream;
    if (windows.waiting >= BURST_WINDOWS) urgent = true;
    while (windows.waiting > 0 && !stream.closed) {
      if (holdsNoSpeech(stream)) {
        const endMs = windows.oldestEndMs;
        windows.skip();
        stats.gated++;
        notify(stream, 0, endMs, 0);
      } else if (worker.running) {
        stream.queued = true;
        ready.push(stream);
        schedule();
        return;
      } else judgeOldest(stream);
    }
  }

  function judgeOldest(stream: Stream): void {
    const { oldest, oldestEndMs } = stream.windows;
    const window = Float32Array.from(oldest, (sample) => sample / 32768);
    stream.windows.skip();
    judgeByEnergy(stream, window, stream.step * LINE_RATE, oldestEndMs);
  }

  /** The model's state is of no use after a window that it did not get. */
  function judgeByEnergy(stream: Stream, window: Float32Array, rateHz: number, endMs: number): void {
    stats.failed++;
    for (const layer of stream.layers) layer.fill(0);
    report(stream, speechByEnergy(stream.energy, stream.power), window, rateHz, endMs);
  }

  function report(stream: Stream, probability: number, window: Float32Array, rateHz: number, endMs: number): void {
    stream.probability = probability;
    notify(stream, probability, endMs, probability < POSSIBLE_SPEECH_THRESHOLD ? 0 : periodicityOf(window, rateHz));
  }

  function holdsNoSpeech(stream: Stream): boolean {
    const level = checkLevel(stream);
    if (level === 'louder' && stream.probability < SPEECH_THRESHOLD) urgent = true;
    return level === 'silence' || level === 'noise';
  }

  function schedule(): void {
    if (running || closed || ready.length === 0) return;
    if (streams.size <= FEW_STREAMS || ready.length >= maxBatch) {
      run();
      return;
    }
    const nowMs = clock.now();
    const atMs = nowMs + (urgent ? BATCH_WAIT_MS : RELAXED_BATCH_WAIT_MS);
    if (batchTimer && batchDueMs <= atMs) return;
    batchTimer?.cancel();
    batchDueMs = atMs;
    batchTimer = clock.after(atMs - nowMs, run);
  }

  function run(): void {
    batchTimer?.cancel();
    batchTimer = null;
    if (running || closed) return;
    urgent = false;
    const model = worker.current;
    if (!model) {
      judgeReady();
      return;
    }
    batch.length = 0;
    while (ready.length > 0 && batch.length < maxBatch) {
      const stream = ready.shift()!;
      stream.queued = false;
      if (!stream.closed && stream.windows.waiting > 0) batch.push(stream);
    }
    const size = batch.length;
    if (size === 0) return;
    for (let row = 0; row < size; row++) fillRow(model, batch[row]!, row, size);
    stats.windows += size;
    stats.batches++;
    stats.largestBatch = Math.max(stats.largestBatch, size);
    running = true;
    const startedMs = clock.now();
    worker.request(model, model.run(size), RUN_DEADLINE_MS).then(
      () => finish(model, startedMs, true),
      () => finish(model, startedMs, false),
    );
  }

  /** The model failed while they waited for it. */
  function judgeReady(): void {
    for (const stream of ready.splice(0)) {
      stream.queued = false;
      if (!stream.closed && stream.windows.waiting > 0) judgeOldest(stream);
      enqueue(stream);
    }
  }

  function fillRow(model: BatchModel, stream: Stream, row: number, size: number): void {
    model.state.set(stream.layers[0], row * LAYER);
    model.state.set(stream.layers[1], (size + row) * LAYER);
    batchEndMs[row] = stream.windows.oldestEndMs;
    stream.busy = true;
    stream.windows.take(model.input, row * rowFloats);
  }

  function finish(model: BatchModel, startedMs: number, succeeded: boolean): void {
    stats.busyMs += clock.now() - startedMs;
    const size = batch.length;
    for (let row = 0; row < size; row++) {
      const stream = batch[row]!;
      stream.busy = false;
      if (stream.closed) continue;
      const from = row * rowFloats + contextSamples;
      const window = model.input.subarray(from, from + windowSamples);
      const endMs = batchEndMs[row]!;
      if (!succeeded) {
        judgeByEnergy(stream, window, model.rateHz, endMs);
        continue;
      }
      stream.layers[0].set(model.state.subarray(row * LAYER, (row + 1) * LAYER));
      stream.layers[1].set(model.state.subarray((size + row) * LAYER, (size + row + 1) * LAYER));
      const probability = model.probability[row]!;
      stream.noiseFloor?.update(stream.powers, probability);
      report(stream, probability, window, model.rateHz, endMs);
    }
    // `running` is still set: what has waited goes in one batch.
    for (let row = 0; row < size; row++) enqueue(batch[row]!);
    running = false;
    schedule();
  }

  return {
    stats,
    worker,
    open(listener, fromHz = LINE_RATE) {
      const stream = newStream(listener, createVadWindows(fromHz, options.model), fromHz);
      if (alwaysRunsModel) stream.noiseFloor = null;
      stream.closed = closed;
      streams.add(stream);
      const onFull = () => onWindow(stream);
      return {
        push(samples, atMs) {
          if (!stream.closed) stream.windows.push(samples, atMs, onFull);
        },
        get dropped() {
          return stream.dropped;
        },
        close() {
          stream.closed = true;
          streams.delete(stream);
        },
      };
    },
    async close() {
      closed = true;
      batchTimer?.cancel();
      for (const stream of streams) stream.closed = true;
      streams.clear();
      await worker.close();
    },
  };
}
