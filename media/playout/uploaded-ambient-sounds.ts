import type { FetchAmbientSoundReply, FetchAmbientSoundRequest } from '../../shared/bus/messages.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import { WAV_HEADER_BYTES } from '../../shared/recordings/wav-header.ts';
import { LINE_RATE } from '../audio/format.ts';
import { createResampler } from '../audio/resample.ts';
import { readWav } from '../audio/wav.ts';

/**
 * Ambient sounds uploaded by workspaces: fetched from control over the bus when a call first needs one, and cached, since an
 * upload never changes. Calls do not wait for the fetch.
 */
export interface UploadedAmbientSounds {
  /** Resolves to mono samples at 8 kHz, or null when the fetch failed; the next call tries again. Never rejects. */
  load(workspaceId: string, id: string): Promise<Int16Array | null>;
}

export interface UploadedAmbientSoundsOptions {
  /** Rejects after `timeoutMs`, or at once when no control is running. */
  fetchPart(request: FetchAmbientSoundRequest, timeoutMs: number): Promise<FetchAmbientSoundReply>;
  log: Logger;
  /** Size of the cache; the least recently used sounds are evicted. */
  cacheBytes?: number;
}

const PART_TIMEOUT_MS = 2_000;
const MAX_ATTEMPTS = 3;
/** Two minutes at 16 kHz are 3.8 MB. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;
const CACHE_BYTES = 64 * 1024 * 1024;
/** Samples resampled at a time, so that the calls' ticks run in between. */
const SLICE_SAMPLES = 8_000;

export function createUploadedAmbientSounds({
  fetchPart,
  log,
  cacheBytes = CACHE_BYTES,
}: UploadedAmbientSoundsOptions): UploadedAmbientSounds {
  /** Least recently used first. */
  const cache = new Map<string, { loading: Promise<Int16Array | null>; bytes: number }>();

  async function load(workspaceId: string, id: string): Promise<Int16Array | null> {
    try {
      return await toTelephoneRate(await fetchFile(workspaceId, id));
    } catch (error) {
      log.warn({ sound_id: id, error: errorText(error) }, 'ambient sound could not be loaded');
      return null;
    }
  }

  async function fetchFile(workspace_id: string, sound_id: string): Promise<Uint8Array<ArrayBuffer>> {
    let file: Uint8Array<ArrayBuffer> | null = null;
    for (let offset = 0; ; ) {
      const { found, total_bytes, chunk } = await fetchWithRetry({ workspace_id, sound_id, offset });
      if (!found) throw new Error('control has no such sound');
      if (total_bytes > MAX_FILE_BYTES) throw new Error(`${total_bytes} bytes are too many`);
      file ??= new Uint8Array(total_bytes);
      if (chunk.length === 0 || total_bytes !== file.length || offset + chunk.length > total_bytes) {
        throw new Error('chunks do not match the file size');
      }
      file.set(chunk, offset);
      offset += chunk.length;
      if (offset === total_bytes) return file;
    }
  }

  async function fetchWithRetry(request: FetchAmbientSoundRequest): Promise<FetchAmbientSoundReply> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchPart(request, PART_TIMEOUT_MS);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  function evict(): void {
    let bytes = 0;
    for (const entry of cache.values()) bytes += entry.bytes;
    for (const [key, entry] of cache) {
      if (bytes <= cacheBytes || cache.size === 1) return;
      bytes -= entry.bytes;
      cache.delete(key);
    }
  }

  return {
    load(workspaceId, id) {
      const key = `${workspaceId} ${id}`;
      const cached = cache.get(key);
      cache.delete(key);
      const entry = cached ?? { loading: load(workspaceId, id), bytes: 0 };
      cache.set(key, entry);
      if (cached) return cached.loading;
      return entry.loading.then((samples) => {
        if (cache.get(key) !== entry) return samples;
        if (samples === null) cache.delete(key);
        else entry.bytes = samples.byteLength;
        evict();
        return samples;
      });
    },
  };
}

/** The stored file is mono PCM16 with a minimal WAV header; control chooses its sample rate. */
async function toTelephoneRate(file: Uint8Array<ArrayBuffer>): Promise<Int16Array> {
  const header = readWav(file.subarray(0, WAV_HEADER_BYTES + 2));
  if (header.type === 'invalid' || header.wav.channels.length !== 1) throw new Error('not a mono WAV file');
  const samples = new Int16Array(file.buffer, WAV_HEADER_BYTES, (file.length - WAV_HEADER_BYTES) >> 1);
  const { sampleRateHz } = header.wav;
  if (sampleRateHz === LINE_RATE) return samples;
  const resampler = createResampler(sampleRateHz, LINE_RATE);
  const result = new Int16Array(resampler.maxOutput(samples.length) + resampler.maxOutput(sampleRateHz));
  let length = 0;
  for (let at = 0; at < samples.length; at += SLICE_SAMPLES) {
    length += resampler.process(samples.subarray(at, at + SLICE_SAMPLES), result.subarray(length));
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  length += resampler.flush(result.subarray(length));
  // The filter's delay would be an audible gap in a loop.
  return result.slice((resampler.delayMs * LINE_RATE) / 1_000, length);
}
