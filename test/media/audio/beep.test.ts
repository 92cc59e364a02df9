import { describe, expect, it } from 'vitest';
import { loadSpeech, speechNames } from '../../../fixtures/speech.ts';
import { type Beep, createBeepDetector } from '../../../media/audio/beep.ts';
import { type DtmfDigit, dtmfSamples } from '../../../media/audio/dtmf.ts';
import { decodeMulaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { loadAmbient } from '../../../media/playout/ambient.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const RATE = 8000;

interface DetectedBeep extends Beep {
  /** When it was detected, in milliseconds of the audio. */
  atMs: number;
}

/** What is detected of the parts, one after the other on a telephone line. */
function detect(...parts: Int16Array[]): DetectedBeep[] {
  const audio = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0) + 160);
  let end = 0;
  for (const part of parts) {
    audio.set(part, end);
    end += part.length;
  }
  const bytes = new Uint8Array(audio.length);
  encodeMulaw(audio, bytes);
  decodeMulaw(bytes, audio);
  const detected: DetectedBeep[] = [];
  let at = 0;
  const detector = createBeepDetector((beep) => detected.push({ ...beep, atMs: ((at + 160) * 1000) / RATE }));
  for (; at + 160 <= audio.length; at += 160) detector.push(audio.subarray(at, at + 160));
  return detected;
}

const samplesIn = (ms: number) => Math.round((ms * RATE) / 1000);
const silence = (ms: number) => new Int16Array(samplesIn(ms));

/** Tones together, each at `db` of full scale. */
function tones(ms: number, db: number, ...hz: number[]): Int16Array {
  const amplitude = 32767 * 10 ** (db / 20);
  return Int16Array.from({ length: samplesIn(ms) }, (_, i) =>
    Math.round(hz.reduce((sum, each) => sum + amplitude * Math.sin(0.4 + (2 * Math.PI * each * i) / RATE), 0)),
  );
}

/** The same with even noise under all of it, so many dB under a tone of `db`. */
function noisy(audio: Int16Array, db: number, underDb: number, seed = 3): Int16Array {
  const random = seededRandom(seed);
  const width = 32767 * 10 ** ((db - underDb) / 20) * Math.sqrt(6);
  return audio.map((sample) => sample + Math.round((random() - 0.5) * width));
}

function joined(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

describe('a beep', () => {
  it.each([400, 440, 640, 850, 1000, 1400, 1750, 2100])(
    'of %i Hz is detected with its frequency and duration',
    (hz) => {
      const detected = detect(silence(213), tones(300, -12, hz), silence(300));
      expect(detected).toHaveLength(1);
      expect(Math.abs(detected[0]!.hz - hz)).toBeLessThanOrEqual(2);
      expect(Math.abs(detected[0]!.durationMs - 300)).toBeLessThanOrEqual(40);
    },
  );

  it('is detected within 100 ms of its end', () => {
    for (let beginMs = 200; beginMs < 220; beginMs += 3) {
      const [beep] = detect(silence(beginMs), tones(500, -10, 1000), silence(300));
      const lateMs = beep!.atMs - (beginMs + 500);
      expect(lateMs).toBeGreaterThan(20);
      expect(lateMs).toBeLessThanOrEqual(100);
    }
  });

  it('of 100 ms is detected wherever it starts', () => {
    for (let beginMs = 200; beginMs < 220; beginMs++) {
      expect(detect(silence(beginMs), tones(100, -14, 950), silence(200)), `at ${beginMs}`).toHaveLength(1);
    }
  });

  it.each([-6, -20, -30])('is detected at %i dB', (db) => {
    expect(detect(silence(100), tones(250, db, 1000), silence(200))).toHaveLength(1);
  });

  it('is detected over noise 12 dB below it', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const audio = joined(silence(300), tones(400, -16, 600 + seed * 60), silence(400));
      expect(detect(noisy(audio, -16, 12, seed)), `noise ${seed}`).toHaveLength(1);
    }
  });

  it('is detected after speech, once', () => {
    for (const name of ['greeting', 'booking-request', 'goodbye']) {
      const { samples } = loadSpeech(name);
      expect(detect(samples, tones(400, -12, 1400), silence(500)), name).toHaveLength(1);
    }
  });

  it('is detected each time', () => {
    const one = joined(tones(200, -12, 800), silence(300));
    expect(detect(silence(100), one, one, one)).toHaveLength(3);
  });
});

