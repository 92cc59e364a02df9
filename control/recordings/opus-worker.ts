import { createRequire } from 'node:module';
import { workerData } from 'node:worker_threads';
import { serveRequests } from '../../shared/worker-thread.ts';
import { createOggOpusFile, PRE_SKIP } from './ogg-opus.ts';
import type { OpusRequest, OpusThreadData } from './opus-recording.ts';

/** The thread of one recording: takes its samples part by part and returns the file's. `opus-recording.ts` starts and ends it. */

const { rateHz, channels } = workerData as OpusThreadData;
/** Two people who rarely speak at once. */
const BITS_PER_SECOND = 32_000;
const FRAMES_PER_SECOND = 50;
const SAMPLES_48K = 48_000 / FRAMES_PER_SECOND;
const frameBytes = (rateHz / FRAMES_PER_SECOND) * channels * 2;

interface Encoder {
  encode(samples: Uint8Array): Uint8Array;
  setBitrate(bitsPerSecond: number): void;
}
type EncoderClass = new (rate: number, channels: number) => Encoder;
const { OpusEncoder } = createRequire(import.meta.url)('@discordjs/opus') as { OpusEncoder: EncoderClass };
const encoder = new OpusEncoder(rateHz, channels);
encoder.setBitrate(BITS_PER_SECOND);
const file = createOggOpusFile(channels, rateHz);

/** Samples that do not fill a frame yet. */
let rest: Uint8Array = new Uint8Array(0);
let soundBytes = 0;

function encode(samples: Uint8Array, isLast: boolean): Uint8Array {
  const parts = soundBytes === 0 ? [file.head()] : [];
  soundBytes += samples.length;
  const all = Buffer.concat([rest, samples]);
  let at = 0;
  const add = (frame: Uint8Array) => {
    const page = file.add(Uint8Array.from(encoder.encode(frame)), SAMPLES_48K);
    if (page) parts.push(page);
  };
  for (; at + frameBytes <= all.length; at += frameBytes) add(all.subarray(at, at + frameBytes));
  rest = all.subarray(at);
  if (isLast) {
    const sound48k = Math.round((soundBytes / (2 * channels) / rateHz) * 48_000);
    // The last frame, and what the encoder still looks ahead at.
    let missing = sound48k + PRE_SKIP - Math.floor((soundBytes - rest.length) / frameBytes) * SAMPLES_48K;
    for (; missing > 0; missing -= SAMPLES_48K) {
      const frame = new Uint8Array(frameBytes);
      frame.set(rest);
      rest = rest.subarray(rest.length);
      add(frame);
    }
    parts.push(file.end(sound48k));
  }
  return Buffer.concat(parts);
}

serveRequests<OpusRequest, Uint8Array>(
  async ({ samples, isLast }) => encode(samples, isLast),
  async () => {},
);
