import type { ControlConfig } from '../../config.ts';
import type { Voice } from '../voice.ts';

/** The voices of one provider: from its own API, or a list that is maintained here. */
export interface VoiceList {
  provider: string;
  /** It comes from the provider: it is refreshed in the background and read from the database. */
  remote: boolean;
  /** All of them, at most MAX_VOICES; rejects with ProviderRequestError. */
  all(signal: AbortSignal): Promise<Voice[]>;
  /** One of them; null: the provider has no such voice. Rejects with ProviderRequestError. */
  find(voiceId: string, signal: AbortSignal): Promise<Voice | null>;
  /** An agent with a voice that it does not have is spoken all the same. */
  ignoresUnknownVoices?: boolean;
  /** Whether `speak` can be expected to work. */
  canSpeak(): Promise<boolean>;
  /** A WAV file of the voice saying the text. Rejects with ProviderRequestError. */
  speak(sentence: Sentence, signal: AbortSignal): Promise<Uint8Array>;
}

/** The file of a synthesizer's voices, named like its manifest, exports one of these as `voiceList`. */
export type OpenVoiceList = (settings: ControlConfig) => VoiceList;

export interface Sentence {
  voiceId: string;
  model: string;
  /** ISO 639 code. */
  language: string;
  text: string;
}

/** Of one provider; what is beyond is found by its id. */
export const MAX_VOICES = 2_000;
export const PAGE_SIZE = 100;
export const MAX_PAGES = MAX_VOICES / PAGE_SIZE;

/** Text of a provider, of a length that can be stored; anything else is empty. */
export function textOf(value: unknown, maxLength: number): string {
  return typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed().trim().slice(0, maxLength) : '';
}

/** A voice id that an agent can hold; null for anything else. */
export function voiceIdOf(value: unknown): string | null {
  return typeof value === 'string' && /^[\w.:@+-]{1,100}$/.test(value) ? value : null;
}

export const recordOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
