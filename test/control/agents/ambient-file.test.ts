import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createAmbientDecoder } from '../../../control/agents/ambient-decoder.ts';
import { decodeAmbientFile, readWavHeader } from '../../../control/agents/ambient-file.ts';
import { BUILT_IN_AMBIENT_SOUNDS, builtInAmbientSoundFile } from '../../../shared/ambient-sounds.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** 1.5 seconds of 440 Hz at a quarter of full scale, stereo at 22.05 kHz, made by LAME at 56 kbit/s. */
const TONE_MP3 = readFileSync(join(import.meta.dirname, 'tone.mp3'));

interface Kind {
  encoding: number;
  bits: number;
  write(bytes: Buffer, at: number, value: number): void;
}

const KINDS: Record<string, Kind> = {
  'PCM of 8 bits': { encoding: 1, bits: 8, write: (b, at, v) => b.writeUInt8(Math.round(v * 127) + 128, at) },
  'PCM of 16 bits': { encoding: 1, bits: 16, write: (b, at, v) => b.writeInt16LE(Math.round(v * 32767), at) },
  'PCM of 24 bits': { encoding: 1, bits: 24, write: (b, at, v) => b.writeIntLE(Math.round(v * (2 ** 23 - 1)), at, 3) },
  'PCM of 32 bits': { encoding: 1, bits: 32, write: (b, at, v) => b.writeInt32LE(Math.round(v * (2 ** 31 - 1)), at) },
  'floating point': { encoding: 3, bits: 32, write: (b, at, v) => b.writeFloatLE(v, at) },
};

