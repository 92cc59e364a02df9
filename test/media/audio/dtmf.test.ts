import { describe, expect, it } from 'vitest';
import { loadSpeech, speechNames } from '../../../fixtures/speech.ts';
import { createDtmfDetector, type DtmfDigit, dtmfSamples, isDtmfDigit } from '../../../media/audio/dtmf.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { loadAmbient } from '../../../media/playout/ambient.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { noise, strength } from './signals.ts';

/** The table of ITU-T Q.23: key, row and column in Hz. */
const TABLE: [key: DtmfDigit, rowHz: number, columnHz: number][] = [
  ['1', 697, 1209],
  ['2', 697, 1336],
  ['3', 697, 1477],
  ['A', 697, 1633],
  ['4', 770, 1209],
  ['5', 770, 1336],
  ['6', 770, 1477],
  ['B', 770, 1633],
  ['7', 852, 1209],
  ['8', 852, 1336],
  ['9', 852, 1477],
  ['C', 852, 1633],
  ['*', 941, 1209],
  ['0', 941, 1336],
  ['#', 941, 1477],
  ['D', 941, 1633],
];
const ALL = TABLE.map(([key]) => key).join('');

interface Press {
  toneMs?: number;
  /** Silence before the tone. */
  afterMs?: number;
  rowDb?: number;
  columnDb?: number;
  /** Both tones off by these shares. */
  rowOff?: number;
  columnOff?: number;
  /** Of the noise under it all, against each tone; none if not given. */
  noiseDb?: number;
}

/** One key through mu-law, with 100 ms after it. */
function press([, rowHz, columnHz]: (typeof TABLE)[number], given: Press = {}): Int16Array {
  const { toneMs = 50, afterMs = 50, rowDb = -14, columnDb = -14, rowOff = 0, columnOff = 0, noiseDb } = given;
  const start = Math.round(afterMs * 8);
  const end = start + Math.round(toneMs * 8);
  const random = seededRandom(start * 31 + end);
  const samples = Int16Array.from({ length: end + 800 }, (_, i) => {
    // An even distribution of width 1 has a power of 1/12, a sine of 1/2.
    const hiss = noiseDb === undefined ? 0 : (random() - 0.5) * Math.sqrt(6) * 10 ** ((rowDb + noiseDb) / 20);
    const t = (2 * Math.PI * (i - start)) / 8000;
    const silent = i < start || i >= end;
    const row = silent ? 0 : 10 ** (rowDb / 20) * Math.sin(0.7 + t * rowHz * (1 + rowOff));
    const column = silent ? 0 : 10 ** (columnDb / 20) * Math.sin(2.1 + t * columnHz * (1 + columnOff));
    return Math.max(-32768, Math.min(32767, Math.round(32767 * (hiss + row + column))));
  });
  const bytes = new Uint8Array(samples.length);
  encodeMulaw(samples, bytes);
  decodeMulaw(bytes, samples);
  return samples;
}

function detect(...parts: Int16Array[]): string {
  let digits = '';
  const detector = createDtmfDetector((digit) => {
    digits += digit;
  });
  for (const part of parts) for (let at = 0; at < part.length; at += 160) detector.push(part.subarray(at, at + 160));
  return digits;
}

/** The digits detected of all keys, each pressed at another position within a frame. */
function everyKey(given: Press): string {
  return TABLE.map((key, index) => detect(press(key, { ...given, afterMs: 50 + index * 1.3 }))).join('');
}

describe('a key', () => {
  it.each(TABLE)('%s is %i and %i Hz', (key, rowHz, columnHz) => {
    expect(detect(press([key, rowHz, columnHz]))).toBe(key);
    const samples = dtmfSamples([key], { toneMs: 200, pauseMs: 0 });
    expect(strength(samples, rowHz, 8000)).toBeCloseTo(10 ** (-10 / 20), 1);
    expect(strength(samples, columnHz, 8000)).toBeCloseTo(10 ** (-8 / 20), 1);
  });

  it.each([40, 45, 70, 400, 3000])('of %i ms is detected once', (toneMs) => {
    expect(everyKey({ toneMs })).toBe(ALL);
  });

  it.each([5, 10, 15, 20, 23])('of %i ms is none', (toneMs) => {
    expect(everyKey({ toneMs })).toBe('');
  });

  it.each([
    [-8, ALL],
    [-4, ALL],
    [4, ALL],
    [8, ''],
    [-12, ''],
    [-20, ''],
  ])('whose column is %i dB louder than its row gives "%s"', (twist, expected) => {
    expect(everyKey({ columnDb: -14 + twist })).toBe(expected);
  });

  it.each([
    [-3, ALL],
    [-20, ALL],
    [-34, ALL],
    [-40, ''],
    [-55, ''],
  ])('of %i dB a tone gives "%s"', (db, expected) => {
    expect(everyKey({ rowDb: db, columnDb: db })).toBe(expected);
  });

  it.each([
    [0.015, 0.015, ALL],
    [-0.015, -0.015, ALL],
    [0.018, -0.015, ALL],
    [0.035, 0, ''],
    [-0.035, 0, ''],
    [0, 0.035, ''],
    [0, -0.035, ''],
  ])('whose tones are off by %f and %f gives "%s"', (rowOff, columnOff, expected) => {
    expect(everyKey({ rowOff, columnOff })).toBe(expected);
  });

  it.each([-24, -15, -9])('is detected through noise of %i dB', (noiseDb) => {
    expect(everyKey({ noiseDb })).toBe(ALL);
  });

  it('needs both tones', () => {
    expect(everyKey({ rowDb: -100 }) + everyKey({ columnDb: -100 })).toBe('');
  });

  it('comes through A-law as well', () => {
    const samples = dtmfSamples(['4', '2', '#']);
    const bytes = new Uint8Array(samples.length);
    encodeAlaw(samples, bytes);
    decodeAlaw(bytes, samples);
    expect(detect(samples)).toBe('42#');
  });
});

