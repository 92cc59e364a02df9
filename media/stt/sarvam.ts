import type { sarvamTranscriber } from '../../shared/providers/sarvam.ts';
import { type AudioFormat, PCM_16K } from '../audio/format.ts';
import { createSarvamProtocol, sarvamCloseFailure } from './sarvam-protocol.ts';
import { createStreamingTranscriber, type ProviderTranscriberOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * Sarvam's transcriber for the languages of India over its WebSocket `/speech-to-text-realtime/ws` (public documentation:
 * docs.sarvam.ai, "Realtime Streaming Speech-to-Text", and the types of the provider's package `sarvamai` 1.1).
 */

/** The provider closes an idle connection (1008) after a minute. */
const KEEP_ALIVE_MS = 15_000;
/** Within an utterance partial texts come every 500 ms of audio. */
const MAX_SILENT_SPEECH_MS = 5_000;
/** A shorter pause splits sentences, a longer one delays final words. */
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 500;
/** The provider's default of 500 ms is too long for a "haan". */
const MIN_SPEECH_MS = 100;
const MAX_KEYTERMS = 50;
const MAX_KEYTERM_CHARS = 64;

const LANGUAGES = new Set(
  'en hi bn kn ml mr or pa ta te gu as ur ne kok ks sd sa sat mni brx mai doi'.split(' ').map((tag) => `${tag}-IN`),
);

const ENCODINGS: Record<AudioFormat['encoding'], string> = { mulaw: 'mulaw', alaw: 'alaw', pcm16: 'linear16' };

/**
 * `url`: `wss://api.sarvam.ai`. `model`: `saaras:v3-realtime`, or a later one of the same protocol. `language`: with or without country.
 * `keyterms`: at most 50, taken from `saaras:v4` on. The provider takes 8 and 16 kHz.
 */
export interface SarvamOptions extends ProviderTranscriberOptions {
  /** The pause that ends an utterance; limited to MIN_PAUSE_MS … MAX_PAUSE_MS. */
  endpointingMs: number;
}

/** The provider's tag: `hi` and `hi-IN` are the same, Odia has two names. */
export function sarvamLanguage(language: string): string {
  const base = language.trim().split(/[-_]/)[0]!.toLowerCase();
  const tag = `${base === 'od' ? 'or' : base}-IN`;
  return LANGUAGES.has(tag) && !/[,+/ ]|^[a-z]+-en$/i.test(language.trim()) ? tag : 'auto';
}

/** The call's own format where the provider takes it. */
export function sarvamInput(format: AudioFormat): AudioFormat {
  return format.sample_rate === 8000 || format.sample_rate === 16000 ? format : PCM_16K;
}

export function sarvamAddress(options: SarvamOptions): string {
  const input = sarvamInput(options.legFormat);
  const pauseMs = Math.max(MIN_PAUSE_MS, Math.min(MAX_PAUSE_MS, options.endpointingMs));
  const query = new URLSearchParams({
    language_code: sarvamLanguage(options.language),
    model: options.model,
    encoding: ENCODINGS[input.encoding],
    sample_rate: String(input.sample_rate),
    stream_type: 'fast',
    mode: 'transcribe',
    endpointing: 'vad',
    silence_duration_ms: String(pauseMs),
    min_speech_duration_ms: String(MIN_SPEECH_MS),
  });
  const terms = (options.keyterms ?? []).map((term) => term.trim()).filter((term) => term !== '');
  const short = terms.filter((term) => term.length <= MAX_KEYTERM_CHARS).slice(0, MAX_KEYTERMS);
  if (short.length > 0 && options.model.startsWith('saaras:v4')) query.set('keyterms', JSON.stringify(short));
  return `${options.url.replace(/\/+$/, '')}/speech-to-text-realtime/ws?${query}`;
}

export function createSarvam(options: SarvamOptions): Transcriber {
  return createStreamingTranscriber({
    ...options,
    provider: 'sarvam',
    input: sarvamInput(options.legFormat),
    decidesTurns: false,
    socket: {
      url: sarvamAddress(options),
      headers: { 'API-SUBSCRIPTION-KEY': options.apiKey },
      closeMeaning: sarvamCloseFailure,
    },
    handshake: 'before_audio',
    keepAliveEveryMs: KEEP_ALIVE_MS,
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    closeMessage: '{"event":"end"}',
    protocol: (connection) => createSarvamProtocol(connection, options.clock),
  });
}

export const adapter: TranscriberAdapter<typeof sarvamTranscriber> = ({ settings, transcriber, input, ...call }) =>
  createSarvam({
    ...call,
    url: settings.SARVAM_STT_URL,
    apiKey: settings.SARVAM_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    endpointingMs: transcriber.endpointing_ms,
    keyterms: transcriber.keyterms,
    legFormat: input,
  });
