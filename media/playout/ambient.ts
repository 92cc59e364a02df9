import { readFile } from 'node:fs/promises';
import { type BuiltInAmbientSound, builtInAmbientSoundFile } from '../../shared/ambient-sounds.ts';
import { type AudioFormat, FRAME_MS, LINE_RATE } from '../audio/format.ts';
import { meanSquare } from '../audio/level.ts';
import { mixIntoFrame } from '../audio/mix.ts';
import { createResampler } from '../audio/resample.ts';
import { readWav } from '../audio/wav.ts';

/**
 * The room the agent seems to sit in: a sound that goes round and round under the speech and on between speeches. It is
 * no part of the speech, so what silences the speech leaves no hole in it.
 */

/** How loud a sound is at volume 100: −26 dBFS, some 6 dB below speech. */
const FULL_POWER = 10 ** (-26 / 10);
/** A sound that is nearly silent is not made louder than by 30 dB. */
const MAX_SCALE = 10 ** (30 / 20);
/** The end of the sound lies over its beginning for so long, or a quarter of the sound if that is shorter. */
const CROSSFADE_SAMPLES = LINE_RATE / 2;
/** A quarter of a sine: the seam's two sides are strangers, so it is their powers that have to add up to one. */
const FADE_IN = Float64Array.from({ length: CROSSFADE_SAMPLES + 1 }, (_, i) =>
  Math.sin((Math.PI / 2) * (i / CROSSFADE_SAMPLES)),
);

export interface AmbientOptions {
  /** The sound, mono at the line's rate, of any length. It is shared, not copied, and must not change. */
  samples: Int16Array;
  /** 8 kHz where not given. */
  rateHz?: number;
  /** 0 is silence; 100 brings any sound, however it was recorded, to −26 dBFS; in between the amplitude is in proportion. */
  volume: number;
}

export interface Ambient {
  /** The next samples of the background. It comes in softly at the beginning of the call. */
  next(target: Int16Array): void;
  /**
   * A frame of 20 ms with the background's next samples: memory of the ambient's own, valid until the next call, or, at
   * volume 0, the frame itself. Throws RangeError for any other length.
   */
  mixInto(frame: Uint8Array, encoding: AudioFormat['encoding']): Uint8Array;
  /** Takes back the last samples, when frames they were mixed into were cleared at the carrier: they come again. */
  rewind(samples: number): void;
}

/** One call's background. Throws RangeError for a volume outside 0 to 100. */
export function createAmbient({ samples: sound, rateHz = LINE_RATE, volume }: AmbientOptions): Ambient {
  if (!(volume >= 0 && volume <= 100)) throw new RangeError(`a volume of ${volume}`);
  const scale = sound.length === 0 ? 0 : scaleOf(sound) * (volume / 100);
  const seam = Math.min(CROSSFADE_SAMPLES, sound.length >> 2);
  /** One round: the seam's samples are heard together with the beginning. */
  const round = sound.length - seam;
  const background = new Int16Array((rateHz * FRAME_MS) / 1_000);
  let mixed = new Uint8Array(background.length);
  /** Samples since the call began. */
  let at = 0;

  function next(target: Int16Array): void {
    if (scale === 0) {
      target.fill(0);
      return;
    }
    let place = at % round;
    for (let i = 0; i < target.length; i++) {
      let value = sound[place]!;
      if (place < seam) {
        const rising = Math.round((place * CROSSFADE_SAMPLES) / seam);
        value *= FADE_IN[rising]!;
        // In the first round nothing has come before.
        if (at + i >= round) value += sound[round + place]! * FADE_IN[CROSSFADE_SAMPLES - rising]!;
      }
      value = Math.round(value * scale);
      target[i] = value > 32767 ? 32767 : value < -32768 ? -32768 : value;
      if (++place === round) place = 0;
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

/** The same of a sound that is on its way: silence until it is there, and all along when it does not come. */
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

/** A sound of 8 kHz for lines of another rate, made once for all calls. */
export function resampledAmbient(samples8k: Int16Array, rateHz: number): Int16Array {
  if (rateHz === LINE_RATE) return samples8k;
  let made = resampledByAmbient.get(samples8k);
  if (made?.rateHz !== rateHz) {
    made = { rateHz, samples: upsample(samples8k, rateHz) };
    resampledByAmbient.set(samples8k, made);
  }
  return made.samples;
}

const resampledByAmbient = new WeakMap<Int16Array, { rateHz: number; samples: Int16Array }>();

function upsample(samples8k: Int16Array, rateHz: number): Int16Array {
  const resampler = createResampler(LINE_RATE, rateHz);
  const delay = Math.round((resampler.delayMs * rateHz) / 1_000);
  const result = new Int16Array(resampler.maxOutput(samples8k.length) + delay + rateHz);
  let length = resampler.process(samples8k, result);
  length += resampler.flush(result.subarray(length));
  return result.slice(delay, length);
}

/** Measured once for a sound, not once for a call. */
const scales = new WeakMap<Int16Array, number>();

function scaleOf(sound: Int16Array): number {
  let scale = scales.get(sound);
  if (scale === undefined) {
    scale = Math.min(MAX_SCALE, Math.sqrt(FULL_POWER / Math.max(meanSquare(sound), 1e-12)));
    scales.set(sound, scale);
  }
  return scale;
}

const loaded = new Map<BuiltInAmbientSound, Promise<Int16Array>>();

/** A built-in sound, read once per process. Rejects when its file is missing or no telephone sound. */
export function loadAmbient(name: BuiltInAmbientSound): Promise<Int16Array> {
  let sound = loaded.get(name);
  if (!sound) {
    sound = readAmbient(name);
    loaded.set(name, sound);
    // The next call may try again.
    sound.catch(() => loaded.delete(name));
  }
  return sound;
}

async function readAmbient(name: BuiltInAmbientSound): Promise<Int16Array> {
  const reading = readWav(await readFile(builtInAmbientSoundFile(name)));
  if (reading.type === 'invalid') throw new Error(`the sound ${name} cannot be read: ${reading.why}`);
  const { sampleRateHz, channels } = reading.wav;
  if (sampleRateHz !== LINE_RATE || channels.length !== 1) throw new Error(`the sound ${name} is not mono at 8 kHz`);
  return channels[0]!;
}
