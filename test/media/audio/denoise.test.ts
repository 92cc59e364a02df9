import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { createDenoiser, type Denoiser, loadDenoiser, type Rnnoise } from '../../../media/audio/denoise.ts';
import { meanSquare, rms } from '../../../media/audio/level.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { decibels } from './signals.ts';

let rnnoise: Rnnoise;
beforeAll(async () => {
  rnnoise = await loadDenoiser();
});

const open: Denoiser[] = [];
afterEach(() => {
  for (const denoiser of open.splice(0)) denoiser.close();
});

function denoiserOf(strength: number): Denoiser {
  const denoiser = createDenoiser(rnnoise, strength, 8_000);
  open.push(denoiser);
  return denoiser;
}

/** Passes the whole frames of the samples through a denoiser. */
function run(denoiser: Denoiser, samples: Int16Array): Int16Array {
  const target = new Int16Array(Math.floor(samples.length / 160) * 160);
  for (let at = 0; at < target.length; at += 160) {
    denoiser.process(samples.subarray(at, at + 160), target.subarray(at, at + 160));
  }
  return target;
}

const NOISE_ONLY = 3 * 8000;

/** Three seconds of background noise at about −37 dBFS, which continues under a recording. */
function inNoise(name: string) {
  const speech = loadSpeech(name);
  const random = seededRandom(7);
  let smooth = 0;
  const samples = Int16Array.from({ length: NOISE_ONLY + speech.samples.length + 1600 }, (_, i) => {
    smooth = smooth * 0.7 + (random() - 0.5) * 0.3;
    return Math.round(smooth * 3640 + (speech.samples[i - NOISE_ONLY] ?? 0));
  });
  return { samples, speech };
}

/** The delay of one signal against another, in samples. */
function lag(late: Int16Array, early: Int16Array): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let shift = 0; shift < 400; shift++) {
    let sum = 0;
    for (let i = shift; i < late.length; i++) sum += late[i]! * early[i - shift]!;
    if (sum > most) [best, most] = [shift, sum];
  }
  return best;
}

