import { describe, expect, it } from 'vitest';
import { decodeAlaw, decodeMulaw, encodeAlaw, encodeMulaw } from '../../../media/audio/g711.ts';
import { createGain } from '../../../media/audio/gain.ts';
import { rms } from '../../../media/audio/level.ts';
import { decibels, pcmBytes, pcmSamples, strength, tone } from './signals.ts';

const LAWS = [
  ['mulaw', encodeMulaw, decodeMulaw],
  ['alaw', encodeAlaw, decodeAlaw],
] as const;

function steady(length: number, value = 10_000): Int16Array {
  return new Int16Array(length).fill(value);
}

describe('a gain', () => {
  it('of 1 returns the frame itself', () => {
    const frame = new Uint8Array(160).fill(7);
    expect(createGain().apply(frame, 'mulaw')).toBe(frame);
    expect(frame.every((byte) => byte === 7)).toBe(true);
  });

  it('ramps linearly from 1 to 0.3 within 40 ms', () => {
    const gain = createGain();
    gain.set(0.3, 40);
    const samples = steady(480);
    gain.applyTo(samples);
    expect(samples[0]).toBe(10_000);
    expect(samples[160]).toBeCloseTo(6500, -2);
    expect(samples[319]).toBeGreaterThan(3000);
    expect([...samples.subarray(320)]).toEqual([...steady(160, 3000)]);
    expect(gain.level).toBe(0.3);
  });

  it('makes no audible step', () => {
    const gain = createGain();
    const samples = steady(1600);
    gain.applyTo(samples.subarray(0, 400));
    gain.set(0.3, 40);
    gain.applyTo(samples.subarray(400, 500));
    gain.set(1, 200);
    gain.applyTo(samples.subarray(500, 900));
    gain.set(0, 0);
    gain.applyTo(samples.subarray(900));
    let largest = 0;
    for (let i = 1; i < samples.length; i++) largest = Math.max(largest, Math.abs(samples[i]! - samples[i - 1]!));
    // The fastest there is: all of it within 5 ms.
    expect(largest).toBeLessThanOrEqual(10_000 / 40 + 1);
    expect(samples.at(-1)).toBe(0);
  });

  it('adds no clicks to a tone', () => {
    const gain = createGain();
    const samples = tone(500, 8000, 800);
    gain.applyTo(samples.subarray(0, 240));
    gain.set(0.3, 40);
    gain.applyTo(samples.subarray(240));
    expect(decibels(strength(samples, 2500, 8000))).toBeLessThan(-80);
  });

  it.each(LAWS)('scales %s by its level', (encoding, encode, decode) => {
    const gain = createGain();
    gain.set(0.3, 0);
    const frame = new Uint8Array(160);
    encode(tone(400, 8000, 160), frame);
    gain.apply(frame, encoding);
    const output = new Int16Array(160);
    decode(gain.apply(frame, encoding), output);
    expect(decibels(rms(output) / rms(tone(400, 8000, 160)))).toBeCloseTo(decibels(0.3), 0);
  });

  it('gives the same PCM in frames as in one block', () => {
    const whole = steady(480);
    const one = createGain();
    one.set(0.3, 40);
    one.applyTo(whole);
    const many = createGain();
    many.set(0.3, 40);
    const frames = [0, 1, 2].flatMap(() => [...pcmSamples(many.apply(pcmBytes(steady(160)), 'pcm16'))]);
    expect(frames).toEqual([...whole]);
  });

  it('never writes into the frame it is given', () => {
    const gain = createGain();
    gain.set(0.3, 40);
    const frame = new Uint8Array(160).fill(0x90);
    expect(gain.apply(frame, 'mulaw')).not.toBe(frame);
    expect(frame.every((byte) => byte === 0x90)).toBe(true);
  });

  it('returns the frame itself again once it is back at 1', () => {
    const gain = createGain();
    gain.set(0.3, 40);
    for (let i = 0; i < 3; i++) gain.apply(new Uint8Array(160), 'mulaw');
    gain.set(1, 100);
    for (let i = 0; i < 5; i++) gain.apply(new Uint8Array(160), 'mulaw');
    const frame = new Uint8Array(160);
    expect(gain.level).toBe(1);
    expect(gain.apply(frame, 'mulaw')).toBe(frame);
  });

  it('continues from the level the last ramp has reached', () => {
    const gain = createGain();
    gain.set(0, 40);
    gain.applyTo(steady(160));
    expect(gain.level).toBeCloseTo(0.5);
    gain.set(1, 20);
    const samples = steady(160);
    gain.applyTo(samples);
    expect(samples[0]).toBeCloseTo(5000, -2);
    expect(gain.level).toBe(1);
  });

  it('above 1 clips', () => {
    const gain = createGain();
    gain.set(4, 0);
    const samples = Int16Array.from({ length: 400 }, (_, i) => (i % 2 ? 20_000 : -20_000));
    gain.applyTo(samples);
    expect([samples.at(-2), samples.at(-1)]).toEqual([-32768, 32767]);
  });

  it('counts its time in samples of its own rate', () => {
    const gain = createGain(16_000);
    gain.set(0, 40);
    gain.applyTo(steady(320));
    expect(gain.level).toBeCloseTo(0.5);
  });

  it('rejects an invalid gain', () => {
    for (const wrong of [-0.1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createGain().set(wrong, 10)).toThrow(RangeError);
    }
  });
});
