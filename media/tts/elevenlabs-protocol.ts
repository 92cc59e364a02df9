import { elevenLabs } from '../../shared/providers/elevenlabs.ts';
import type { AudioFormat } from '../audio/format.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';

/** Messages and fields of ElevenLabs' `multi-stream-input`, as pure functions. */

export const PROVIDER = 'elevenlabs';
/** The vendor's maximum; its default is 20 s. */
const INACTIVITY_SECONDS = 180;
const PCM_RATES = new Set([8000, 16000, 22050, 24000, 44100]);

/** Returns the provider's name of an output format; throws ProviderError `bad_request` for one that it does not offer. */
export function outputFormat(output: AudioFormat): string {
  if (output.encoding === 'mulaw' && output.sample_rate === 8000) return 'ulaw_8000';
  if (output.encoding === 'alaw' && output.sample_rate === 8000) return 'alaw_8000';
  if (output.encoding === 'pcm16' && PCM_RATES.has(output.sample_rate)) return `pcm_${output.sample_rate}`;
  throw new ProviderError(PROVIDER, 'bad_request', `no output as ${output.encoding} at ${output.sample_rate} Hz`);
}

export function elevenLabsAddress(options: {
  url: string;
  voiceId: string;
  model: string;
  language?: string;
  output: AudioFormat;
}): string {
  const query = new URLSearchParams({
    model_id: options.model,
    output_format: outputFormat(options.output),
    auto_mode: 'true',
    sync_alignment: 'true',
    inactivity_timeout: String(INACTIVITY_SECONDS),
  });
  if (options.language && /^eleven_(flash|turbo)_v2_5$/.test(options.model)) {
    query.set('language_code', options.language.split(/[-_]/)[0]!.toLowerCase());
  }
  const voice = encodeURIComponent(options.voiceId || elevenLabs.defaultVoice);
  return `${options.url.replace(/\/+$/, '')}/v1/text-to-speech/${voice}/multi-stream-input?${query}`;
}

/** Returns a context's first message: its text has to be one space, and it alone may carry settings. */
export function elevenLabsFirstMessage(contextId: string, speed: number): Record<string, unknown> {
  const message = { text: ' ', context_id: contextId };
  // At normal speed the settings stored with the voice apply.
  if (speed === 1) return message;
  const inRange = Math.min(1.2, Math.max(0.7, speed));
  return { ...message, voice_settings: { stability: 0.5, similarity_boost: 0.75, speed: inRange } };
}

/** Returns what an error name means; nearly all errors come with the same code 1008. */
export function elevenLabsFailure(name: string): ProviderFailure | undefined {
  if (/api_key|auth|permission|unusual_activity|only_for/i.test(name)) return 'auth';
  if (/max_active|rate_limit|too_many|exhausted|overflow|busy|quota|concurren/i.test(name)) return 'capacity';
  if (/timeout|time_limit/i.test(name)) return 'timeout';
  if (/not_found|invalid|unsupported|input_error|exceeded|bad_request|validation/i.test(name)) return 'bad_request';
  return undefined;
}

/**
 * Reads the `alignment` of a message: one start per UTF-16 unit of `text`, in ms from the start of that message's own audio.
 * Null where it is absent, which the protocol allows, or malformed.
 */
export function readAlignment(value: unknown): { text: string; startMs: number[] } | null {
  if (typeof value !== 'object' || value === null) return null;
  const record = value as Record<string, unknown>;
  const chars = record.chars;
  // The vendor's documents and clients spell this key in two ways.
  const starts = record.charStartTimesMs ?? record.charsStartTimesMs;
  if (!Array.isArray(chars) || !Array.isArray(starts) || chars.length !== starts.length || chars.length === 0)
    return null;
  let text = '';
  const startMs: number[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char: unknown = chars[i];
    const start: unknown = starts[i];
    if (typeof char !== 'string' || typeof start !== 'number' || !Number.isFinite(start)) return null;
    for (let unit = 0; unit < char.length; unit++) startMs.push(Math.max(0, start));
    text += char;
  }
  return { text, startMs };
}
