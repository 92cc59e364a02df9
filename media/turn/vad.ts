import type { Clock, Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { FRAME_SAMPLES, LINE_RATE } from '../audio/format.ts';
import { createResampler, type Resampler } from '../audio/resample.ts';
import { type BatchModel, loadSilero, STATE_FLOATS } from './silero.ts';
import { periodicityOf } from './voicing.ts';

/** Below this level (-60 dBFS, mean square) a window is silent … */
const SILENT_MEAN_SQUARE = 1e-6;
/**
 * … and after so many silent ones in a row (a third of a second) the model is not asked any more. By then its state is
 * that of silence, and it is kept: measured on synthetic speech, the onset is then found 41 ms after it (median),
 * against 58 ms with a state of zeros.
 */
const SILENT_WINDOWS = 10;
/** Windows of one stream that may wait (480 ms); of more the oldest is dropped. */
const MOST_WAITING = 15;
/**
 * Beyond so many streams windows wait a little for each other: eight in one run cost the model a third of eight runs,
 * and both threads an eighth of the messages. A window's `endMs` is the same.
 */
const FEW_STREAMS = 8;
const GATHER_MS = 5;
/** In a window less likely to be speech nobody asks whether something vibrates in it (`speech.ts`). */
const UNLIKELY = 0.2;
const LAYER = STATE_FLOATS / 2;

/**
 * Called for every 32 ms window of the stream, in order. See `VadStream.push` for `endMs`. `periodicity` as `voicing.ts` tells
 * it, 0 for a window that is silent by its level or unlikely to be speech.
 */
export type VadListener = (probability: number, endMs: number, periodicity: number) => void;

export interface VadStream {
  /**
   * The caller's next samples, 8 kHz, usually 160; `atMs` is the monotonic moment the last of them came in. A window's
   * `endMs` is when its last sample came in, counted back from `atMs` on the samples' own raster: windows are 32 ms
   * apart however frames and windows overlap, and never end in the future. The listener may be called within this
   * call (silence) and is otherwise called about a quarter of a millisecond later, with many streams up to 5 ms. Nothing
   * is kept of `samples`.
   */
  push(samples: Int16Array, atMs: number): void;
  /** No result follows. Idempotent. */
  close(): void;
}

export interface VadStats {
  /** Windows the model was asked about. */
  windows: number;
  batches: number;
  largestBatch: number;
  /** Windows told to be silent by their level alone. */
  gated: number;
  /** Windows nobody asked the model about, because the stream was half a second behind. */
  dropped: number;
  /** Windows lost to failures of the model. */
  failed: number;
  /** Time spent waiting for the model, all batches together. */
  busyMs: number;
}

export interface Vad {
  open(listener: VadListener): VadStream;
  readonly stats: Readonly<VadStats>;
  /** Closes all streams and the model; streams opened afterwards hear nothing. Idempotent. */
  close(): Promise<void>;
}

/** Voice activity by Silero v5 for all calls of the process; to be loaded once. Rejects when the model cannot be loaded. */
export async function loadVad(options: { clock: Clock; log: Logger }): Promise<Vad> {
  return createVad({ ...options, model: await loadSilero(options.clock) });
}

interface Stream {
  listener: VadListener;
  closed: boolean;
  /** Waits in `ready`. */
  listed: boolean;
  /** Its oldest window is with the model: the next needs the state that comes back. */
  busy: boolean;
  layers: [Float32Array, Float32Array];
  context: Float32Array;
  /** A ring of windows: `waiting` full ones from `head` on, then the one being filled. */
  windows: Float32Array[];
  endMs: Float64Array;
  silent: Uint8Array;
  head: number;
  waiting: number;
  filled: number;
  energy: number;
  silentRun: number;
}

/**
 * Batches arise by themselves: with few streams a window that is ready while the model is idle is asked about at once,
 * and those that become ready meanwhile, of whatever call, make the next batch. A stream has one window in a batch at most.
 */
export function createVad(options: { model: BatchModel; clock: Clock; log: Logger }): Vad {
  const { model, clock, log } = options;
  const { windowSamples, contextSamples } = model;
  const rowFloats = contextSamples + windowSamples;
  const stats: VadStats = { windows: 0, batches: 0, largestBatch: 0, gated: 0, dropped: 0, failed: 0, busyMs: 0 };
  const streams = new Set<Stream>();
  const ready: Stream[] = [];
  const batch: Stream[] = [];
  const batchEndMs = new Float64Array(model.maxBatch);
  let running = false;
  let gathering: Timer | null = null;
  let closed = false;
  let failureTold = false;
  let listenerFailureTold = false;

  function tell(stream: Stream, probability: number, endMs: number, periodicity: number): void {
    try {
      stream.listener(probability, endMs, periodicity);
    } catch (error) {
      // One call's mistake is not the other calls' loss.
      if (!listenerFailureTold) log.error({ reason: errorText(error) }, 'a listener of voice activity failed');
      listenerFailureTold = true;
    }
  }

  /** The window that was being filled is full. */
  function complete(stream: Stream, endMs: number): void {
    const quiet = stream.energy < SILENT_MEAN_SQUARE * windowSamples;
    stream.silentRun = quiet ? stream.silentRun + 1 : 0;
    stream.filled = 0;
    stream.energy = 0;
    const place = (stream.head + stream.waiting) % stream.windows.length;
    stream.endMs[place] = endMs;
    stream.silent[place] = stream.silentRun > SILENT_WINDOWS ? 1 : 0;
    stream.waiting++;
    if (stream.waiting > MOST_WAITING) {
      removeOldest(stream);
      stats.dropped++;
    }
    list(stream);
  }

  function removeOldest(stream: Stream): void {
    const window = stream.windows[stream.head]!;
    for (let i = 0; i < contextSamples; i++) stream.context[i] = window[windowSamples - contextSamples + i]!;
    stream.head = (stream.head + 1) % stream.windows.length;
    stream.waiting--;
  }

  function list(stream: Stream): void {
    if (stream.busy) return;
    tellSilence(stream);
    if (stream.waiting === 0 || stream.listed || stream.closed) return;
    stream.listed = true;
    ready.push(stream);
    soon();
  }

  function tellSilence(stream: Stream): void {
    while (stream.waiting > 0 && stream.silent[stream.head] === 1 && !stream.closed) {
      const endMs = stream.endMs[stream.head]!;
      removeOldest(stream);
      stats.gated++;
      tell(stream, 0, endMs, 0);
    }
  }

  function soon(): void {
    if (running || closed || gathering) return;
    if (streams.size <= FEW_STREAMS || ready.length >= model.maxBatch) run();
    else if (ready.length > 0) gathering = clock.after(GATHER_MS, run);
  }

  function run(): void {
    gathering?.cancel();
    gathering = null;
    if (running || closed) return;
    batch.length = 0;
    while (ready.length > 0 && batch.length < model.maxBatch) {
      const stream = ready.shift()!;
      stream.listed = false;
      if (!stream.closed && stream.waiting > 0) batch.push(stream);
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
        if (!failureTold && !closed) log.error({ reason: errorText(error) }, 'the voice-activity model failed');
        failureTold = true;
        finish(startedMs, false);
      },
    );
  }

  function fillRow(stream: Stream, row: number, size: number): void {
    const start = row * rowFloats;
    const window = stream.windows[stream.head]!;
    for (let i = 0; i < contextSamples; i++) model.input[start + i] = stream.context[i]!;
    for (let i = 0; i < windowSamples; i++) model.input[start + contextSamples + i] = window[i]!;
    for (let i = 0; i < LAYER; i++) {
      model.state[row * LAYER + i] = stream.layers[0][i]!;
      model.state[(size + row) * LAYER + i] = stream.layers[1][i]!;
    }
    batchEndMs[row] = stream.endMs[stream.head]!;
    stream.busy = true;
    removeOldest(stream);
  }

  function finish(startedMs: number, good: boolean): void {
    stats.busyMs += clock.now() - startedMs;
    const size = batch.length;
    for (let row = 0; row < size; row++) {
      const stream = batch[row]!;
      stream.busy = false;
      if (stream.closed) continue;
      if (!good) {
        forget(stream);
        continue;
      }
      for (let i = 0; i < LAYER; i++) {
        stream.layers[0][i] = model.state[row * LAYER + i]!;
        stream.layers[1][i] = model.state[(size + row) * LAYER + i]!;
      }
      const probability = model.probability[row]!;
      const start = row * rowFloats + contextSamples;
      const window = model.input.subarray(start, start + windowSamples);
      const periodicity = probability < UNLIKELY ? 0 : periodicityOf(window, model.rateHz);
      tell(stream, probability, batchEndMs[row]!, periodicity);
    }
    // `running` until all are listed: what waited goes as one batch.
    for (let row = 0; row < size; row++) list(batch[row]!);
    running = false;
    soon();
  }

  return {
    stats,
    open(listener) {
      const stream = newStream(listener, model);
      stream.closed = closed;
      streams.add(stream);
      const resampler = model.rateHz === LINE_RATE ? null : createResampler(LINE_RATE, model.rateHz);
      const close = () => {
        stream.closed = true;
        streams.delete(stream);
      };
      return { push: pusher(stream, resampler, model, complete), close };
    },
    async close() {
      closed = true;
      gathering?.cancel();
      for (const stream of streams) stream.closed = true;
      streams.clear();
      await model.close();
    },
  };
}