describe('no beep', () => {
  it.each(speechNames())('is in %s', (name) => {
    expect(detect(loadSpeech(name).samples)).toEqual([]);
  });

  it.each(['office', 'call_centre', 'cafe', 'street'] as const)('is in the ambient sound %s', async (name) => {
    expect(detect(await loadAmbient(name))).toEqual([]);
  });

  it('is silence or noise', () => {
    expect(detect(silence(1000))).toEqual([]);
    expect(detect(noisy(silence(3000), -20, 0))).toEqual([]);
  });

  it('is a DTMF digit', () => {
    const keys = [...'0123456789*#ABCD'] as DtmfDigit[];
    expect(detect(dtmfSamples(keys, { toneMs: 150, pauseMs: 150 }))).toEqual([]);
    expect(detect(dtmfSamples(keys, { toneMs: 150, pauseMs: 150, rowDb: -8, columnDb: -15 }))).toEqual([]);
  });

  // ITU-T E.180 lists what countries ring and engage with.
  it.each([
    ['North America rings', [440, 480], 2000, 4000],
    ['North America is engaged', [480, 620], 500, 500],
    ['Britain rings', [400, 450], 400, 200],
    ['India rings, 400 Hz times 25', [375, 425], 400, 200],
    ['Germany rings', [425], 1000, 4000],
    ['China rings', [450], 1000, 4000],
    ['a dial tone', [350, 440], 2000, 100],
  ] as const)('where %s', (_what, hz, onMs, offMs) => {
    const ring = joined(tones(onMs, -14, ...hz), silence(offMs));
    expect(detect(silence(100), ring, ring)).toEqual([]);
  });

  it('is a tone modulated at 25 Hz', () => {
    const ring = Int16Array.from({ length: RATE }, (_, i) => {
      const swell = 1 + Math.cos((2 * Math.PI * 25 * i) / RATE);
      return Math.round(6000 * swell * Math.sin((2 * Math.PI * 400 * i) / RATE));
    });
    expect(detect(ring, silence(500))).toEqual([]);
  });

  it('is a tone of 60 ms, or one of five seconds', () => {
    for (let beginMs = 200; beginMs < 220; beginMs += 2) {
      expect(detect(silence(beginMs), tones(60, -12, 1000), silence(300)), `at ${beginMs}`).toEqual([]);
    }
    expect(detect(silence(200), tones(5000, -12, 1000), silence(300))).toEqual([]);
  });

  it('is a tone that changes its frequency', () => {
    let phase = 0;
    const slide = Int16Array.from({ length: RATE }, (_, i) => {
      phase += (2 * Math.PI * (600 + (1200 * i) / RATE)) / RATE;
      return Math.round(8000 * Math.sin(phase));
    });
    expect(detect(silence(100), slide, silence(300))).toEqual([]);
  });

  it('is in a melody, of pure tones or of strings', () => {
    const notes = [523, 587, 659, 698, 784, 659, 523, 440, 494, 523, 587, 523];
    const flute = notes.map((hz) => tones(220, -12, hz));
    const strings = notes.map((hz) => {
      const plucked = tones(300, -16, hz, hz * 2, hz * 3);
      return plucked.map((sample, i) => Math.round(sample * Math.exp(-i / 1200)));
    });
    // The last note of a flute that is left alone would be a beep.
    expect(detect(silence(100), ...flute)).toEqual([]);
    expect(detect(silence(100), ...strings, silence(300))).toEqual([]);
    expect(detect(silence(100), ...notes.map((hz) => tones(400, -14, hz, hz * 1.25, hz * 1.5)), silence(300))).toEqual(
      [],
    );
  });
});

it('allocates nothing', () => {
  const frame = tones(20, -12, 1000);
  const detector = createBeepDetector(() => {});
  for (let i = 0; i < 500; i++) detector.push(frame);
  const before = process.memoryUsage();
  for (let i = 0; i < 5000; i++) detector.push(frame);
  const after = process.memoryUsage();
  // A float array for each frame would be 12 MB.
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(1_000_000);
});
