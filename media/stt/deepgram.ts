import type { deepgram } from '../../shared/providers/deepgram.ts';
import type { AudioFormat } from '../audio/format.ts';
import { DEEPGRAM_CLOSE_MESSAGE, DEEPGRAM_ENCODINGS, deepgramSocket, limitKeyterms } from './deepgram-api.ts';
import { createDeepgramProtocol } from './deepgram-protocol.ts';
import { createStreamingTranscriber, type TranscriberConnectionOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * Deepgram's general transcriber (Nova) over its WebSocket `/v1/listen` (public documentation: developers.deepgram.com,
 * "Live streaming", "Endpointing and interim results", "Finalize", "Audio keep alive", and the provider's AsyncAPI
 * description).
 */

/** The provider closes after ten seconds without a message and recommends one every three to five. */
const KEEP_ALIVE_MS = 4_000;
/** During speech the provider sends a message per second of audio or so. */
const MAX_SILENT_SPEECH_MS = 5_000;
/** The smallest value the provider takes. `UtteranceEnd` reports ends of speech that noise hides. */
const UTTERANCE_END_MS = 1_000;
/** The provider has variants by country for these; of other languages it takes the tag without the country. */
const LANGUAGES_WITH_COUNTRY = /^(en-(US|AU|GB|IN|NZ)|pt-(BR|PT)|zh-(CN|TW|HK)|es-419|fr-CA|nl-BE)$/i;

export interface DeepgramOptions extends TranscriberConnectionOptions {
  /** `wss://api.deepgram.com` or a regional address. */
  url: string;
  apiKey: string;
  /** `nova-3` and its variants; older models take `keyterms` as plain keywords. */
  model: string;
  /** A language tag; `multi`, `auto`, '' and mixes like `hi-en` mean several languages at once. */
  language: string;
  /** A pause of this length ends a segment. */
  endpointingMs: number;
  /** Expected words, at most 100. */
  keyterms?: readonly string[];
  input: AudioFormat;
}

/** The provider's name of an agent's language. Nova-3 knows `hi-Latn` in the mix only. */
export function deepgramLanguage(language: string): string {
  const tag = language.trim().replaceAll('_', '-');
  if (/^(|multi|auto|unknown)$/i.test(tag) || /^[a-z]{2}[-,+/ ]+en$/i.test(tag) || /-latn/i.test(tag)) return 'multi';
  if (/[,+/ ]/.test(tag)) return 'multi';
  return LANGUAGES_WITH_COUNTRY.test(tag) ? tag : tag.split('-')[0]!.toLowerCase();
}

export function deepgramAddress(options: DeepgramOptions): string {
  const query = new URLSearchParams({
    model: options.model,
    language: deepgramLanguage(options.language),
    encoding: DEEPGRAM_ENCODINGS[options.input.encoding],
    sample_rate: String(options.input.sample_rate),
    channels: '1',
    interim_results: 'true',
    // Punctuation shows where a sentence ends. The provider's further formatting delays final words.
    punctuate: 'true',
    endpointing: String(options.endpointingMs),
    utterance_end_ms: String(UTTERANCE_END_MS),
    vad_events: 'true',
  });
  const name = options.model.startsWith('nova-3') ? 'keyterm' : 'keywords';
  for (const term of limitKeyterms(options.keyterms)) query.append(name, term);
  return `${options.url.replace(/\/+$/, '')}/v1/listen?${query}`;
}

export function createDeepgram(options: DeepgramOptions): Transcriber {
  return createStreamingTranscriber({
    ...options,
    provider: 'deepgram',
    decidesTurns: false,
    socket: deepgramSocket(options, deepgramAddress(options)),
    handshake: 'none',
    keepAliveEveryMs: KEEP_ALIVE_MS,
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    closeMessage: DEEPGRAM_CLOSE_MESSAGE,
    protocol: (connection) => createDeepgramProtocol(connection, options.input, options.clock),
  });
}

export const adapter: TranscriberAdapter<typeof deepgram> = ({ settings, transcriber, ...call }) =>
  createDeepgram({
    ...call,
    url: settings.DEEPGRAM_URL,
    apiKey: settings.DEEPGRAM_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    endpointingMs: transcriber.endpointing_ms,
    keyterms: transcriber.keyterms,
  });
