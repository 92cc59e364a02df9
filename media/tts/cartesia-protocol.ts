import type { AudioFormat } from '../audio/format.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { refusalFailure } from '../provider/socket.ts';
import { ipaPhonemes } from './ipa-phonemes.ts';
import { chooseOutputFormat, type SupportedFormats } from './output-format.ts';
import type { TimedWord } from './word-timing.ts';

/** Messages and fields of Cartesia's `tts/websocket`, as pure functions. */

export const PROVIDER = 'cartesia';
/** The first version whose errors are JSON with an `error_code`. */
const VERSION = '2026-03-01';
/** Used when the agent names no voice: the one of the vendor's first example. */
const DEFAULT_VOICE = '6ccbfb76-1fc6-48f7-b71d-91ac6298247b';

const RATES = [8000, 16000, 22050, 24000, 44100, 48000];
const FORMATS: SupportedFormats = { mulaw: [8000], alaw: [8000], pcm16: RATES };
const ENCODINGS = { mulaw: 'pcm_mulaw', alaw: 'pcm_alaw', pcm16: 'pcm_s16le' };

export function cartesiaOutput(call: AudioFormat): AudioFormat {
  return chooseOutputFormat(call, FORMATS);
}

export function cartesiaAddress(url: string): string {
  return `${url.replace(/\/+$/, '')}/tts/websocket`;
}

export function cartesiaHeaders(apiKey: string): Record<string, string> {
  return { 'x-api-key': apiKey, 'cartesia-version': VERSION };
}

/**
 * The vendor's notation of IPA within a transcript (docs.cartesia.ai, "IPA Phonemes" and "Custom Pronunciations"): each word in double
 * angle brackets, its phonemes parted by bars. Models before sonic-3 have no phonemes for stress.
 */
export function cartesiaPhonemes(ipa: string, { model, language = '' }: { model: string; language?: string }): string {
  const hasStress = !/^sonic-(2|turbo)/.test(model);
  const words = ipa.split(/\s+/).map((word) =>
    ipaPhonemes(word, language)
      .filter((phoneme) => hasStress || !/[ˈˌ]/.test(phoneme))
      .join('|'),
  );
  return words.map((phonemes) => `<<${phonemes}>>`).join(' ');
}

/** Returns the fields that every message of a context repeats unchanged. */
export function cartesiaRequest(options: {
  voiceId: string;
  model: string;
  language?: string;
  speed?: number;
  output: AudioFormat;
}): Record<string, unknown> {
  const { output, model } = options;
  const request: Record<string, unknown> = {
    model_id: model,
    voice: { mode: 'id', id: options.voiceId || DEFAULT_VOICE },
    output_format: { container: 'raw', encoding: ENCODINGS[output.encoding], sample_rate: output.sample_rate },
    add_timestamps: true,
    // Every segment is a clause or a sentence already, so the provider need not wait for more.
    max_buffer_delay_ms: 0,
  };
  if (options.language) request.language = options.language.split(/[-_]/)[0]!.toLowerCase();
  const speed = Math.min(1.5, Math.max(0.6, options.speed ?? 1));
  // Models before sonic-3 reject this field.
  if (speed !== 1 && !/^sonic(-turbo|-english|-multilingual|-[12])?(-\d{4}.*)?$/.test(model)) {
    request.generation_config = { speed };
  }
  return request;
}

/** Returns what an `error` message means; its name says more than its status, but may be missing. */
export function cartesiaFailure(status: unknown, name: unknown): ProviderFailure {
  if (typeof name === 'string' && /concurren|rate_limit|quota|credit|too_many/i.test(name)) return 'capacity';
  if (status === 402) return 'capacity';
  return typeof status === 'number' ? refusalFailure(status) : 'unavailable';
}

/** Reads the `word_timestamps` of a message, in milliseconds. Empty where they are absent or malformed. */
export function readWords(value: unknown): TimedWord[] {
  if (typeof value !== 'object' || value === null) return [];
  const { words, start, end } = value as Record<string, unknown>;
  if (!Array.isArray(words) || !Array.isArray(start) || !Array.isArray(end)) return [];
  if (words.length !== start.length || words.length !== end.length) return [];
  const read: TimedWord[] = [];
  for (let i = 0; i < words.length; i++) {
    const [word, from, to]: unknown[] = [words[i], start[i], end[i]];
    if (typeof word !== 'string' || typeof from !== 'number' || typeof to !== 'number') return [];
    const startMs = Math.max(0, from * 1000);
    const endMs = Math.max(startMs, to * 1000);
    // A number may be too large in milliseconds only.
    if (!Number.isFinite(startMs) || !Number.isFinite(endMs)) return [];
    read.push({ word: word.trim(), startMs, endMs });
  }
  return read;
}
