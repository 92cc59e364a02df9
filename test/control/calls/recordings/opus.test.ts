import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { CHUNK_BYTES, chunkName } from '../../../../shared/recordings/chunks.ts';
import { afterFile } from '../../../support/after-file.ts';
import { createCallApi } from '../call-api-fixture.ts';
import { createCallFixture } from '../call-fixture.ts';

const RATE_HZ = 8_000;
const PRE_SKIP = 312;

const fixture = await createCallFixture();
const api = await createCallApi(fixture);
afterFile(() => api.http.close());
const tenant = await fixture.tenant(5);

interface Decoder {
  decode(packet: Uint8Array): Buffer;
}
function openDecoder(): Decoder | null {
  try {
    const { OpusEncoder } = createRequire(import.meta.url)('@discordjs/opus');
    return new OpusEncoder(RATE_HZ, 2);
  } catch {
    return null;
  }
}
const decoder = openDecoder();

/** A tone on the left, silence on the right. */
function tone(frames: number): Uint8Array {
  const samples = new Int16Array(frames * 2);
  for (let i = 0; i < frames; i++) samples[2 * i] = 8_000 * Math.sin((2 * Math.PI * 440 * i) / RATE_HZ);
  return new Uint8Array(samples.buffer);
}

/** The packets of an Ogg file, and the position of its last page in samples at 48 kHz (RFC 3533). */
function readOgg(file: Buffer): { packets: Buffer[]; end: number } {
  const packets: Buffer[] = [];
  let end = 0;
  for (let at = 0; at < file.length; ) {
    expect(file.toString('latin1', at, at + 4)).toBe('OggS');
    end = Number(file.readBigInt64LE(at + 6));
    const lacing = file.subarray(at + 27, at + 27 + file[at + 26]!);
    at += 27 + lacing.length;
    let length = 0;
    for (const part of lacing) {
      length += part;
      if (part === 255) continue;
      packets.push(file.subarray(at, at + length));
      at += length;
      length = 0;
    }
  }
  return { packets, end };
}

const loudness = (pcm: Buffer, channel: 0 | 1) => {
  let sum = 0;
  for (let at = channel * 2; at < pcm.length; at += 4) sum += pcm.readInt16LE(at) ** 2;
  return Math.sqrt(sum / (pcm.length / 4));
};

test.skipIf(!decoder)('a recording as Opus has its length, its channels and a fraction of its bytes', async () => {
  const call = await api.finished(tenant);
  const seconds = 4 + 1.237;
  const sound = tone(Math.round(seconds * RATE_HZ));
  [sound.subarray(0, CHUNK_BYTES), sound.subarray(CHUNK_BYTES)].forEach((part, number) => {
    api.store.objects.set(chunkName(call.workspace_id, call.id, number), part);
  });
  const { status, headers, raw } = await api.get(tenant, `/calls/${call.id}/recording?format=opus`);
  expect([status, headers['content-type']]).toEqual([200, 'audio/ogg']);
  const { packets, end } = readOgg(raw);
  expect(packets[0]!.toString('latin1', 0, 8)).toBe('OpusHead');
  expect(packets[1]!.toString('latin1', 0, 8)).toBe('OpusTags');
  expect(end - PRE_SKIP).toBe(Math.round(seconds * 48_000));
  const pcm = Buffer.concat(packets.slice(2).map((packet) => decoder!.decode(packet)));
  expect(pcm.length / 4 / RATE_HZ).toBeGreaterThanOrEqual(seconds);
  expect(loudness(pcm, 0)).toBeGreaterThan(4_000);
  expect(loudness(pcm, 1)).toBeLessThan(400);
  expect(raw.length).toBeLessThan(sound.length / 5);
});

test('there is no format but wav and opus', async () => {
  const call = await api.finished(tenant);
  expect((await api.get(tenant, `/calls/${call.id}/recording?format=mp3`)).status).toBe(422);
  expect((await api.get(tenant, `/calls/${call.id}/recording?format=opus`)).status).toBe(404);
});
