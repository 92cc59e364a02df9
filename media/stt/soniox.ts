import type { soniox } from '../../shared/providers/soniox.ts';
import type { AudioFormat } from '../audio/format.ts';
import { createSonioxProtocol } from './soniox-protocol.ts';
import { createStreamingTranscriber, type TranscriberConnectionOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * Soniox's transcriber over its WebSocket `/transcribe-websocket` (public documentation: soniox.com/docs, "WebSocket API",
 * "Manual finalization", "Connection keepalive", "Error handling").
 */

/** The provider closes after twenty seconds without a message. */
const KEEP_ALIVE_MS = 8_000;
/** While audio comes in, the provider reports its progress several times a second. */
const MAX_SILENT_SPEECH_MS = 5_000;
/** A session ends after five hours. */
const RENEW_AFTER_MS = 290 * 60_000;
const MAX_KEYTERMS = 100;

const FORMATS: Record<AudioFormat['encoding'], string> = { mulaw: 'mulaw', alaw: 'alaw', pcm16: 'pcm_s16le' };

export interface SonioxOptions extends TranscriberConnectionOptions {
  /** `wss://stt-rt.soniox.com`, or a region's address. */
  url: string;
  apiKey: string;
  model: string;
  /** A language tag; an unclear one is left to the provider's detection. */
  language: string;
  /** Expected words, at most 100. */
  keyterms?: readonly string[];
  input: AudioFormat;
}

/** The languages that the provider should expect. Hindi on the phone is mixed with English. */
export function sonioxLanguages(language: string): string[] {
  const tags = language
    .trim()
    .toLowerCase()
    .split(/[,+/ ]+/);
  const codes = tags.map((tag) => tag.split(/[-_]/)[0]!).filter((code) => /^[a-z]{2}$/.test(code));
  if (codes.includes('hi')) codes.push('en');
  return [...new Set(codes)];
}

/** The first message of a connection. */
export function sonioxConfig(options: SonioxOptions): object {
  const terms = (options.keyterms ?? []).map((term) => term.trim()).filter((term) => term !== '');
  const languages = sonioxLanguages(options.language);
  return {
    model: options.model,
    audio_format: FORMATS[options.input.encoding],
    sample_rate: options.input.sample_rate,
    num_channels: 1,
    // Turns are ours to decide: words are made final on request.
    enable_endpoint_detection: false,
    enable_language_identification: true,
    ...(languages.length > 0 && { language_hints: languages }),
    ...(terms.length > 0 && { context: { terms: terms.slice(0, MAX_KEYTERMS) } }),
  };
}

export function createSoniox(options: SonioxOptions): Transcriber {
  return createStreamingTranscriber({
    ...options,
    provider: 'soniox',
    decidesTurns: false,
    socket: {
      url: `${options.url.replace(/\/+$/, '')}/transcribe-websocket`,
      headers: { Authorization: `Bearer ${options.apiKey}` },
    },
    handshake: 'after_audio',
    keepAliveEveryMs: KEEP_ALIVE_MS,
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    renewAfterMs: RENEW_AFTER_MS,
    // An empty message is the end of the stream.
    closeMessage: '',
    protocol: (connection) => createSonioxProtocol(connection, sonioxConfig(options), options.input, options.clock),
  });
}

export const adapter: TranscriberAdapter<typeof soniox> = ({ settings, transcriber, ...call }) =>
  createSoniox({
    ...call,
    url: settings.SONIOX_URL,
    apiKey: settings.SONIOX_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    keyterms: transcriber.keyterms,
  });