/** The function that turns frames of a stream into windows, handing each full one to `complete`. */
function pusher(
  stream: Stream,
  resampler: Resampler | null,
  model: BatchModel,
  complete: (stream: Stream, endMs: number) => void,
): VadStream['push'] {
  const { windowSamples, rateHz } = model;
  const converted = new Int16Array(resampler ? resampler.maxOutput(FRAME_SAMPLES) : 0);

  return (samples, atMs) => {
    for (let from = 0; from < samples.length && !stream.closed; from += FRAME_SAMPLES) {
      const to = Math.min(from + FRAME_SAMPLES, samples.length);
      const piece = from === 0 && to === samples.length ? samples : samples.subarray(from, to);
      const pieceEndMs = atMs - ((samples.length - to) * 1000) / LINE_RATE;
      const count = resampler ? resampler.process(piece, converted) : piece.length;
      const source = resampler ? converted : piece;
      for (let i = 0; i < count; ) {
        const window = stream.windows[(stream.head + stream.waiting) % stream.windows.length]!;
        const end = Math.min(count, i + windowSamples - stream.filled);
        // In locals: this runs for every sample of every call.
        let { filled, energy } = stream;
        for (; i < end; i++) {
          const value = source[i]! / 32768;
          window[filled++] = value;
          energy += value * value;
        }
        stream.filled = filled;
        stream.energy = energy;
        if (filled === windowSamples) complete(stream, pieceEndMs - ((count - i) * 1000) / rateHz);
      }
    }
  };
}

function forget(stream: Stream): void {
  stream.layers[0].fill(0);
  stream.layers[1].fill(0);
}

function newStream(listener: VadListener, model: BatchModel): Stream {
  // One more than may wait: the one being filled; and one that is complete before the oldest is dropped.
  const places = MOST_WAITING + 2;
  return {
    listener,
    closed: false,
    listed: false,
    busy: false,
    layers: [new Float32Array(LAYER), new Float32Array(LAYER)],
    context: new Float32Array(model.contextSamples),
    windows: Array.from({ length: places }, () => new Float32Array(model.windowSamples)),
    endMs: new Float64Array(places),
    silent: new Uint8Array(places),
    head: 0,
    waiting: 0,
    filled: 0,
    energy: 0,
    silentRun: 0,
  };
}
