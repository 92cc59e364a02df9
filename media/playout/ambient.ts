import { readFile } from 'node:fs/promises';
import { type BuiltInAmbientSound, builtInAmbientSoundFile, type HOLD_MUSIC } from '../../shared/ambient-sounds.ts';
import { type AudioFormat, FRAME_MS, LINE_RATE } from '../audio/format.ts';
import { meanSquare } from '../audio/level.ts';
import { mixIntoFrame } from '../audio/mix.ts';
import { createResampler } from '../audio/resample.ts';
import { readWav } from '../audio/wav.ts';

/**
 * Background audio of the agent's side: a sound looped under the speech and between speeches. It is mixed in after the speech,
 * so pausing or clearing the speech leaves no gap in it.
 */

/** Power of any sound at volume 100: −26 dBFS, some 6 dB below speech. */
const FULL_POWER = 10 ** (-26 / 10);
/** Nearly silent sounds are amplified by at most 30 dB. */
const MAX_SCALE = 10 ** (30 / 20);
/** The loop's end fades into its beginning over this length, or over a quarter of the sound if that is shorter. */
const CROSSFADE_SAMPLES = LINE_RATE / 2;
/** A quarter of a sine: both sides are uncorrelated, so their powers have to add up to one. */
const FADE_IN = Float64Array.from({ length: CROSSFADE_SAMPLES + 1 }, (_, i) =>
  Math.sin((Math.PI / 2) * (i / CROSSFADE_SAMPLES)),
);

export interface AmbientOptions {
  /** Mono samples at `rateHz`, of any length. Shared between calls, not copied, and must not change. */
  samples: Int16Array;
  /** 8 kHz by default. */
  rateHz?: number;
  /** 0 is silence; 100 brings any sound, however it was recorded, to −26 dBFS; linear in amplitude between. */
  volume: number;
}

export interface Ambient {
  /** Writes the next samples of the background. It fades in at the beginning of the call. */
  next(target: Int16Array): void;
  /**
   * Mixes the background's next samples into a frame of 20 ms. Returns the ambient's own buffer, valid until the next call, or
   * the frame itself at volume 0. Throws RangeError for any other length.
   */
  mixInto(frame: Uint8Array, encoding: AudioFormat['encoding']): Uint8Array;
  /** Rewinds by samples whose frames were cleared at the carrier, so that they are played again. */
  rewind(samples: number): void;
}

/**
 * Opens one call's background from a sound at 8 kHz, or from one that is still loading; null without a sound. Throws RangeError
 * for a volume outside 0 to 100.
 */
export function openAmbient(
  sound: Int16Array | Promise<Int16Array | null> | null,
  volume: number,
  rateHz: number,
): Ambient | null {
  if (sound instanceof Promise) {
    const loading = sound.then((samples8k) => samples8k && resampled(samples8k, rateHz));
    return createLoadingAmbient(loading, volume, rateHz);
  }
  return sound && createAmbient({ samples: resampled(sound, rateHz), rateHz, volume });
}

