import { errorText, type Logger } from '../../shared/log.ts';
import { LINE_RATE } from '../audio/format.ts';
import { BANDS, bandPowers, createNoiseFloor } from './noise-floor.ts';
import { loadSilero, type SpeechModel } from './silero.ts';
import { createVadWindows } from './vad-windows.ts';
import { periodicityOf } from './voicing.ts';

/** Below it the periodicity of a window is not needed (`speech-state.ts`). */
const POSSIBLE_SPEECH_THRESHOLD = 0.2;
/** Below this level (-60 dBFS, mean square) a window is silent. */
const SILENT_MEAN_SQUARE = 1e-6;
/**
 * After this many silent windows in a row (320 ms) the model is not run. By then its state is that of silence, and is retained:
 * measured on synthetic speech, an onset is then detected after 41 ms (median), against 58 ms with a state of zeros.
 */
const SILENT_WINDOWS = 10;

/**
 * Called for every 32 ms window of the stream, in order. See `VadStream.push` for `endMs`. `periodicity`: see `voicing.ts`; 0
 * for a window that is unlikely to be speech, silent, or noise (`noise-floor.ts`).
 */
export type VadListener = (probability: number, endMs: number, periodicity: number) => void;

export interface VadStream {
  /**
   * The caller's next samples, usually 20 ms; `atMs` is the monotonic moment the last of them came in. A window's
   * `endMs` is when its last sample came in, counted back from `atMs` in samples: windows are 32 ms apart however frames
   * and windows overlap, and never end in the future. The listener is called within this call. `samples` is not kept.
   */
  push(samples: Int16Array, atMs: number): void;
  /** No result follows. Idempotent. */
  close(): void;
}

export interface VadStats {
  /** Windows the model was run on. */
  windows: number;
  /** Windows that were no speech by their level alone. */
  gated: number;
}

export interface Vad {
  /**
   * `rateHz`: of the samples that will be pushed, 8 kHz where not given. Throws RangeError for one that has no whole samples
   * in 32 ms.
   */
  open(listener: VadListener, rateHz?: number): VadStream;
  readonly stats: Readonly<VadStats>;
}

/** Voice activity detection by Silero v5 for all calls of the process. Rejects when the model cannot be loaded. */
export async function loadVad(log: Logger): Promise<Vad> {
  return createVad({ model: await loadSilero(), log });
}

/** `alwaysRunsModel`: on noise as well, to measure what skipping costs. */
export function createVad(options: { model: SpeechModel; log: Logger; alwaysRunsModel?: boolean }): Vad {
  const { model, log, alwaysRunsModel = false } = options;
  const converted = model.input.subarray(model.contextSamples);
  const stats: VadStats = { windows: 0, gated: 0 };
  let listenerFailureLogged = false;

  function open(listener: VadListener, fromHz = LINE_RATE): VadStream {
    const windows = createVadWindows(fromHz, model);
    const state = model.newState();
    const noiseFloor = alwaysRunsModel ? null : createNoiseFloor();
    const powers = new Float64Array(BANDS);
    /** Samples per 0.125 ms. */
    const step = Math.max(1, Math.round(fromHz / LINE_RATE));
    let silentRun = 0;
    let closed = false;

    function notify(probability: number, endMs: number, periodicity: number): void {
      try {
        listener(probability, endMs, periodicity);
      } catch (error) {
        // An error in one call must not affect the others.
        if (!listenerFailureLogged) log.error({ error: errorText(error) }, 'voice activity listener failed');
        listenerFailureLogged = true;
      }
    }

    function holdsNoSpeech(window: Int16Array): boolean {
      const power = bandPowers(window, step, powers);
      silentRun = power < SILENT_MEAN_SQUARE ? silentRun + 1 : 0;
      return silentRun > SILENT_WINDOWS || noiseFloor?.check(powers) === 'noise';
    }

    function examine(window: Int16Array, endMs: number): void {
      if (closed) return;
      if (holdsNoSpeech(window)) {
        stats.gated++;
        notify(0, endMs, 0);
        return;
      }
      stats.windows++;
      windows.convert(model.input);
      const probability = model.run(state);
      noiseFloor?.update(powers, probability);
      const mayBeSpeech = probability >= POSSIBLE_SPEECH_THRESHOLD;
      notify(probability, endMs, mayBeSpeech ? periodicityOf(converted, model.rateHz) : 0);
    }

    return {
      push(samples, atMs) {
        if (!closed) windows.push(samples, atMs, examine);
      },
      close() {
        closed = true;
      },
    };
  }

  return { open, stats };
}