describe('keys one after another', () => {
  it.each([40, 60, 500])('with %i ms between them are each detected', (pauseMs) => {
    const keys = [...'0011223344556677889900**##AABBCCDD'] as DtmfDigit[];
    expect(detect(dtmfSamples(keys, { toneMs: 40, pauseMs }))).toBe(keys.join(''));
  });

  it.each([2, 5, 10])('of which the same one is broken for %i ms are one', (gapMs) => {
    for (const key of TABLE) {
      const first = press(key, { toneMs: 60 });
      const tone = first.subarray(0, first.length - 800);
      expect(detect(tone, press(key, { toneMs: 60, afterMs: gapMs }))).toBe(key[0]);
    }
  });

  it('are detected without a pause when they differ', () => {
    expect(detect(dtmfSamples(['1', '5', '9', 'D'], { toneMs: 60, pauseMs: 0 }))).toBe('159D');
  });

  it('are the same however the audio is split', () => {
    const samples = dtmfSamples([...'19*0#'] as DtmfDigit[], { toneMs: 50, pauseMs: 50 });
    for (const size of [1, 7, 40, 161, samples.length]) {
      let digits = '';
      const detector = createDtmfDetector((digit) => {
        digits += digit;
      });
      for (let at = 0; at < samples.length; at += size) detector.push(samples.subarray(at, at + size));
      expect(digits).toBe('19*0#');
    }
  });

  it('are pressed until they are released', () => {
    const detector = createDtmfDetector(() => {});
    const states: boolean[] = [];
    const samples = dtmfSamples(['5'], { toneMs: 200, pauseMs: 100 });
    for (let at = 0; at < samples.length; at += 400) {
      detector.push(samples.subarray(at, at + 400));
      states.push(detector.pressed);
    }
    expect(states).toEqual([true, true, true, true, false, false]);
  });
});

describe('not a key', () => {
  it.each(speechNames())('the recording %s at any loudness', (name) => {
    const { samples } = loadSpeech(name);
    for (const gain of [0.5, 1, 2, 4]) {
      expect(detect(samples.map((sample) => Math.max(-32768, Math.min(32767, sample * gain))))).toBe('');
    }
  });

  it.each(['office', 'call_centre', 'cafe', 'street'] as const)('the ambient sound %s', async (name) => {
    const audio = await loadAmbient(name);
    expect(detect(audio) + detect(audio.map((sample) => sample * 2))).toBe('');
  });

  it('noise, silence and a square wave', () => {
    const square = Int16Array.from({ length: 16_000 }, (_, i) => (i % 11 < 5 ? 30_000 : -30_000));
    expect(detect(noise(80_000), new Int16Array(8000), square)).toBe('');
  });

  it('the dial tone, the ringing tone and a modem', () => {
    for (const [one, other] of [
      [350, 440],
      [440, 480],
      [480, 620],
      [1270, 1070],
      [2100, 2100],
    ] as const) {
      const samples = Int16Array.from({ length: 8000 }, (_, i) =>
        Math.round(6000 * (Math.sin((2 * Math.PI * one * i) / 8000) + Math.sin((2 * Math.PI * other * i) / 8000))),
      );
      expect(detect(samples)).toBe('');
    }
  });

  it('humming through every pitch', () => {
    let turn = 0;
    const samples = Int16Array.from({ length: 30 * 8000 }, (_, i) => {
      turn += (80 + 320 * (0.5 + 0.5 * Math.sin(i / 9000))) / 8000;
      let sum = 0;
      for (let harmonic = 1; harmonic <= 6; harmonic++) sum += Math.sin(2 * Math.PI * harmonic * turn) / harmonic;
      return Math.round(6000 * sum);
    });
    expect(detect(samples)).toBe('');
  });

  it('characters without a key', () => {
    expect([...'0123456789*#ABCD'].every(isDtmfDigit)).toBe(true);
    expect(['E', 'a', '', '12', 'w'].some(isDtmfDigit)).toBe(false);
  });
});

describe('generated digits', () => {
  it('last as long as asked for', () => {
    expect(dtmfSamples(['1', '2'])).toHaveLength(2 * 1600);
    expect(dtmfSamples(['1'], { toneMs: 50, pauseMs: 0 })).toHaveLength(400);
    expect(dtmfSamples([])).toHaveLength(0);
  });

  it('never wrap around, however loud', () => {
    const samples = dtmfSamples(['1'], { rowDb: 0, columnDb: 0 });
    expect(Math.max(...samples)).toBe(32767);
    expect(detect(samples)).toBe('1');
  });
});