function wav(kind: Kind, rateHz: number, channels: ((second: number) => number)[], seconds = 1): Buffer {
  const step = kind.bits / 8;
  const count = Math.round(seconds * rateHz);
  const bytes = Buffer.alloc(44 + count * step * channels.length);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(kind.encoding, 20);
  bytes.writeUInt16LE(channels.length, 22);
  bytes.writeUInt32LE(rateHz, 24);
  bytes.writeUInt32LE(rateHz * step * channels.length, 28);
  bytes.writeUInt16LE(step * channels.length, 32);
  bytes.writeUInt16LE(kind.bits, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(bytes.length - 44, 40);
  for (let i = 0; i < count; i++) {
    for (const [channel, value] of channels.entries()) {
      kind.write(bytes, 44 + (i * channels.length + channel) * step, value(i / rateHz));
    }
  }
  return bytes;
}

const tone =
  (hz: number, amplitude = 0.5) =>
  (second: number) =>
    amplitude * Math.sin(2 * Math.PI * hz * second);

async function samplesOf(file: Uint8Array): Promise<Int16Array> {
  const read = await decodeAmbientFile(file);
  if (read.type !== 'decoded') throw new Error(read.type);
  const facts = readWavHeader(read.wav)!;
  expect(facts).toMatchObject({ encoding: 1, channels: 1, rateHz: 16_000, bits: 16, dataStart: 44 });
  expect(facts.seconds).toBeCloseTo(read.seconds, 6);
  return new Int16Array(read.wav.buffer, 44);
}

/** How much of the sound is this tone, and how much anything else, in amplitudes of full scale; the ends are left out. */
function spectrumOf(samples: Int16Array, hz: number): { tone: number; rest: number } {
  const from = 1600;
  const count = Math.floor((samples.length - 2 * from) / 1600) * 1600;
  let [re, im, power] = [0, 0, 0];
  for (let i = 0; i < count; i++) {
    const value = samples[from + i]! / 32768;
    const angle = (2 * Math.PI * hz * i) / 16_000;
    re += value * Math.cos(angle);
    im += value * Math.sin(angle);
    power += value * value;
  }
  const amplitude = (2 * Math.hypot(re, im)) / count;
  return { tone: amplitude, rest: Math.sqrt(Math.max(0, (2 * power) / count - amplitude ** 2)) };
}

describe('a WAV file', () => {
  it.each(Object.keys(KINDS))('of %s is decoded at any sample rate', async (name) => {
    for (const rateHz of [8_000, 11_025, 16_000, 22_050, 44_100, 48_000, 96_000]) {
      const samples = await samplesOf(wav(KINDS[name]!, rateHz, [tone(440)]));
      expect(samples.length).toBe(16_000);
      const spectrum = spectrumOf(samples, 440);
      expect(Math.abs(spectrum.tone - 0.5)).toBeLessThan(0.005);
      expect(spectrum.rest).toBeLessThan(0.01);
    }
  });

  it('with several channels is mixed to one', async () => {
    const samples = await samplesOf(wav(KINDS['PCM of 16 bits']!, 44_100, [tone(440), tone(880)]));
    expect(spectrumOf(samples, 440).tone).toBeCloseTo(0.25, 2);
    expect(spectrumOf(samples, 880).tone).toBeCloseTo(0.25, 2);
  });

  it('loses only frequencies above the limit of 16 kHz', async () => {
    const high = await samplesOf(wav(KINDS['PCM of 16 bits']!, 48_000, [tone(10_000)]));
    // Its sudden beginning and end are spectrum.
    expect(Math.max(...high.subarray(200, -200).map(Math.abs))).toBeLessThan(60);
    const low = await samplesOf(wav(KINDS['PCM of 16 bits']!, 48_000, [tone(6_000)]));
    expect(spectrumOf(low, 6_000).tone).toBeGreaterThan(0.45);
  });

  it.each(BUILT_IN_AMBIENT_SOUNDS)('may be a built-in sound at 8 kHz: %s', async (name) => {
    expect((await samplesOf(readFileSync(builtInAmbientSoundFile(name)))).length).toBe(12 * 16_000);
  });

  it('whose data length is too large ends with the file', async () => {
    const file = wav(KINDS['PCM of 16 bits']!, 16_000, [tone(440)]);
    file.writeUInt32LE(0xffffffff, 40);
    expect((await samplesOf(file)).length).toBe(16_000);
  });

  it('that is malformed is refused', async () => {
    const good = wav(KINDS['PCM of 16 bits']!, 16_000, [tone(440)]);
    for (let at = 0; at < 44; at++) {
      for (const value of [0, 1, 0x7f, 0xff]) {
        const bad = Buffer.from(good);
        bad[at] = value;
        expect(['decoded', 'unknown', 'length']).toContain((await decodeAmbientFile(bad)).type);
      }
      expect((await decodeAmbientFile(good.subarray(0, at))).type).not.toBe('sound');
    }
  });
});

describe('an MP3 file', () => {
  it('is read', async () => {
    const samples = await samplesOf(TONE_MP3);
    expect(samples.length / 16_000).toBeGreaterThan(1.45);
    expect(samples.length / 16_000).toBeLessThan(1.65);
    const spectrum = spectrumOf(samples.subarray(0, 22_400), 440);
    expect(Math.abs(spectrum.tone - 8000 / 32768)).toBeLessThan(0.03);
    expect(spectrum.rest).toBeLessThan(0.03);
  });

  it('is decoded after an ID3 tag', async () => {
    const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x0f\x76', 'latin1'), Buffer.alloc(2038)]);
    expect((await samplesOf(Buffer.concat([tag, TONE_MP3]))).length / 16_000).toBeGreaterThan(1.4);
  });

  it('that is too long is not decoded to its end', async () => {
    const many = Buffer.concat(Array.from({ length: 100 }, () => TONE_MP3));
    expect((await decodeAmbientFile(many)).type).toBe('length');
  });

  it('that is corrupt is decoded up to there, or refused', async () => {
    const reader = createAmbientDecoder({ clock: systemClock, log: createLogger('test', 'silent') });
    const random = seededRandom(5);
    const noise = Buffer.from(TONE_MP3).map((byte, at) =>
      at > 100 && random() < 1 / 7 ? Math.floor(random() * 256) : byte,
    );
    const junk = Buffer.alloc(50_000, 7);
    junk.set([0xff, 0xfb, 0x90, 0x64]);
    const files = [noise, TONE_MP3.subarray(0, 3000), junk, Buffer.from([0xff, 0xfb, 0x90])];
    for (const read of await Promise.all(files.map(reader))) {
      expect(['decoded', 'unknown', 'length']).toContain(read.type);
    }
  });
});
