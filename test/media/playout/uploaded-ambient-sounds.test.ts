import { describe, expect, it } from 'vitest';
import { encodeWav } from '../../../media/audio/wav.ts';
import { createLoadingAmbient } from '../../../media/playout/ambient.ts';
import { createUploadedAmbientSounds } from '../../../media/playout/uploaded-ambient-sounds.ts';
import type { FetchAmbientSoundReply, FetchAmbientSoundRequest } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { noise, tone } from '../audio/signals.ts';

const log = createLogger('test', 'silent');
const PART_BYTES = 10_000;
const NOTHING: FetchAmbientSoundReply = { found: false, total_bytes: 0, chunk: new Uint8Array() };

/** A stub of control's reply to a fetch. */
function control(
  files: Record<string, Uint8Array>,
  failure: (asked: number) => FetchAmbientSoundReply | Error | null = () => null,
) {
  const requests: FetchAmbientSoundRequest[] = [];
  return {
    requests,
    async fetchPart(request: FetchAmbientSoundRequest): Promise<FetchAmbientSoundReply> {
      requests.push(request);
      const failed = failure(requests.length);
      if (failed instanceof Error) throw failed;
      const file = files[`${request.workspace_id} ${request.sound_id}`];
      if (failed) return failed;
      if (!file) return NOTHING;
      const part = file.slice(request.offset, request.offset + PART_BYTES);
      return { found: true, total_bytes: file.length, chunk: part };
    },
  };
}

describe('an uploaded ambient sound', () => {
  it('is fetched in chunks and resampled to 8 kHz', async () => {
    const { fetchPart, requests } = control({ 'w rain': encodeWav(16_000, tone(440, 16_000, 32_000, 0.25)) });
    const sound = (await createUploadedAmbientSounds({ fetchPart, log }).load('w', 'rain'))!;
    expect(requests.map((request) => request.offset)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
    expect(sound).toHaveLength(16_000);
    const crossings = sound.filter((value, i) => i > 0 && value >= 0 && sound[i - 1]! < 0).length;
    expect(Math.abs(crossings - 880)).toBeLessThan(3);
    expect(Math.max(...sound)).toBeGreaterThan(7900);
    expect(Math.max(...sound)).toBeLessThan(8300);
  });

  it('is fetched once for all calls, including those that begin during the fetch', async () => {
    const { fetchPart, requests } = control({ 'w rain': encodeWav(8_000, noise(8_000)) });
    const sounds = createUploadedAmbientSounds({ fetchPart, log });
    const both = await Promise.all([sounds.load('w', 'rain'), sounds.load('w', 'rain')]);
    expect(both[0]).toHaveLength(8_000);
    expect(both[1]).toBe(both[0]);
    expect(await sounds.load('w', 'rain')).toBe(both[0]);
    expect(requests).toHaveLength(2);
    expect(await sounds.load('another', 'rain')).toBeNull();
  });

  it('is evicted when it was used least recently', async () => {
    const file = encodeWav(8_000, noise(4_900));
    const { fetchPart, requests } = control({ 'w a': file, 'w b': file, 'w c': file });
    const sounds = createUploadedAmbientSounds({ fetchPart, log, cacheBytes: 20_000 });
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b', 'b']) expect(await sounds.load('w', id)).toHaveLength(4_900);
    expect(requests.map((request) => request.sound_id).join('')).toBe('abcb');
  });

  it('is fetched again where a chunk is lost', async () => {
    const { fetchPart, requests } = control({ 'w rain': encodeWav(8_000, noise(8_000)) }, (asked) =>
      asked === 2 || asked === 3 ? new Error('timeout') : null,
    );
    expect(await createUploadedAmbientSounds({ fetchPart, log }).load('w', 'rain')).toHaveLength(8_000);
    expect(requests).toHaveLength(4);
  });

  it('is null when the fetch fails, and fetched again by the next call', async () => {
    const file = encodeWav(8_000, noise(8_000));
    const part = file.slice(0, 100);
    const failures: (FetchAmbientSoundReply | Error)[] = [
      new Error('no responders'),
      NOTHING,
      { found: true, total_bytes: 1e9, chunk: part },
      { found: true, total_bytes: 50, chunk: part },
      { found: true, total_bytes: 0, chunk: new Uint8Array() },
      { found: true, total_bytes: 100, chunk: new Uint8Array(100) },
    ];
    for (const failure of failures) {
      let working = false;
      const { fetchPart } = control({ 'w rain': file }, () => (working ? null : failure));
      const sounds = createUploadedAmbientSounds({ fetchPart, log });
      expect(await sounds.load('w', 'rain')).toBeNull();
      working = true;
      expect(await sounds.load('w', 'rain')).toHaveLength(8_000);
    }
  });
});

it('an ambient sound in stereo is not played', async () => {
  const { fetchPart } = control({ 'w rain': encodeWav(8_000, noise(800), noise(800)) });
  expect(await createUploadedAmbientSounds({ fetchPart, log }).load('w', 'rain')).toBeNull();
});

describe('an ambient sound that is still loading', () => {
  const frame = new Uint8Array(160).fill(0xff);

  it('is silence until it has loaded', async () => {
    const { promise, resolve } = Promise.withResolvers<Int16Array | null>();
    const ambient = createLoadingAmbient(promise, 100);
    ambient.rewind(160);
    expect(ambient.mixInto(frame, 'mulaw')).toBe(frame);
    const samples = new Int16Array(160).fill(7);
    ambient.next(samples);
    expect(samples.every((sample) => sample === 0)).toBe(true);
    resolve(noise(8_000));
    await promise;
    for (let frames = 0; frames < 30; frames++) ambient.next(samples);
    expect(samples.some((sample) => sample !== 0)).toBe(true);
    expect([...ambient.mixInto(frame, 'mulaw')]).not.toEqual([...frame]);
  });

  it('stays silent when loading fails', async () => {
    const ambient = createLoadingAmbient(Promise.resolve(null), 100);
    await Promise.resolve();
    expect(ambient.mixInto(frame, 'mulaw')).toBe(frame);
  });
});
