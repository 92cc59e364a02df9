import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extensionOf, newRtpPacket, readRtp, writeRtp } from '../../../media/audio/rtp.ts';

const HEADER = { payloadType: 111, marker: true, sequence: 65_535, timestamp: 0xffff_fffe, ssrc: 0x8000_0001 };
const PAYLOAD = Uint8Array.of(1, 2, 3);

function written(...args: [extensions?: { id: number; data: Uint8Array }[]]): Uint8Array {
  const target = new Uint8Array(600);
  return target.slice(0, writeRtp({ ...HEADER, extensions: args[0] ?? [] }, PAYLOAD, target));
}

describe('packets', () => {
  test('what is written is read', () => {
    const packet = readRtp(written());
    expect(packet).toMatchObject(HEADER);
    expect([...packet!.payload]).toEqual([1, 2, 3]);
    expect(written()).toHaveLength(15);
  });

  test('sources and padding are stepped over', () => {
    const bytes = Uint8Array.of(0xa1, 111, 0, 7, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 2, 42, 43, 0, 2);
    const packet = readRtp(bytes)!;
    expect(packet).toMatchObject({ sequence: 7, timestamp: 9, ssrc: 1, marker: false });
    expect([...packet.payload]).toEqual([42, 43]);
  });

  test('one object can be read into again and again', () => {
    const target = newRtpPacket();
    readRtp(written([{ id: 3, data: Uint8Array.of(7) }]), target);
    expect(extensionOf(target, 3)).toEqual(Uint8Array.of(7));
    readRtp(written(), target);
    expect(extensionOf(target, 3)).toBeNull();
  });

  test('any bytes are a packet or none, and never an error', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 0, max: 255 }), (bytes, id) => {
        for (const first of [bytes[0] ?? 0, 0x80, 0x90, 0xb3]) {
          const packet = readRtp(bytes.length > 0 ? Uint8Array.of(first, ...bytes.subarray(1)) : bytes);
          if (packet) extensionOf(packet, id);
        }
      }),
    );
  });
});

describe('header extensions (RFC 8285)', () => {
  test.each([
    [
      'one-byte form',
      [
        { id: 1, data: Uint8Array.of(9) },
        { id: 14, data: new Uint8Array(16).fill(4) },
      ],
      0xbede,
    ],
    [
      'two-byte form for a large id',
      [
        { id: 15, data: Uint8Array.of(5) },
        { id: 2, data: Uint8Array.of(6, 7) },
      ],
      0x1000,
    ],
    ['two-byte form for an empty one', [{ id: 1, data: new Uint8Array(0) }], 0x1000],
    ['two-byte form for a long one', [{ id: 1, data: new Uint8Array(200).fill(3) }], 0x1000],
  ])('%s', (_name, extensions, profile) => {
    const packet = readRtp(written(extensions))!;
    expect(packet.extensionProfile).toBe(profile);
    for (const { id, data } of extensions) expect(extensionOf(packet, id)).toEqual(data);
    expect(extensionOf(packet, 200)).toBeNull();
    expect([...packet.payload]).toEqual([1, 2, 3]);
  });

  test('padding between elements, and the id that ends the one-byte form', () => {
    const packet = {
      ...newRtpPacket(),
      extensionProfile: 0xbede,
      extensionData: Uint8Array.of(0, 0x10, 7, 0, 0xf1, 0x20, 8),
    };
    expect(extensionOf(packet, 1)).toEqual(Uint8Array.of(7));
    expect(extensionOf(packet, 2)).toBeNull();
  });

  test('an element that goes beyond the end is none', () => {
    const packet = { ...newRtpPacket(), extensionProfile: 0xbede, extensionData: Uint8Array.of(0x1f, 7) };
    expect(extensionOf(packet, 1)).toBeNull();
    expect(extensionOf({ ...packet, extensionProfile: 0x1005, extensionData: Uint8Array.of(1) }, 1)).toBeNull();
  });

  test('what cannot be written is refused', () => {
    expect(() => written([{ id: 0, data: PAYLOAD }])).toThrow(RangeError);
    expect(() => written([{ id: 256, data: PAYLOAD }])).toThrow(RangeError);
    expect(() => writeRtp(HEADER, PAYLOAD, new Uint8Array(14))).toThrow(RangeError);
  });
});
