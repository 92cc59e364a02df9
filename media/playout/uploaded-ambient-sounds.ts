import type { FetchAmbientSoundReply, FetchAmbientSoundRequest } from '../../shared/bus/messages.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { WAV_HEADER_BYTES } from '../../shared/recordings/wav-header.ts';
import { LINE_RATE } from '../audio/format.ts';
import { createResampler } from '../audio/resample.ts';
import { readWav } from '../audio/wav.ts';

/**
 * Background sounds that workspaces uploaded: fetched from control over the bus when a call first needs one, and kept, since
 * an upload never changes. Calls do not wait for it.
 */
export interface UploadedAmbientSounds {
  /** Mono at 8 kHz; null when it cannot be had, which the next call tries again. Never rejects. */
  load(workspaceId: string, id: string): Promise<Int16Array | null>;
}

export interface UploadedAmbientSoundsOptions {
  /** Rejects after so long, and at once when no control is there. */
  fetchPart(request: FetchAmbientSoundRequest, timeoutMs: number): Promise<FetchAmbientSoundReply>;
  log: Logger;
  /** Sounds of so many bytes together are kept, those used last. */
  cacheBytes?: number;
}

const PART_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 3;
/** Two minutes at 16 kHz are 3.8 MB. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Converted at a time, between which the calls go on. */
const SLICE_SAMPLES = 8_000;

export function createUploadedAmbientSounds({
  fetchPart,
  log,
  cacheBytes: keptBytes = CACHE_BYTES,
}: UploadedAmbientSoundsOptions): UploadedAmbientSounds {
  /** The one used longest ago first. */
  const kept = new Map<string, { loading: Promise<Int16Array | null>; bytes: number }>();

  async function load(workspaceId: string, id: string): Promise<Int16Array | null> {
    try {
      return await toTelephoneRate(await fetchWhole(workspaceId, id));
    } catch (error) {
      log.warn({ sound_id: id, error: errorText(error) }, 'a background sound could not be loaded');
      return null;
    }
  }

  async function fetchWhole(workspace_id: string, sound_id: string): Promise<Uint8Array<ArrayBuffer>> {
    let file: Uint8Array<ArrayBuffer> | null = null;
    for (let offset = 0; ; ) {
      const { found, total_bytes, chunk: part } = await fetchPatiently({ workspace_id, sound_id, offset });
      if (!found) throw new Error('control has no such sound');
      if (total_bytes > MAX_FILE_BYTES) throw new Error(`${total_bytes} bytes are too many`);
      file ??= new Uint8Array(total_bytes);
      if (part.length === 0 || total_bytes !== file.length || offset + part.length > total_bytes) {
        throw new Error('its parts do not fit together');
      }
      file.set(part, offset);
      offset += part.length;
      if (offset === total_bytes) return file;
    }
  }

  async function fetchPatiently(request: FetchAmbientSoundRequest): Promise<FetchAmbientSoundReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchPart(request, PART_TIMEOUT_MS);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  function makeRoom(): void {
    let bytes = 0;
    for (const one of kept.values()) bytes += one.bytes;
    for (const [key, one] of kept) {
      if (bytes <= keptBytes || kept.size === 1) return;
      bytes -= one.bytes;
      kept.delete(key);
    }
  }

  return {
    load(workspaceId, id) {
      const key = `${workspaceId} ${id}`;
      const known = kept.get(key);
      kept.delete(key);
      const one = known ?? { loading: load(workspaceId, id), bytes: 0 };
      kept.set(key, one);
      if (known) return known.loading;
      return one.loading.then((samples) => {
        if (kept.get(key) !== one) return samples;
        if (samples === null) kept.delete(key);
        else one.bytes = samples.byteLength;
        makeRoom();
        return samples;
      });
    },
  };
}

/** The stored file is mono PCM16 with the shortest of headers; its rate is control's choice. */
async function toTelephoneRate(file: Uint8Array<ArrayBuffer>): Promise<Int16Array> {
  const head = readWav(file.subarray(0, WAV_HEADER_BYTES + 2));
  if (head.type === 'invalid' || head.wav.channels.length !== 1) throw new Error('it is no mono WAV');
  const samples = new Int16Array(file.buffer, WAV_HEADER_BYTES, (file.length - WAV_HEADER_BYTES) >> 1);
  const { sampleRateHz } = head.wav;
  if (sampleRateHz === LINE_RATE) return samples;
  const resampler = createResampler(sampleRateHz, LINE_RATE);
  const result = new Int16Array(resampler.maxOutput(samples.length) + resampler.maxOutput(sampleRateHz));
  let length = 0;
  for (let at = 0; at < samples.length; at += SLICE_SAMPLES) {
    length += resampler.process(samples.subarray(at, at + SLICE_SAMPLES), result.subarray(length));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  length += resampler.flush(result.subarray(length));
  // A sound that goes round has no room for the filter's delay.
  return result.slice((resampler.delayMs * LINE_RATE) / 1_000, length);
}
