import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeWav } from '../../../media/audio/wav.ts';
import { createUploadedAmbientSounds } from '../../../media/playout/uploaded-ambient-sounds.ts';
import { type Bus, connectBus } from '../../../shared/bus/bus.ts';
import type { FetchAmbientSoundReply } from '../../../shared/bus/messages.ts';
import { createLogger } from '../../../shared/log.ts';
import { startTestNats } from '../../support/nats.ts';

const log = createLogger('test', 'silent');
const PART_BYTES = 256 * 1024;

describe('a background sound over the bus', () => {
  let engine: Bus;
  let control: Bus;
  beforeAll(async () => {
    const nats = await startTestNats();
    [engine, control] = await Promise.all([
      connectBus({ url: nats.url, name: 'engine', log }),
      connectBus({ url: nats.url, name: 'control', log }),
    ]);
  });
  afterAll(() => Promise.all([engine?.close(), control?.close()]));

  it('comes in chunks that fit into a message, and not without a server', async () => {
    const sounds = createUploadedAmbientSounds({ fetchPart: engine.fetchAmbientSound, log });
    expect(await sounds.load('w', 'rain')).toBeNull();

    const samples = Int16Array.from({ length: 400_000 }, (_, i) => (i * 7919) % 20_000);
    const file = encodeWav(8_000, samples);
    control.serveAmbientSounds(async ({ workspace_id, sound_id, offset }): Promise<FetchAmbientSoundReply> => {
      if (`${workspace_id} ${sound_id}` !== 'w rain') return { found: false, total_bytes: 0, chunk: new Uint8Array() };
      return { found: true, total_bytes: file.length, chunk: file.slice(offset, offset + PART_BYTES) };
    });
    // The server learns of it a moment later.
    await expect.poll(() => sounds.load('w', 'rain')).not.toBeNull();
    expect(await sounds.load('w', 'rain')).toEqual(samples);
    expect(await sounds.load('w', 'sea')).toBeNull();
    const nothing = await engine.fetchAmbientSound({ workspace_id: 'w', sound_id: 'sea', offset: 0 }, 20_000);
    expect(nothing).toEqual({ found: false, total_bytes: 0, chunk: new Uint8Array() });
  });
});
