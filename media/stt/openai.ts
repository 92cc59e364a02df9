import type { openAiTranscriber } from '../../shared/providers/openai.ts';
import type { AudioFormat } from '../audio/format.ts';
import { createOpenAiProtocol } from './openai-protocol.ts';
import { createStreamingTranscriber, type ProviderTranscriberOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * OpenAI's transcriber over the WebSocket of its realtime API, in a session of type `transcription` (public documentation:
 * developers.openai.com, "Realtime transcription", and the reference of its realtime events).
 */

const MAX_SILENT_SPEECH_MS = 5_000;
/** A session ends after an hour. */
const RENEW_AFTER_MS = 55 * 60_000;
const MAX_KEYTERMS = 100;
/** The only rate of PCM that the provider takes. */
const PCM_24K: AudioFormat = { encoding: 'pcm16', sample_rate: 24_000 };

/**
 * `url`: `https://api.openai.com/v1`, as the language models have it; the socket is under it. `model`: `gpt-live-transcribe` or
 * `gpt-realtime-whisper`, which send words while the caller speaks. `keyterms`: at most 100, for the models that take them.
 */
export type OpenAiTranscriberOptions = ProviderTranscriberOptions;

/** The call's own format where the provider takes it: G.711 of telephones. */
export function openAiInput(format: AudioFormat): AudioFormat {
  return format.encoding !== 'pcm16' && format.sample_rate === 8_000 ? format : PCM_24K;
}

/** The session's settings, sent first. */
export function openAiSession(options: OpenAiTranscriberOptions): object {
  const { model } = options;
  const { encoding } = openAiInput(options.legFormat);
  const codes = options.language
    .trim()
    .toLowerCase()
    .split(/[,+/ ]+/)
    .map((tag) => tag.split(/[-_]/)[0]!);
  const languages = codes.filter((code) => /^[a-z]{2}$/.test(code));
  // Hindi on the phone is mixed with English.
  if (languages.includes('hi')) languages.push('en');
  const keywords = (options.keyterms ?? []).map((term) => term.trim()).filter((term) => term !== '');
  const isWhisper = model === 'gpt-realtime-whisper';
  const how = isWhisper
    ? { delay: 'low', ...(languages.length > 0 && { language: languages[0] }) }
    : {
        ...(languages.length > 0 && { languages: [...new Set(languages)] }),
        ...(keywords.length > 0 && { keywords: keywords.slice(0, MAX_KEYTERMS) }),
      };
  const format =
    encoding === 'pcm16'
      ? { type: 'audio/pcm', rate: PCM_24K.sample_rate }
      : { type: encoding === 'mulaw' ? 'audio/pcmu' : 'audio/pcma' };
  // Turns are ours to decide: without turn detection words are committed on request.
  return {
    type: 'transcription',
    audio: { input: { format, transcription: { model, ...how }, turn_detection: null } },
  };
}

export function createOpenAiTranscriber(options: OpenAiTranscriberOptions): Transcriber {
  return createStreamingTranscriber({
    ...options,
    provider: 'openai',
    input: openAiInput(options.legFormat),
    decidesTurns: false,
    socket: {
      url: `${options.url.replace(/^http/, 'ws').replace(/\/+$/, '')}/realtime?intent=transcription`,
      headers: { Authorization: `Bearer ${options.apiKey}` },
    },
    handshake: 'before_audio',
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    renewAfterMs: RENEW_AFTER_MS,
    protocol: (connection) => createOpenAiProtocol(connection, openAiSession(options), options.clock),
  });
}

export const adapter: TranscriberAdapter<typeof openAiTranscriber> = ({ settings, transcriber, input, ...call }) =>
  createOpenAiTranscriber({
    ...call,
    url: settings.OPENAI_BASE_URL,
    apiKey: settings.OPENAI_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    keyterms: transcriber.keyterms,
    legFormat: input,
  });
