import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { createBucketStore } from './bucket-store.ts';
import { createDiskStore } from './disk-store.ts';
import type { RecordingStore } from './recording-store.ts';

/** Where recordings lie: the same in the environment of both programs, which write and read them. */
export const RECORDING_SETTINGS = {
  /** A folder both programs see; not used when a bucket is named. */
  RECORDINGS_DIR: z.string(),
  /** A bucket of a store that speaks S3; empty: recordings lie in RECORDINGS_DIR. */
  RECORDINGS_BUCKET: z.string().default(''),
  /** `https://s3.eu-central-1.amazonaws.com`; the bucket is named in the path. */
  RECORDINGS_ENDPOINT: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
  RECORDINGS_REGION: z.string().default('us-east-1'),
  RECORDINGS_ACCESS_KEY_ID: z.string().default(''),
  RECORDINGS_SECRET_ACCESS_KEY: z.string().default(''),
};

export type RecordingSettings = { [Name in keyof typeof RECORDING_SETTINGS]: string };

/** @throws Error that names what is missing when a bucket is set by halves. */
export function openRecordingStore(settings: RecordingSettings, clock: Clock): RecordingStore {
  const bucket = settings.RECORDINGS_BUCKET;
  if (bucket === '') return createDiskStore(settings.RECORDINGS_DIR);
  const needed = ['RECORDINGS_ENDPOINT', 'RECORDINGS_ACCESS_KEY_ID', 'RECORDINGS_SECRET_ACCESS_KEY'] as const;
  const missing = needed.filter((name) => settings[name] === '');
  if (missing.length > 0) throw new Error(`RECORDINGS_BUCKET needs ${missing.join(' and ')} as well`);
  const keys = {
    accessKeyId: settings.RECORDINGS_ACCESS_KEY_ID,
    secretAccessKey: settings.RECORDINGS_SECRET_ACCESS_KEY,
  };
  const place = { endpoint: settings.RECORDINGS_ENDPOINT, region: settings.RECORDINGS_REGION, bucket };
  return createBucketStore({ ...place, ...keys }, clock);
}
