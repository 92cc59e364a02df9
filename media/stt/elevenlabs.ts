import type { elevenLabsTranscriber } from '../../shared/providers/elevenlabs.ts';
import { type AudioFormat, PCM_8K, PCM_16K } from '../audio/format.ts';
import { createElevenLabsProtocol } from './elevenlabs-protocol.ts';
import { createStreamingTranscriber, type ProviderTranscriberOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * ElevenLabs' transcriber (Scribe v2 Realtime) over its WebSocket `/v1/speech-to-text/realtime` (public documentation:
 * elevenlabs.io/docs, "Realtime speech to text", "Transcripts and commit strategies").
 */

/** Without audio the provider ends the session after some seconds. */
const KEEP_ALIVE_MS = 5_000;
const MAX_SILENT_SPEECH_MS = 5_000;
const PCM_RATES = new Set([8_000, 16_000, 22_050, 24_000, 44_100, 48_000]);
const MAX_KEYTERMS = 100;
const MAX_KEYTERM_CHARS = 50;

/** `url`: `wss://api.elevenlabs.io`, or a region's address. `keyterms`: at most 100 of 50 characters. */
export type ElevenLabsTranscriberOptions = ProviderTranscriberOptions;

/** The call's own format where the provider takes it. */
export function elevenLabsInput(format: AudioFormat): AudioFormat {
  const { encoding, sample_rate } = format;
  if (encoding === 'mulaw' && sample_rate === 8_000) return format;
  if (encoding === 'pcm16' && PCM_RATES.has(sample_rate)) return format;
  return sample_rate === 8_000 ? PCM_8K : PCM_16K;
}

export function elevenLabsAddress(options: ElevenLabsTranscriberOptions): string {
  const { encoding, sample_rate } = elevenLabsInput(options.legFormat);
  const query = new URLSearchParams({
    model_id: options.model,
    audio_format: `${encoding === 'mulaw' ? 'ulaw' : 'pcm'}_${sample_rate}`,
    // Turns are ours to decide.
    commit_strategy: 'manual',
  });
  const language = options.language.trim().toLowerCase();
  if (/^[a-z]{2,3}(-[a-z]{2})?$/.test(language) && !/-en$/.test(language)) {
    query.set('language_code', language.split('-')[0]!);
  }
  const terms = (options.keyterms ?? []).map((term) => term.trim()).filter((term) => term !== '');
  const short = terms.filter((term) => term.length <= MAX_KEYTERM_CHARS).slice(0, MAX_KEYTERMS);
  for (const term of short) query.append('keyterms', term);
  return `${options.url.replace(/\/+$/, '')}/v1/speech-to-text/realtime?${query}`;
}

export function createElevenLabsTranscriber(options: ElevenLabsTranscriberOptions): Transcriber {
  const input = elevenLabsInput(options.legFormat);
  return createStreamingTranscriber({
    ...options,
    provider: 'elevenlabs',
    input,
    decidesTurns: false,
    socket: { url: elevenLabsAddress(options), headers: { 'xi-api-key': options.apiKey } },
    handshake: 'before_audio',
    keepAliveEveryMs: KEEP_ALIVE_MS,
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    protocol: (connection) => createElevenLabsProtocol(connection, input, options.clock),
  });
}

export const adapter: TranscriberAdapter<typeof elevenLabsTranscriber> = ({ settings, transcriber, input, ...call }) =>
  createElevenLabsTranscriber({
    ...call,
    url: settings.ELEVENLABS_URL,
    apiKey: settings.ELEVENLABS_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    keyterms: transcriber.keyterms,
    legFormat: input,
  });
