import { describe, expect, test } from 'vitest';
import { loadSpeech } from '../../../fixtures/speech.ts';
import { createConverter } from '../../../media/audio/converter.ts';
import { PCM_8K, PCM_16K } from '../../../media/audio/format.ts';
import { rms } from '../../../media/audio/level.ts';
import { isDtx, loadOpus, type OpusCodec, packetMs } from '../../../media/audio/opus.ts';
import { tone } from './signals.ts';

const loading = loadOpus();
if ('unavailableReason' in loading) console.warn(`Opus is not tested here: ${loading.unavailableReason}`);

test('the duration of a packet comes from its table of contents', () => {
  // Configurations of RFC 6716, table 2: SILK, hybrid, CELT.
  expect(packetMs(Uint8Array.of(0 << 3, 1))).toBe(10);
  expect(packetMs(Uint8Array.of(11 << 3, 1))).toBe(60);
  expect(packetMs(Uint8Array.of(13 << 3, 1))).toBe(20);
  expect(packetMs(Uint8Array.of(16 << 3, 1))).toBe(2.5);
  expect(packetMs(Uint8Array.of((31 << 3) | 1, 1))).toBe(40);
  expect(packetMs(Uint8Array.of((31 << 3) | 3, 6))).toBe(120);
  expect(packetMs(Uint8Array.of((31 << 3) | 3, 7))).toBeNull();
  expect(packetMs(Uint8Array.of((31 << 3) | 3))).toBeNull();
  expect(packetMs(new Uint8Array(0))).toBeNull();
  expect(packetMs(new Uint8Array(1_501))).toBeNull();
});

describe.skipIf('unavailableReason' in loading)('speech through Opus', () => {
  const newCodec = (): OpusCodec => ('unavailableReason' in loading ? (null as never) : loading.newCodec());
  const samplesOf = (bytes: Uint8Array) => new Int16Array(bytes.slice().buffer);
  const audio = tone(440, 16_000, 16_000, 8_000);
  const frame = (at: number) => new Uint8Array(audio.buffer, (at % 50) * 640, 640);

  test('keeps its level, 20 ms at a time', () => {
    const codec = newCodec();
    let level = 0;
    for (let i = 0; i < 50; i++) {
      const packet = codec.encode(frame(i)).slice();
      expect(packetMs(packet)).toBe(20);
      const decoded = codec.decode(packet)!;
      expect(decoded).toHaveLength(640);
      level = rms(samplesOf(decoded));
    }
    expect(level).toBeGreaterThan(0.5 * rms(audio));
    expect(level).toBeLessThan(1.5 * rms(audio));
  });

  test('a lost packet is concealed by a similar frame, a long loss fades', () => {
    const codec = newCodec();
    expect(codec.conceal()).toBeNull();
    for (let i = 0; i < 30; i++) codec.decode(codec.encode(frame(i)));
    const first = codec.conceal()!;
    expect(first).toHaveLength(640);
    expect(rms(samplesOf(first))).toBeGreaterThan(0.4 * rms(audio));
    let last = first;
    for (let i = 0; i < 20; i++) last = codec.conceal()!;
    expect(rms(samplesOf(last))).toBeLessThan(0.3 * rms(audio));
    expect(codec.decode(codec.encode(frame(31)))).toHaveLength(640);
  });

  test('carries redundancy of the previous frame before any loss is reported', () => {
    const codec = newCodec();
    const { samples } = loadSpeech('booking-request');
    const spoken = createConverter(PCM_8K, PCM_16K).convert(new Uint8Array(samples.buffer)).slice();
    let twice = 0;
    let packets = 0;
    for (let at = 0; at + 640 <= spoken.length; at += 640) {
      const packet = codec.encode(spoken.subarray(at, at + 640));
      // SILK alone has configurations below 12; the second bit behind the table of contents is its LBRR flag (RFC 6716, 4.2.4).
      if (isDtx(packet) || packet[0]! >> 3 >= 12) continue;
      packets++;
      if (packet[1]! & 0x40) twice++;
    }
    expect(twice).toBeGreaterThan(packets / 2);
  });

  test('silence becomes DTX', () => {
    const codec = newCodec();
    for (let i = 0; i < 20; i++) codec.encode(frame(i));
    const sizes = Array.from({ length: 40 }, () => codec.encode(new Uint8Array(640)).length);
    expect(sizes.slice(20).filter((size) => size > 2).length).toBeLessThan(4);
    expect(isDtx(new Uint8Array(sizes.at(-1)!))).toBe(true);
  });

  test('an invalid packet gives no audio and does no harm', () => {
    const codec = newCodec();
    for (const bytes of [[], [0xff, 0xff, 0xff], [3], [(31 << 3) | 3, 0x3f, 1, 2]])
      expect(codec.decode(Uint8Array.from(bytes))).toBeNull();
    codec.expectLoss(250);
    codec.expectLoss(Number.NaN);
    expect(codec.decode(codec.encode(frame(0)))).toHaveLength(640);
  });
});
