import { describe, expect, it } from 'vitest';
import { silenceByte } from '../../../media/audio/format.ts';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { mix, mixIntoFrame } from '../../../media/audio/mix.ts';
import { readSamples, writeSamples } from '../../../media/audio/samples.ts';
import { noise, pcmBytes, pcmSamples, tone } from './signals.ts';

const ENCODINGS = ['mulaw', 'alaw', 'pcm16'] as const;

describe('mixing samples', () => {
  it('adds them up', () => {
    const target = new Int16Array(3);
    mix(Int16Array.of(1, -200, 3000), Int16Array.of(10, -20, -3000), target);
    expect([...target]).toEqual([11, -220, 0]);
  });

  it('clips to 16 bits', () => {
    const target = new Int16Array(4);
    mix(Int16Array.of(32767, -32768, 20000, -20000), Int16Array.of(1, -1, 20000, -20000), target);
    expect([...target]).toEqual([32767, -32768, 32767, -32768]);
  });

  it('can work in place', () => {
    const samples = Int16Array.of(5, 6);
    mix(samples, Int16Array.of(1, 1), samples);
    const background = Int16Array.of(5, 6);
    mix(Int16Array.of(1, 1), background, background);
    expect([[...samples], [...background]]).toEqual([
      [6, 7],
      [6, 7],
    ]);
  });

  it('rejects lengths that differ', () => {
    expect(() => mix(new Int16Array(2), new Int16Array(3), new Int16Array(2))).toThrow(RangeError);
    expect(() => mix(new Int16Array(2), new Int16Array(2), new Int16Array(3))).toThrow(RangeError);
  });
});

describe('mixing into a frame', () => {
  it.each([
    ['mulaw', encodeMulaw, decodeMulaw],
    ['alaw', encodeAlaw, decodeAlaw],
  ] as const)('of %s is mixing what it stands for', (encoding, encode, decode) => {
    const frame = new Uint8Array(160);
    encode(tone(440, 8000, 160, 0.3), frame);
    const background = noise(160).map((sample) => sample / 10);
    const expected = new Int16Array(160);
    decode(frame, expected);
    mix(expected, background, expected);
    const expectedBytes = new Uint8Array(160);
    encode(expected, expectedBytes);

    const target = new Uint8Array(160);
    mixIntoFrame(frame, encoding, background, target);
    expect(target).toEqual(expectedBytes);
  });

  it('of PCM adds samples of two bytes', () => {
    const target = new Uint8Array(4);
    mixIntoFrame(pcmBytes(Int16Array.of(1000, -32000)), 'pcm16', Int16Array.of(-1, -32000), target);
    expect([...pcmSamples(target)]).toEqual([999, -32768]);
  });

  it.each(ENCODINGS)('of %s with silence changes nothing, and the frame may be its own target', (encoding) => {
    const frame = new Uint8Array(encoding === 'pcm16' ? 320 : 160);
    writeSamples(tone(440, 8000, 160), encoding, frame);
    const before = frame.slice();
    mixIntoFrame(frame, encoding, new Int16Array(160), frame);
    expect(frame).toEqual(before);
  });

  it.each(ENCODINGS)('of %s silence is the background', (encoding) => {
    const size = encoding === 'pcm16' ? 320 : 160;
    const frame = new Uint8Array(size).fill(silenceByte(encoding));
    const background = tone(440, 8000, 160, 0.3);
    mixIntoFrame(frame, encoding, background, frame);
    const decoded = new Int16Array(160);
    readSamples(frame, encoding, decoded);
    for (let i = 0; i < 160; i++) expect(Math.abs(decoded[i]! - background[i]!)).toBeLessThanOrEqual(512);
  });

  it('takes frames of one length after another', () => {
    for (const size of [160, 80, 160]) {
      const target = new Uint8Array(size);
      mixIntoFrame(new Uint8Array(size).fill(0xff), 'mulaw', new Int16Array(size), target);
      expect(target.every((byte) => byte === 0xff)).toBe(true);
    }
  });

  it('rejects a background of another length', () => {
    expect(() => mixIntoFrame(new Uint8Array(160), 'mulaw', new Int16Array(80), new Uint8Array(160))).toThrow(
      RangeError,
    );
    expect(() => mixIntoFrame(new Uint8Array(160), 'pcm16', new Int16Array(160), new Uint8Array(160))).toThrow(
      RangeError,
    );
    expect(() => mixIntoFrame(new Uint8Array(160), 'alaw', new Int16Array(160), new Uint8Array(80))).toThrow(
      RangeError,
    );
  });
});

describe('samples of a frame', () => {
  it.each(ENCODINGS)('in %s survive the way there and back', (encoding) => {
    const bytes = new Uint8Array(encoding === 'pcm16' ? 320 : 160);
    const samples = tone(300, 8000, 160);
    expect(writeSamples(samples, encoding, bytes)).toBe(bytes.length);
    const again = new Int16Array(160);
    expect(readSamples(bytes, encoding, again)).toBe(160);
    const bytesAgain = new Uint8Array(bytes.length);
    writeSamples(again, encoding, bytesAgain);
    expect(bytesAgain).toEqual(bytes);
  });

  it('are not written beyond the target', () => {
    expect(() => readSamples(new Uint8Array(4), 'pcm16', new Int16Array(1))).toThrow(RangeError);
    expect(() => writeSamples(new Int16Array(2), 'pcm16', new Uint8Array(3))).toThrow(RangeError);
    expect(() => readSamples(new Uint8Array(4), 'mulaw', new Int16Array(3))).toThrow(RangeError);
  });
});
