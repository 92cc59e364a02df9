import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw } from '../../../media/audio/g711.ts';
import { dbfs, rms } from '../../../media/audio/level.ts';
import { type Ambient, createAmbient, loadAmbient, openAmbient } from '../../../media/playout/ambient.ts';
import { decibels, noise, pcmBytes, pcmSamples, tone } from '../audio/signals.ts';

const NAMES = ['office', 'call_centre', 'cafe', 'street'] as const;
const SOUNDS = join(import.meta.dirname, '../../../shared/sounds');

/** Returns this many frames of the background. */
function listen(ambient: Ambient, frames: number): Int16Array {
  const played = new Int16Array(frames * 160);
  for (let at = 0; at < played.length; at += 160) ambient.next(played.subarray(at, at + 160));
  return played;
}

function largestStep(samples: Int16Array): number {
  let largest = 0;
  for (let i = 1; i < samples.length; i++) largest = Math.max(largest, Math.abs(samples[i]! - samples[i - 1]!));
  return largest;
}

describe('built-in ambient sounds', () => {
  it.each(NAMES)('%s is 12 s at 8 kHz, under 100 kB, at −26 dBFS', async (name) => {
    const sound = await loadAmbient(name);
    expect(sound).toHaveLength(96_000);
    expect(statSync(join(SOUNDS, `${name}.wav`)).size).toBeLessThan(100_000);
    expect(dbfs(sound)).toBeGreaterThan(-26.2);
    expect(dbfs(sound)).toBeLessThan(-25.8);
    expect(Math.abs(sound.reduce((sum, sample) => sum + sample, 0) / sound.length)).toBeLessThan(10);
  });

  it.each(NAMES)('%s is never silent and never clips', async (name) => {
    const sound = await loadAmbient(name);
    for (let at = 0; at < sound.length; at += 4000) {
      const half = dbfs(sound.subarray(at, at + 4000));
      expect(half).toBeGreaterThan(-46);
      expect(half).toBeLessThan(-18);
    }
    expect(Math.max(...sound.map(Math.abs))).toBeLessThan(32_768 * 10 ** (-7.5 / 20));
  });

  it('are read once per process', () => {
    expect(loadAmbient('cafe')).toBe(loadAmbient('cafe'));
  });

  it('are what the script generates, byte for byte', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ambient-'));
    try {
      const script = join(import.meta.dirname, '../../../fixtures/make-ambient.ts');
      execFileSync(process.execPath, [script, folder], { timeout: 120_000 });
      for (const name of NAMES) {
        expect(readFileSync(join(folder, `${name}.wav`)).equals(readFileSync(join(SOUNDS, `${name}.wav`)))).toBe(true);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the background', () => {
  it('loops without a click', async () => {
    for (const name of NAMES) {
      const sound = await loadAmbient(name);
      const played = listen(createAmbient({ samples: sound, volume: 100 }), 1500);
      const loop = sound.length - 4000;
      for (const end of [loop, 2 * loop]) {
        const around = played.subarray(end - 400, end + 400);
        expect(largestStep(around)).toBeLessThanOrEqual(largestStep(sound) * 1.1);
        expect(rms(around)).toBeGreaterThan(0);
      }
      // From the second loop on every loop is the same.
      expect(played.subarray(2 * loop, 2 * loop + 40_000)).toEqual(played.subarray(loop, loop + 40_000));
    }
  });

  it('crosses over a quarter of a short sound, its powers adding up to one', () => {
    const played = listen(createAmbient({ samples: new Int16Array(4_000).fill(1_000), volume: 100 }), 50);
    const level = Math.max(...played.subarray(1_000, 3_000));
    const secondLoop = played.subarray(3_000, 6_000);
    expect(Math.min(...secondLoop)).toBe(level);
    expect(Math.max(...secondLoop) / level).toBeCloseTo(Math.SQRT2, 2);
  });

  it('is as loud in the crossfade as elsewhere', () => {
    const played = listen(createAmbient({ samples: noise(32_000), volume: 100 }), 400);
    const crossfade = played.subarray(28_000, 32_000);
    for (let at = 0; at < crossfade.length; at += 1000)
      expect(dbfs(crossfade.subarray(at, at + 1000))).toBeCloseTo(-26, -0.5);
  });

  it.each([
    [100, -26],
    [50, -32],
    [30, -36.5],
    [10, -46],
  ])('at volume %i has %f dBFS', (volume, db) => {
    const played = listen(createAmbient({ samples: noise(80_000), volume }), 400);
    expect(Math.abs(dbfs(played.subarray(4000)) - db)).toBeLessThan(0.3);
  });

  it.each([0.02, 0.9])('brings a sound recorded at %f of full scale to the same level', (amplitude) => {
    const played = listen(createAmbient({ samples: tone(300, 8000, 40_000, amplitude), volume: 100 }), 200);
    expect(Math.abs(dbfs(played.subarray(8000)) + 26)).toBeLessThan(0.3);
  });

  it('amplifies a nearly silent sound by at most 30 dB', () => {
    const nearlySilent = Int16Array.from({ length: 8000 }, (_, i) => (i % 2 ? 1 : -1));
    expect(Math.max(...listen(createAmbient({ samples: nearlySilent, volume: 100 }), 100))).toBeLessThan(50);
  });

  it('fades in', () => {
    const played = listen(createAmbient({ samples: tone(300, 8000, 80_000), volume: 100 }), 50);
    expect(played[0]).toBe(0);
    expect(decibels(rms(played.subarray(0, 400)) / rms(played.subarray(4000)))).toBeLessThan(-20);
    expect(largestStep(played.subarray(0, 800))).toBeLessThan(largestStep(played.subarray(4000)) / 2);
  });

  it('is mixed under the speech and continues where the speech ends', () => {
    const sound = noise(40_000);
    const alone = createAmbient({ samples: sound, volume: 100 });
    const under = createAmbient({ samples: sound, volume: 100 });
    const speech = tone(400, 8000, 160, 0.4);
    const silence = new Int16Array(160);
    const background = new Int16Array(160);
    for (const frame of [speech, speech, silence, silence, speech]) {
      alone.next(background);
      const mixed = pcmSamples(under.mixInto(pcmBytes(frame), 'pcm16'));
      expect([...mixed]).toEqual([...frame.map((sample, i) => sample + background[i]!)]);
    }
  });

  it.each([
    ['mulaw', 0xff, decodeMulaw],
    ['alaw', 0xd5, decodeAlaw],
  ] as const)('is mixed into frames of %s without changing the given frame', (encoding, quiet, decode) => {
    const ambient = createAmbient({ samples: noise(40_000), volume: 100 });
    listen(ambient, 30);
    const frame = new Uint8Array(160).fill(quiet);
    const mixed = ambient.mixInto(frame, encoding);
    expect(frame.every((byte) => byte === quiet)).toBe(true);
    const played = new Int16Array(160);
    decode(mixed, played);
    expect(Math.abs(dbfs(played) + 26)).toBeLessThan(1.5);
  });

  it('plays rewound samples again', () => {
    const ambient = createAmbient({ samples: noise(20_000), volume: 80 });
    const before = listen(ambient, 120);
    ambient.rewind(6 * 160);
    expect(listen(ambient, 6)).toEqual(before.subarray(114 * 160));
    ambient.rewind(1e9);
    expect(listen(ambient, 120)).toEqual(before);
  });

  it('returns the frame itself at volume 0 or for an empty sound', () => {
    const frame = new Uint8Array(160);
    for (const ambient of [
      createAmbient({ samples: noise(8000), volume: 0 }),
      createAmbient({ samples: new Int16Array(0), volume: 100 }),
    ]) {
      expect(ambient.mixInto(frame, 'mulaw')).toBe(frame);
      expect(listen(ambient, 2)).toEqual(new Int16Array(320));
    }
  });

  it('loops a sound of one sample', () => {
    const played = listen(createAmbient({ samples: Int16Array.of(1000), volume: 100 }), 2);
    expect(new Set(played).size).toBe(1);
  });

  it('does not change the sound, which all calls share', () => {
    const sound = noise(8000);
    const before = sound.slice();
    listen(createAmbient({ samples: sound, volume: 100 }), 200);
    expect(sound).toEqual(before);
  });

  it('throws for an invalid volume and an invalid frame length', () => {
    for (const volume of [-1, 101, Number.NaN]) {
      expect(() => createAmbient({ samples: noise(800), volume })).toThrow(RangeError);
    }
    const ambient = createAmbient({ samples: noise(8000), volume: 50 });
    expect(() => ambient.mixInto(new Uint8Array(80), 'mulaw')).toThrow(RangeError);
  });
});

describe('the background of a call', () => {
  const sound = tone(440, 8_000, 16_000);
  const hear = (ambient: Ambient | null) => {
    const played = new Int16Array(16_000);
    ambient!.next(played);
    return played;
  };

  it('is none without a sound', () => {
    expect(openAmbient(null, 50, 8_000)).toBeNull();
  });

  it('has the rate of the call, without a delay', () => {
    const fine = hear(openAmbient(sound, 100, 16_000));
    const plain = hear(createAmbient({ samples: sound, volume: 100 }));
    const difference = plain.subarray(4_000, 8_000).map((sample, i) => sample - fine[2 * (4_000 + i)]!);
    expect(rms(difference) / rms(plain.subarray(4_000, 8_000))).toBeLessThan(0.05);
    expect(hear(openAmbient(sound, 100, 8_000))).toEqual(plain);
  });

  it('is the same when its sound is there later, and silence when there is none', async () => {
    for (const rateHz of [8_000, 16_000]) {
      const [later, none] = [sound, null].map((loaded) => openAmbient(Promise.resolve(loaded), 100, rateHz));
      await new Promise((resolve) => setImmediate(resolve));
      expect(hear(later!)).toEqual(hear(openAmbient(sound, 100, rateHz)));
      expect(hear(none!).every((sample) => sample === 0)).toBe(true);
    }
  });
});