describe('the denoiser', () => {
  it.each([
    [100, 30, 90],
    [50, 10.5, 12.5],
    [25, 4, 5.5],
  ])('at strength %i takes %f to %f dB off the noise', (strength, least, most) => {
    const { samples } = inNoise('greeting');
    const clean = run(denoiserOf(strength), samples.subarray(0, NOISE_ONLY));
    const taken = decibels(rms(samples.subarray(8000, NOISE_ONLY)) / rms(clean.subarray(16_000)));
    expect(taken).toBeGreaterThan(least);
    expect(taken).toBeLessThan(most);
  });

  it.each(['greeting', 'booking-request', 'day-time'])('keeps the level of the speech in noise: %s', (name) => {
    const { samples, speech } = inNoise(name);
    for (const strength of [50, 100]) {
      const denoiser = denoiserOf(strength);
      const clean = run(denoiser, samples);
      const late = (denoiser.delayMs * 8000) / 1000;
      for (const { start, end } of speech.speech) {
        const before = rms(speech.samples.subarray(start, end));
        const after = rms(clean.subarray(NOISE_ONLY + late + start, NOISE_ONLY + late + end));
        expect(Math.abs(decibels(after / before))).toBeLessThan(3);
      }
    }
  });

  it('delays by `delayMs` at every strength', () => {
    const { samples } = loadSpeech('booking-when');
    for (const strength of [1, 50, 100]) {
      const denoiser = denoiserOf(strength);
      expect(denoiser.delayMs).toBe(14);
      expect(lag(run(denoiser, samples), samples)).toBe(112);
    }
  });

  it('mixes the original under the denoised signal without an echo', () => {
    const { samples } = loadSpeech('booking-when');
    const clean = run(denoiserOf(100), samples);
    const half = run(denoiserOf(50), samples);
    const rest = half.map((value, i) => value - (clean[i]! * 3 + (samples[i - 112] ?? 0)) / 4);
    expect(rms(rest)).toBeLessThan(1 / 32768);
  });

  it('does nothing at strength 0', () => {
    const denoiser = denoiserOf(0);
    const { samples } = loadSpeech('okay');
    expect(denoiser.delayMs).toBe(0);
    expect(run(denoiser, samples)).toEqual(samples.subarray(0, Math.floor(samples.length / 160) * 160));
  });

  it('can work in place', () => {
    const { samples } = loadSpeech('okay');
    const apart = run(denoiserOf(60), samples);
    const denoiser = denoiserOf(60);
    const inPlace = samples.slice(0, apart.length);
    for (let at = 0; at < inPlace.length; at += 160) {
      const frame = inPlace.subarray(at, at + 160);
      denoiser.process(frame, frame);
    }
    expect(inPlace).toEqual(apart);
  });

  it('keeps calls separate', () => {
    const { samples } = loadSpeech('okay');
    const alone = run(denoiserOf(100), samples);
    const [one, other] = [denoiserOf(100), denoiserOf(100)];
    const together = new Int16Array(alone.length);
    const loud = new Int16Array(160).fill(20_000);
    const ignored = new Int16Array(160);
    for (let at = 0; at < alone.length; at += 160) {
      other.process(loud, ignored);
      one.process(samples.subarray(at, at + 160), together.subarray(at, at + 160));
    }
    expect(together).toEqual(alone);
  });

  it('keeps silence silent and does not wrap at full scale', () => {
    const denoiser = denoiserOf(80);
    expect(meanSquare(run(denoiser, new Int16Array(1600)))).toBe(0);
    const square = Int16Array.from({ length: 8000 }, (_, i) => (i % 40 < 20 ? 32767 : -32768));
    expect(run(denoiser, square)).toHaveLength(8000);
    expect(rms(run(denoiser, new Int16Array(8000)).subarray(4000))).toBeLessThan(0.001);
  });

  it("keeps a browser's 16 kHz: noise is taken off, and what lies above 4 kHz passes", () => {
    const denoiser = createDenoiser(rnnoise, 50, 16_000);
    open.push(denoiser);
    expect(denoiser.delayMs).toBe(12);
    const random = seededRandom(5);
    const lossOf = (sample: (at: number) => number) => {
      const samples = Int16Array.from({ length: 3 * 16_000 }, (_, at) => Math.round(sample(at)));
      const clean = new Int16Array(samples.length);
      for (let at = 0; at < samples.length; at += 320) {
        denoiser.process(samples.subarray(at, at + 320), clean.subarray(at, at + 320));
      }
      return decibels(rms(samples.subarray(32_000)) / rms(clean.subarray(32_000)));
    };
    expect(lossOf(() => (random() - 0.5) * 1_000)).toBeGreaterThan(6);
    // The share of the original that strength 50 leaves.
    expect(lossOf((at) => 4_000 * Math.sin((2 * Math.PI * 5_000 * at) / 16_000))).toBeLessThan(12.5);
  });

  it('takes no more memory over 10,000 frames, nor over 1,000 calls', () => {
    const frame = new Int16Array(160);
    const denoiser = denoiserOf(50);
    denoiser.process(frame, frame);
    const before = rnnoise.heap().length;
    for (let i = 0; i < 10_000; i++) denoiser.process(frame, frame);
    for (let i = 0; i < 1_000; i++) createDenoiser(rnnoise, 50, 8_000).close();
    expect(rnnoise.heap().length).toBe(before);
  });

  it('takes more memory for more calls, and those before go on', () => {
    const { samples } = loadSpeech('okay');
    const alone = run(denoiserOf(100), samples);
    const denoiser = denoiserOf(100);
    const half = 160 * Math.floor(alone.length / 320);
    const before = run(denoiser, samples.subarray(0, half));
    const size = rnnoise.heap().length;
    while (rnnoise.heap().length === size) denoiserOf(100);
    expect([...before, ...run(denoiser, samples.subarray(half))]).toEqual([...alone]);
  });

  it('passes audio through once closed, however often it is closed', () => {
    const denoiser = createDenoiser(rnnoise, 100, 8_000);
    denoiser.close();
    denoiser.close();
    const frame = new Int16Array(160).fill(9);
    const target = new Int16Array(160);
    denoiser.process(frame, target);
    expect(target).toEqual(frame);
  });

  it('frees what it allocated when there is no memory left', () => {
    const freed: number[] = [];
    const full: Rnnoise = { ...rnnoise, rnnoise_create: () => 0, malloc: () => 64, free: (at) => freed.push(at) };
    expect(() => createDenoiser(full, 50, 8_000)).toThrow('no memory');
    expect(freed).toEqual([64]);
  });

  it('rejects an invalid strength and an invalid frame', () => {
    for (const wrong of [-1, 101, Number.NaN]) expect(() => createDenoiser(rnnoise, wrong, 8_000)).toThrow(RangeError);
    for (const strength of [0, 50]) {
      const denoiser = denoiserOf(strength);
      expect(() => denoiser.process(new Int16Array(80), new Int16Array(160))).toThrow(RangeError);
      expect(() => denoiser.process(new Int16Array(160), new Int16Array(80))).toThrow(RangeError);
    }
  });
});
