import { join } from 'node:path';

/** The ambient sounds an agent can name: four built-in ones, and uploads of its workspace. */

export const BUILT_IN_AMBIENT_SOUNDS = ['office', 'call_centre', 'cafe', 'street'] as const;
export type BuiltInAmbientSound = (typeof BUILT_IN_AMBIENT_SOUNDS)[number];

export const isBuiltInAmbientSound = (name: string): name is BuiltInAmbientSound =>
  (BUILT_IN_AMBIENT_SOUNDS as readonly string[]).includes(name);

/** What a caller on hold hears. */
export const HOLD_MUSIC = 'music' as const;

/** A mono WAV file at 8 kHz, made by `fixtures/make-ambient.ts`. */
export const builtInAmbientSoundFile = (name: BuiltInAmbientSound | typeof HOLD_MUSIC): string =>
  join(import.meta.dirname, 'sounds', `${name}.wav`);

const UPLOAD = /^upload:([a-f0-9]{32})$/;

/** The id in `upload:<id>`; null for any other name. */
export const ambientUploadId = (name: string): string | null => UPLOAD.exec(name)?.[1] ?? null;

export const ambientUploadName = (id: string): string => `upload:${id}`;

/** Uploads are stored, and given to engines, as mono PCM16 WAV at this rate. */
export const UPLOADED_AMBIENT_SOUND_HZ = 16_000;
