import { expect, test } from 'vitest';
import { encodeWav, readWav, type Wav } from '../../../media/audio/wav.ts';
import { wavHeader } from '../../../shared/recordings/wav-header.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { noise, pcmBytes } from './signals.ts';

function chunk(name: string, body: Uint8Array, size = body.length): Uint8Array {
  const bytes = new Uint8Array(8 + body.length + (body.length % 2));
  bytes.set(new TextEncoder().encode(name));
  new DataView(bytes.buffer).setUint32(4, size, true);
  bytes.set(body, 8);
  return bytes;
}

function format(encoding: number, channels: number, rate: number, bits: number, extra = 0, subFormat = 0): Uint8Array {
  const body = new Uint8Array(16 + extra);
  const view = new DataView(body.buffer);
  view.setUint16(0, encoding, true);
  view.setUint16(2, channels, true);
  view.setUint32(4, rate, true);
  view.setUint16(14, bits, true);
  if (subFormat) view.setUint16(24, subFormat, true);
  return chunk('fmt ', body);
}

function riff(...chunks: Uint8Array[]): Uint8Array {
  const body = chunks.flatMap((bytes) => Array.from(bytes));
  return Uint8Array.from([...chunk('RIFF', Uint8Array.from([...new TextEncoder().encode('WAVE'), ...body]))]);
}

function read(bytes: Uint8Array): Wav {
  const reading = readWav(bytes);
  if (reading.type === 'invalid') throw new Error(reading.why);
  return reading.wav;
}

test('what was written is read again', () => {
  const left = noise(1000, 1);
  const right = noise(900, 2);
  const filled = new Int16Array(1000);
  filled.set(right);
  expect(read(encodeWav(8000, left))).toEqual({ sampleRateHz: 8000, channels: [left] });
  expect(read(encodeWav(16000, left, right))).toEqual({ sampleRateHz: 16000, channels: [left, filled] });
});

test('the header is the one every player knows', () => {
  expect(Buffer.from(wavHeader(8000, 2, 1000)).toString('hex')).toBe(
    '524946460c040000' + '57415645' + '666d742010000000' + '01000200401f0000007d00000400' + '1000' + '64617461e8030000',
  );
});

test('mu-law, A-law and extensible headers are read', () => {
  const data = chunk('data', Uint8Array.of(0xff, 0x80, 0x00));
  expect(read(riff(format(7, 1, 8000, 8, 2), chunk('fact', new Uint8Array(4)), data)).channels).toEqual([
    Int16Array.of(0, 32124, -32124),
  ]);
  expect(read(riff(format(6, 1, 8000, 8), chunk('data', Uint8Array.of(0xd5)))).channels).toEqual([Int16Array.of(8)]);
  const pcm = chunk('data', pcmBytes(Int16Array.of(5, -6)));
  expect(read(riff(format(0xfffe, 2, 44100, 16, 24, 1), pcm))).toEqual({
    sampleRateHz: 44100,
    channels: [Int16Array.of(5), Int16Array.of(-6)],
  });
});

test('other chunks are skipped, odd ones with their padding', () => {
  const list = chunk('LIST', Uint8Array.of(1, 2, 3));
  const wav = read(riff(list, format(1, 1, 8000, 16), list, chunk('data', pcmBytes(Int16Array.of(9)))));
  expect(wav.channels).toEqual([Int16Array.of(9)]);
});

test('a data chunk without a length ends with the file', () => {
  const data = chunk('data', pcmBytes(Int16Array.of(1, 2, 3)), 0xffffffff);
  expect(read(riff(format(1, 1, 8000, 16), data)).channels).toEqual([Int16Array.of(1, 2, 3)]);
});

test.each([
  ['nothing', new Uint8Array(0)],
  ['no RIFF', new Uint8Array(100)],
  ['no data', riff(format(1, 1, 8000, 16))],
  ['data before the format', riff(chunk('data', new Uint8Array(4)), format(1, 1, 8000, 16))],
  ['24 bits', riff(format(1, 1, 8000, 24), chunk('data', new Uint8Array(6)))],
  ['six channels', riff(format(1, 6, 8000, 16), chunk('data', new Uint8Array(12)))],
  ['no rate', riff(format(1, 1, 0, 16), chunk('data', new Uint8Array(4)))],
  ['a cut format', riff(format(1, 1, 8000, 16)).subarray(0, 30)],
])('%s is invalid, not an error', (_, bytes) => {
  expect(readWav(bytes).type).toBe('invalid');
});

test('damaged files never throw', () => {
  const good = encodeWav(8000, noise(100), noise(100));
  const random = seededRandom(11);
  for (let round = 0; round < 2000; round++) {
    const bad = good.slice(0, Math.floor(random() * good.length));
    for (let hit = 0; hit < 4 && bad.length > 0; hit++) {
      bad[Math.floor(random() * Math.min(60, bad.length))] = Math.floor(random() * 256);
    }
    expect(['wav', 'invalid']).toContain(readWav(bad).type);
  }
});
