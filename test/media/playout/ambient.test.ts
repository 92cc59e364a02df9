import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw } from '../../../media/audio/g711.ts';
import { dbfs, rms } from '../../../media/audio/level.ts';
import { type Ambient, createAmbient, loadAmbient } from '../../../media/playout/ambient.ts';
import { decibels, noise, pcmBytes, pcmSamples, tone } from '../audio/signals.ts';

const NAMES = ['office', 'call_centre', 'cafe', 'street'] as const;
const SOUNDS = join(import.meta.dirname, '../../../shared/sounds');

/** So many frames of the background. */
function listen(ambient: Ambient, frames: number): Int16Array {
  const heard = new Int16Array(frames * 160);
  for (let at = 0; at < heard.length; at += 160) ambient.next(heard.subarray(at, at + 160));
  return heard;
}

function largestStep(samples: Int16Array): number {
  let largest = 0;
  for (let i = 1; i < samples.length; i++) largest = Math.max(largest, Math.abs(samples[i]! - samples[i - 1]!));
  return largest;
}

describe('the built-in sounds', () => {
  it.each(NAMES)('%s is telephone sound of about 12 s, small, and loud as it should be', async (name) => {
    const sound = await loadAmbient(name);
    expect(sound).toHaveLength(96_000);
    expect(statSync(join(SOUNDS, `${name}.wav`)).size).toBeLessThan(100_000);
    expect(dbfs(sound)).toBeGreaterThan(-26.2);
    expect(dbfs(sound)).toBeLessThan(-25.8);
    expect(Math.abs(sound.reduce((sum, sample) => sum + sample, 0) / sound.length)).toBeLessThan(10);
  });

  it.each(NAMES)('%s is never silent and never shouts', async (name) => {
    const sound = await loadAmbient(name);
    for (let at = 0; at < sound.length; at += 4000) {
      const half = dbfs(sound.subarray(at, at + 4000));
      expect(half).toBeGreaterThan(-46);
      expect(half).toBeLessThan(-18);
    }
    expect(Math.max(...sound.map(Math.abs))).toBeLessThan(32_768 * 10 ** (-7.5 / 20));
  });

  it('are read once', () => {
    expect(loadAmbient('cafe')).toBe(loadAmbient('cafe'));
  });

  it('come out of their script the same every time', () => {
    const folder = mkdtempSync(join(tmpdir(), 'ambient-'));
    try {
      const script = join(import.meta.dirname, '../../../fixtures/make-ambient.ts');
      execFileSync(process.execPath, [script, folder], { timeout: 25_000 });
      for (const name of NAMES) {
        expect(readFileSync(join(folder, `${name}.wav`)).equals(readFileSync(join(SOUNDS, `${name}.wav`)))).toBe(true);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('the background', () => {
  it('goes round without a seam', async () => {
    for (const name of NAMES) {
      const sound = await loadAmbient(name);
      const heard = listen(createAmbient({ samples: sound, volume: 100 }), 1500);
      const round = sound.length - 4000;
      for (const turn of [round, 2 * round]) {
        const around = heard.subarray(turn - 400, turn + 400);
        expect(largestStep(around)).toBeLessThanOrEqual(largestStep(sound) * 1.1);
        expect(rms(around)).toBeGreaterThan(0);
      }
      // From the second round on, every round is like the last.
      expect(heard.subarray(2 * round, 2 * round + 40_000)).toEqual(heard.subarray(round, round + 40_000));
    }
  });

  it('is as loud at the seam as elsewhere', () => {
    const heard = listen(createAmbient({ samples: noise(32_000), volume: 100 }), 400);
    const seam = heard.subarray(28_000, 32_000);
    for (let at = 0; at < seam.length; at += 1000) expect(dbfs(seam.subarray(at, at + 1000))).toBeCloseTo(-26, -0.5);
  });

  it.each([
    [100, -26],
    [50, -32],
    [30, -36.5],
    [10, -46],
  ])('at volume %i has %f dBFS', (volume, db) => {
    const heard = listen(createAmbient({ samples: noise(80_000), volume }), 400);
    expect(Math.abs(dbfs(heard.subarray(4000)) - db)).toBeLessThan(0.3);
  });

  it.each([0.02, 0.9])('brings a sound recorded at %f of full scale to the same level', (amplitude) => {
    const heard = listen(createAmbient({ samples: tone(300, 8000, 40_000, amplitude), volume: 100 }), 200);
    expect(Math.abs(dbfs(heard.subarray(8000)) + 26)).toBeLessThan(0.3);
  });

  it('does not blow up what is nearly silent', () => {
    const hush = Int16Array.from({ length: 8000 }, (_, i) => (i % 2 ? 1 : -1));
    expect(Math.max(...listen(createAmbient({ samples: hush, volume: 100 }), 100))).toBeLessThan(50);
  });

  it('comes in softly', () => {
    const heard = listen(createAmbient({ samples: tone(300, 8000, 80_000), volume: 100 }), 50);
    expect(heard[0]).toBe(0);
    expect(decibels(rms(heard.subarray(0, 400)) / rms(heard.subarray(4000)))).toBeLessThan(-20);
    expect(largestStep(heard.subarray(0, 800))).toBeLessThan(largestStep(heard.subarray(4000)) / 2);
  });

  it('is mixed under the speech and goes on where the speech ends', () => {
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
  ] as const)('is heard in frames of %s, which stay as they were', (encoding, quiet, decode) => {
    const ambient = createAmbient({ samples: noise(40_000), volume: 100 });
    listen(ambient, 30);
    const frame = new Uint8Array(160).fill(quiet);
    const mixed = ambient.mixInto(frame, encoding);
    expect(frame.every((byte) => byte === quiet)).toBe(true);
    const heard = new Int16Array(160);
    decode(mixed, heard);
    expect(Math.abs(dbfs(heard) + 26)).toBeLessThan(1.5);
  });

  it('taken back comes again', () => {
    const ambient = createAmbient({ samples: noise(20_000), volume: 80 });
    const before = listen(ambient, 120);
    ambient.rewind(6 * 160);
    expect(listen(ambient, 6)).toEqual(before.subarray(114 * 160));
    ambient.rewind(1e9);
    expect(listen(ambient, 120)).toEqual(before);
  });

  it('at volume 0, or without a sound, is not there', () => {
    const frame = new Uint8Array(160);
    for (const ambient of [
      createAmbient({ samples: noise(8000), volume: 0 }),
      createAmbient({ samples: new Int16Array(0), volume: 100 }),
    ]) {
      expect(ambient.mixInto(frame, 'mulaw')).toBe(frame);
      expect(listen(ambient, 2)).toEqual(new Int16Array(320));
    }
  });

  it('is content with a sound of one sample', () => {
    const heard = listen(createAmbient({ samples: Int16Array.of(1000), volume: 100 }), 2);
    expect(new Set(heard).size).toBe(1);
  });

  it('leaves the sound itself alone, which all calls share', () => {
    const sound = noise(8000);
    const before = sound.slice();
    listen(createAmbient({ samples: sound, volume: 100 }), 200);
    expect(sound).toEqual(before);
  });

  it('refuses a volume that is none and a frame that is none', () => {
    for (const volume of [-1, 101, Number.NaN]) {
      expect(() => createAmbient({ samples: noise(800), volume })).toThrow(RangeError);
    }
    const ambient = createAmbient({ samples: noise(8000), volume: 50 });
    expect(() => ambient.mixInto(new Uint8Array(80), 'mulaw')).toThrow(RangeError);
  });
});
