import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { createBucketStore } from './bucket-store.ts';
import { createDiskStore } from './disk-store.ts';
import type { RecordingStore } from './recording-store.ts';

/** The settings of the recording store, the same for both programs. */
export const RECORDING_SETTINGS = {
  /** A folder shared by both programs; not used with a bucket. */
  RECORDINGS_DIR: z.string(),
  /** A bucket of an S3-compatible store; empty: recordings are stored in RECORDINGS_DIR. */
  RECORDINGS_BUCKET: z.string().default(''),
  /** `https://s3.eu-central-1.amazonaws.com`; the bucket is named in the path. */
  RECORDINGS_ENDPOINT: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]).default(''),
  RECORDINGS_REGION: z.string().default('us-east-1'),
  RECORDINGS_ACCESS_KEY_ID: z.string().default(''),
  RECORDINGS_SECRET_ACCESS_KEY: z.string().default(''),
};

export type RecordingSettings = { [Name in keyof typeof RECORDING_SETTINGS]: string };

/** @throws Error with the names of missing settings when a bucket is set. */
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
  const location = { endpoint: settings.RECORDINGS_ENDPOINT, region: settings.RECORDINGS_REGION, bucket };
  return createBucketStore({ ...location, ...keys }, clock);
}
