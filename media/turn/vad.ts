import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { LINE_RATE } from '../audio/format.ts';
import { BANDS, bandPowers, createNoiseFloor, type NoiseFloor } from './noise-floor.ts';
import { type BatchModel, loadSilero, STATE_FLOATS } from './silero.ts';
import { createVadWindows, MAX_WAITING_WINDOWS, type VadWindows } from './vad-windows.ts';
import { periodicityOf } from './voicing.ts';

/** Below this level (-60 dBFS, mean square) a window is silent. */
const SILENT_MEAN_SQUARE = 1e-6;
/**
 * After this many silent windows in a row (320 ms) the model is not run. By then its state is that of silence, and is retained:
 * measured on synthetic speech, an onset is then detected after 41 ms (median), against 58 ms with a state of zeros.
 */
const SILENT_WINDOWS = 10;
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
  /** Windows lost to failures of the model. */
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

/** Voice activity detection by Silero v5 for all calls of the process; loaded once. Rejects when the model cannot be loaded. */
export async function loadVad(options: { clock: Clock; log: Logger }): Promise<Vad> {
  return createVad({ ...options, model: await loadSilero(options.clock) });
}

interface Stream {
  listener: VadListener;
  closed: boolean;
  /** It is in `ready`. */
  queued: boolean;
  /** A window of it is in the current run, whose state the next one needs. */
  busy: boolean;
  layers: [Float32Array, Float32Array];
  windows: VadWindows;
  /** Since when windows have waited without a break. */
  waitingSinceMs: number;
  /** Samples per 0.125 ms. */
  step: number;
  noiseFloor: NoiseFloor | null;
  /** Of the window in the current run. */
  powers: Float64Array;
  silentRun: number;
  probability: number;
}

/**
 * With few streams a window that is ready while the model is idle is run at once, and those that become ready meanwhile make
 * the next batch. A stream has one window in a batch at most.
 */
export function createVad(options: {
  model: BatchModel;
  clock: Clock;
  log: Logger;
  /** Runs the model on noise as well, to measure what skipping costs. */
  alwaysRunsModel?: boolean;
}): Vad {
  const { model, clock, log, alwaysRunsModel = false } = options;
  const { windowSamples, contextSamples } = model;
  const rowFloats = contextSamples + windowSamples;
  const stats: VadStats = { windows: 0, batches: 0, largestBatch: 0, gated: 0, dropped: 0, failed: 0, busyMs: 0 };
  const streams = new Set<Stream>();
  const ready: Stream[] = [];
  const batch: Stream[] = [];
  const batchEndMs = new Float64Array(model.maxBatch);
  let running = false;
  let batchTimer: Timer | null = null;
  let batchDueMs = 0;
  /** A waiting window may be a change. */
  let urgent = false;
  let closed = false;
  let failureLogged = false;
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
      stats.dropped++;
    }
    enqueue(stream);
  }

  function enqueue(stream: Stream): void {
    if (stream.busy || stream.queued) return;
    const { windows } = stream;
    if (windows.waiting >= BURST_WINDOWS) urgent = true;
    while (windows.waiting > 0 && !stream.closed) {
      if (!holdsNoSpeech(stream)) {
        stream.queued = true;
        ready.push(stream);
        schedule();
        return;
      }
      const endMs = windows.oldestEndMs;
      windows.skip();
      stats.gated++;
      notify(stream, 0, endMs, 0);
    }
  }

  /** True when the oldest window is no speech by its level. */
  function holdsNoSpeech(stream: Stream): boolean {
    const power = bandPowers(stream.windows.oldest, stream.step, stream.powers);
    stream.silentRun = power < SILENT_MEAN_SQUARE ? stream.silentRun + 1 : 0;
    if (stream.silentRun > SILENT_WINDOWS) return true;
    const check = stream.noiseFloor?.check(stream.powers) ?? 'louder';
    if (check === 'louder' && stream.probability < SPEECH_THRESHOLD) urgent = true;
    return check === 'noise';
  }

  function schedule(): void {
    if (running || closed || ready.length === 0) return;
    if (streams.size <= FEW_STREAMS || ready.length >= model.maxBatch) {
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
    batch.length = 0;
    while (ready.length > 0 && batch.length < model.maxBatch) {
      const stream = ready.shift()!;
      stream.queued = false;
      if (!stream.closed && stream.windows.waiting > 0) batch.push(stream);
    }
    const size = batch.length;
    if (size === 0) return;
    for (let row = 0; row < size; row++) fillRow(batch[row]!, row, size);
    stats.windows += size;
    stats.batches++;
    stats.largestBatch = Math.max(stats.largestBatch, size);
    running = true;
    const startedMs = clock.now();
    model.run(size).then(
      () => finish(startedMs, true),
      (error: unknown) => {
        stats.failed += size;
        if (!failureLogged && !closed) log.error({ error: errorText(error) }, 'voice activity model failed');
        failureLogged = true;
        finish(startedMs, false);
      },
    );
  }

  function fillRow(stream: Stream, row: number, size: number): void {
    model.state.set(stream.layers[0], row * LAYER);
    model.state.set(stream.layers[1], (size + row) * LAYER);
    batchEndMs[row] = stream.windows.oldestEndMs;
    stream.busy = true;
    stream.windows.take(model.input, row * rowFloats);
  }

  function finish(startedMs: number, succeeded: boolean): void {
    stats.busyMs += clock.now() - startedMs;
    const size = batch.length;
    for (let row = 0; row < size; row++) {
      const stream = batch[row]!;
      stream.busy = false;
      if (stream.closed) continue;
      if (!succeeded) {
        resetState(stream);
        continue;
      }
      stream.layers[0].set(model.state.subarray(row * LAYER, (row + 1) * LAYER));
      stream.layers[1].set(model.state.subarray((size + row) * LAYER, (size + row + 1) * LAYER));
      const probability = model.probability[row]!;
      stream.probability = probability;
      stream.noiseFloor?.update(stream.powers, probability);
      const start = row * rowFloats + contextSamples;
      const window = model.input.subarray(start, start + windowSamples);
      const periodicity = probability < POSSIBLE_SPEECH_THRESHOLD ? 0 : periodicityOf(window, model.rateHz);
      notify(stream, probability, batchEndMs[row]!, periodicity);
    }
    // `running` is still set: what has waited goes in one batch.
    for (let row = 0; row < size; row++) enqueue(batch[row]!);
    running = false;
    schedule();
  }

  return {
    stats,
    open(listener, fromHz = LINE_RATE) {
      const stream = newStream(listener, createVadWindows(fromHz, model), fromHz);
      if (alwaysRunsModel) stream.noiseFloor = null;
      stream.closed = closed;
      streams.add(stream);
      const onFull = () => onWindow(stream);
      return {
        push(samples, atMs) {
          if (!stream.closed) stream.windows.push(samples, atMs, onFull);
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
      await model.close();
    },
  };
}

function resetState(stream: Stream): void {
  stream.layers[0].fill(0);
  stream.layers[1].fill(0);
}

function newStream(listener: VadListener, windows: VadWindows, fromHz: number): Stream {
  return {
    listener,
    closed: false,
    queued: false,
    busy: false,
    layers: [new Float32Array(LAYER), new Float32Array(LAYER)],
    windows,
    waitingSinceMs: 0,
    step: Math.max(1, Math.round(fromHz / LINE_RATE)),
    noiseFloor: createNoiseFloor(),
    powers: new Float64Array(BANDS),
    silentRun: 0,
    probability: 0,
  };
}