/** Creates one call's background. Throws RangeError for a volume outside 0 to 100. */
export function createAmbient({ samples: sound, rateHz = LINE_RATE, volume }: AmbientOptions): Ambient {
  if (!(volume >= 0 && volume <= 100)) throw new RangeError(`a volume of ${volume}`);
  const scale = sound.length === 0 ? 0 : scaleOf(sound) * (volume / 100);
  const crossfade = Math.min(CROSSFADE_SAMPLES, sound.length >> 2);
  /** Samples of one loop; those of the crossfade sound together with the beginning. */
  const loop = sound.length - crossfade;
  const background = new Int16Array((rateHz * FRAME_MS) / 1_000);
  let mixed = new Uint8Array(background.length);
  /** Samples since the call began. */
  let at = 0;

  function next(target: Int16Array): void {
    if (scale === 0) {
      target.fill(0);
      return;
    }
    let position = at % loop;
    for (let i = 0; i < target.length; i++) {
      let value = sound[position]!;
      if (position < crossfade) {
        const step = Math.round((position * CROSSFADE_SAMPLES) / crossfade);
        value *= FADE_IN[step]!;
        // The first loop has no end before it to fade out.
        if (at + i >= loop) value += sound[loop + position]! * FADE_IN[CROSSFADE_SAMPLES - step]!;
      }
      value = Math.round(value * scale);
      target[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
      if (++position === loop) position = 0;
    }
    at += target.length;
  }

  return {
    next,
    mixInto(frame, encoding) {
      if (scale === 0) return frame;
      if (mixed.length !== frame.length) mixed = new Uint8Array(frame.length);
      next(background);
      mixIntoFrame(frame, encoding, background, mixed);
      return mixed;
    },
    rewind(samples) {
      at = Math.max(0, at - samples);
    },
  };
}

/** Creates the background of a sound that is still loading: silence until it is there, and for good when it fails. */
export function createLoadingAmbient(loading: Promise<Int16Array | null>, volume: number, rateHz = LINE_RATE): Ambient {
  let ambient: Ambient | null = null;
  void loading.then((samples) => {
    if (samples) ambient = createAmbient({ samples, rateHz, volume });
  });
  return {
    next(target) {
      if (ambient) ambient.next(target);
      else target.fill(0);
    },
    mixInto: (frame, encoding) => (ambient ? ambient.mixInto(frame, encoding) : frame),
    rewind: (samples) => ambient?.rewind(samples),
  };
}

const resampledByAmbient = new WeakMap<Int16Array, { rateHz: number; samples: Int16Array }>();

/** Returns the sound at another rate, resampled once for all calls. */
function resampled(samples8k: Int16Array, rateHz: number): Int16Array {
  if (rateHz === LINE_RATE) return samples8k;
  let cached = resampledByAmbient.get(samples8k);
  if (cached?.rateHz !== rateHz) {
    cached = { rateHz, samples: upsample(samples8k, rateHz) };
    resampledByAmbient.set(samples8k, cached);
  }
  return cached.samples;
}

function upsample(samples8k: Int16Array, rateHz: number): Int16Array {
  const resampler = createResampler(LINE_RATE, rateHz);
  const delay = Math.round((resampler.delayMs * rateHz) / 1_000);
  const result = new Int16Array(resampler.maxOutput(samples8k.length) + delay + rateHz);
  let length = resampler.process(samples8k, result);
  length += resampler.flush(result.subarray(length));
  return result.slice(delay, length);
}

/** Measured once per sound rather than once per call. */
const scales = new WeakMap<Int16Array, number>();

function scaleOf(sound: Int16Array): number {
  let scale = scales.get(sound);
  if (scale === undefined) {
    scale = Math.min(MAX_SCALE, Math.sqrt(FULL_POWER / Math.max(meanSquare(sound), 1e-12)));
    scales.set(sound, scale);
  }
  return scale;
}

type BuiltInSound = BuiltInAmbientSound | typeof HOLD_MUSIC;
const loaded = new Map<BuiltInSound, Promise<Int16Array>>();

/** Reads a built-in sound once per process. Rejects when its file is missing or not mono at 8 kHz. */
export function loadAmbient(name: BuiltInSound): Promise<Int16Array> {
  let sound = loaded.get(name);
  if (!sound) {
    sound = readAmbient(name);
    loaded.set(name, sound);
    // A failure is not cached: the next call tries again.
    sound.catch(() => loaded.delete(name));
  }
  return sound;
}

async function readAmbient(name: BuiltInSound): Promise<Int16Array> {
  const reading = readWav(await readFile(builtInAmbientSoundFile(name)));
  if (reading.type === 'invalid') throw new Error(`ambient sound ${name} cannot be read: ${reading.why}`);
  const { sampleRateHz, channels } = reading.wav;
  if (sampleRateHz !== LINE_RATE || channels.length !== 1)
    throw new Error(`ambient sound ${name} is not mono at 8 kHz`);
  return channels[0]!;
}
