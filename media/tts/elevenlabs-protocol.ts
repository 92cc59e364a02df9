import type { AudioFormat } from '../audio/format.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';

/** What ElevenLabs' `multi-stream-input` says and expects, without any state. */

export const PROVIDER = 'elevenlabs';
/** The most the vendor allows; its own default is 20 s. The keep-alive stays below that default all the same. */
const INACTIVITY_SECONDS = 180;
const PCM_RATES = new Set([8000, 16000, 22050, 24000, 44100]);

/** The provider's name of an output format; throws ProviderError `bad_request` when it offers no such one. */
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
  const voice = encodeURIComponent(options.voiceId);
  return `${options.url.replace(/\/+$/, '')}/v1/text-to-speech/${voice}/multi-stream-input?${query}`;
}

/** The meaning of the vendor's error names; nearly all of them come with the same code 1008. */
export function elevenLabsFailure(name: string): ProviderFailure | undefined {
  if (/api_key|auth|permission|unusual_activity|only_for/i.test(name)) return 'auth';
  if (/max_active|rate_limit|too_many|exhausted|overflow|busy|quota|concurren/i.test(name)) return 'capacity';
  if (/timeout|time_limit/i.test(name)) return 'timeout';
  if (/not_found|invalid|unsupported|input_error|exceeded|bad_request|validation/i.test(name)) return 'bad_request';
  return undefined;
}

/**
 * The `alignment` of a message: one start per UTF-16 unit of `text`, in ms from the start of that message's own sound.
 * Null where it is absent (which is lawful) or not to be understood.
 */
export function readAlignment(value: unknown): { text: string; startMs: number[] } | null {
  if (typeof value !== 'object' || value === null) return null;
  const record = value as Record<string, unknown>;
  const chars = record.chars;
  // The vendor's own documents and clients spell this key in two ways.
  const starts = record.charStartTimesMs ?? record.charsStartTimesMs;
  if (!Array.isArray(chars) || !Array.isArray(starts) || chars.length !== starts.length || chars.length === 0)
    return null;
  let text = '';
  const startMs: number[] = [];
  for (let i = 0; i < chars.length; i++) {
    const char: unknown = chars[i];
    const start: unknown = starts[i];
    if (typeof char !== 'string' || typeof start !== 'number' || !Number.isFinite(start)) return null;
    // One entry per UTF-16 unit of `text`, whatever the provider takes for a character.
    for (let unit = 0; unit < char.length; unit++) startMs.push(Math.max(0, start));
    text += char;
  }
  return { text, startMs };
}
