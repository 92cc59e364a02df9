import { PassThrough, type Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Clock } from '../../shared/clock.ts';
import { WAV_HEADER_BYTES } from '../../shared/recordings/wav-header.ts';
import { withTimeout } from '../../shared/with-timeout.ts';
import { type RequestThread, startRequestThread } from '../../shared/worker-thread.ts';
import { HttpError } from '../http/errors.ts';
import type { StoredRecording } from './stored-recording.ts';

/** What the thread is started with. */
export interface OpusThreadData {
  /** 8,000, 12,000, 16,000, 24,000 or 48,000. */
  rateHz: number;
  channels: 1 | 2;
}

export interface OpusRequest {
  /** 16-bit samples, the channels interleaved. */
  samples: Uint8Array;
  isLast: boolean;
}

/** Recordings as Opus in Ogg, about a tenth of the WAV file's size. */
export interface OpusRecordings {
  /**
   * Streams the file; it is encoded in a thread of its own, and sent as it comes.
   * @throws HttpError 501 where the encoder is not installed, 503 when too many are being made.
   */
  read(recording: StoredRecording): Promise<Readable>;
}

/** An hour's call takes about ten seconds of a core. */
const MAX_AT_ONCE = 2;
const PART_TIMEOUT_MS = 30_000;
const PART_BYTES = 256 * 1024;
const MAX_HEAP_MB = 64;
const WORKER_FILE = new URL('./opus-worker.ts', import.meta.url);

export function createOpusRecordings(clock: Clock): OpusRecordings {
  let atOnce = 0;

  async function read(recording: StoredRecording): Promise<Readable> {
    if (atOnce >= MAX_AT_ONCE) {
      throw new HttpError(503, 'too many recordings are being encoded; try again in a few seconds, or ask for WAV', {
        headers: { 'Retry-After': '5' },
      });
    }
    atOnce++;
    try {
      const header = await buffer(recording.read(0, WAV_HEADER_BYTES - 1));
      const workerData: OpusThreadData = {
        rateHz: header.readUInt32LE(24),
        channels: header.readUInt16LE(22) as 1 | 2,
      };
      const thread = await startRequestThread<OpusRequest, Uint8Array>(WORKER_FILE, {
        ...{ name: 'opus', workerData, resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB }, clock },
      }).catch(() => {
        throw new HttpError(501, 'this service cannot encode Opus: @discordjs/opus is not installed; ask for WAV');
      });
      const stream = new PassThrough();
      void encodeAll(recording, thread, stream).then(
        () => stream.end(),
        (error: Error) => stream.destroy(error),
      );
      return stream;
    } catch (error) {
      atOnce--;
      throw error;
    }
  }

  /** Waits for no reader: a file is a few megabytes at most, and a slow reader would keep others from theirs. */
  async function encodeAll(
    recording: StoredRecording,
    thread: RequestThread<OpusRequest, Uint8Array>,
    stream: PassThrough,
  ): Promise<void> {
    const pcm = recording.read(WAV_HEADER_BYTES, recording.bytes - 1);
    stream.once('close', () => pcm.destroy());
    const encode = async (samples: Buffer[], isLast: boolean) => {
      const encoded = await withTimeout(
        thread.request({ samples: Buffer.concat(samples), isLast }),
        PART_TIMEOUT_MS,
        clock,
        () => {
          throw new Error(`not encoded within ${PART_TIMEOUT_MS} ms`);
        },
      );
      if (!stream.destroyed) stream.write(encoded);
    };
    try {
      let waiting: Buffer[] = [];
      let bytes = 0;
      for await (const chunk of pcm as AsyncIterable<Buffer>) {
        waiting.push(chunk);
        bytes += chunk.length;
        if (bytes < PART_BYTES) continue;
        await encode(waiting, false);
        waiting = [];
        bytes = 0;
      }
      await encode(waiting, true);
    } finally {
      atOnce--;
      void thread.close();
    }
  }

  return { read };
}
