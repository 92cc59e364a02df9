import { join } from 'node:path';

/** Background sounds as agents name them: four that come with the service, and uploads of a workspace. */

export const BUILT_IN_AMBIENT_SOUNDS = ['office', 'call_centre', 'cafe', 'street'] as const;
export type BuiltInAmbientSound = (typeof BUILT_IN_AMBIENT_SOUNDS)[number];

export const isBuiltInAmbientSound = (name: string): name is BuiltInAmbientSound =>
  (BUILT_IN_AMBIENT_SOUNDS as readonly string[]).includes(name);

/** Mono WAV at 8 kHz, made by `fixtures/make-ambient.ts`. */
export const builtInAmbientSoundFile = (name: BuiltInAmbientSound): string =>
  join(import.meta.dirname, 'sounds', `${name}.wav`);

const UPLOAD = /^upload:([a-f0-9]{32})$/;

/** The id in `upload:<id>`; null when the name is another. */
export const ambientUploadId = (name: string): string | null => UPLOAD.exec(name)?.[1] ?? null;

export const ambientUploadName = (id: string): string => `upload:${id}`;

/** What uploads are stored and handed to engines as: mono PCM16 WAV at this rate. */
export const UPLOADED_AMBIENT_SOUND_HZ = 16_000;
