import type { assemblyAi } from '../../shared/providers/assemblyai.ts';
import { type AudioFormat, PCM_8K } from '../audio/format.ts';
import { assemblyAiFailure, createAssemblyAiProtocol } from './assemblyai-protocol.ts';
import { createStreamingTranscriber, type ProviderTranscriberOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * AssemblyAI's streaming transcriber over its WebSocket `/v3/ws` (public documentation: assemblyai.com/docs, "Message
 * sequence", "Turn detection", "Streaming API reference").
 */

/** Messages with less than 50 ms of audio are refused. */
const CHUNK_MS = 50;
const MAX_SILENT_SPEECH_MS = 5_000;
/** A session ends after three hours. */
const RENEW_AFTER_MS = 170 * 60_000;
/** After so much silence the provider ends a turn itself, in case our voice activity did not hear it. */
const OWN_END_MS = 1_500;
const MAX_KEYTERMS = 100;
const MAX_KEYTERM_CHARS = 50;

/** `url`: `wss://streaming.assemblyai.com`, or the address in Europe. `keyterms`: at most 100 of 50 characters. */
export type AssemblyAiOptions = ProviderTranscriberOptions;

/** The call's own format where the provider takes it: all but A-law. */
export function assemblyAiInput(format: AudioFormat): AudioFormat {
  return format.encoding === 'alaw' ? { ...PCM_8K, sample_rate: format.sample_rate } : format;
}

export function assemblyAiAddress(options: AssemblyAiOptions): string {
  const { model } = options;
  const { encoding, sample_rate } = assemblyAiInput(options.legFormat);
  const query = new URLSearchParams({
    speech_model: model,
    encoding: encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le',
    sample_rate: String(sample_rate),
    // Turns are ours to decide; the provider ends those that we do not end.
    min_turn_silence: String(OWN_END_MS),
    max_turn_silence: String(OWN_END_MS),
  });
  const isUniversal3 = /^(u3-|universal-3)/.test(model);
  // Without it these models send words at pauses only, which is too late for a caller who interrupts.
  if (isUniversal3) query.set('continuous_partials', 'true');
  if (model !== 'universal-streaming-english') query.set('language_detection', 'true');
  const language = options.language.trim().toLowerCase();
  if (model.startsWith('universal-3') && /^[a-z]{2}(-[a-z]{2})?$/.test(language) && !language.endsWith('-en')) {
    query.set('language_code', language.slice(0, 2));
  }
  const terms = (options.keyterms ?? []).map((term) => term.trim()).filter((term) => term !== '');
  const short = terms.filter((term) => term.length <= MAX_KEYTERM_CHARS).slice(0, MAX_KEYTERMS);
  if (short.length > 0 && model !== 'whisper-rt') query.set('keyterms_prompt', JSON.stringify(short));
  return `${options.url.replace(/\/+$/, '')}/v3/ws?${query}`;
}

export function createAssemblyAi(options: AssemblyAiOptions): Transcriber {
  return createStreamingTranscriber({
    ...options,
    provider: 'assemblyai',
    input: assemblyAiInput(options.legFormat),
    decidesTurns: false,
    socket: {
      url: assemblyAiAddress(options),
      headers: { Authorization: options.apiKey },
      closeMeaning: assemblyAiFailure,
    },
    handshake: 'before_audio',
    chunkMs: CHUNK_MS,
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    renewAfterMs: RENEW_AFTER_MS,
    closeMessage: '{"type":"Terminate"}',
    protocol: (connection) => createAssemblyAiProtocol(connection, options.clock),
  });
}

export const adapter: TranscriberAdapter<typeof assemblyAi> = ({ settings, transcriber, input, ...call }) =>
  createAssemblyAi({
    ...call,
    url: settings.ASSEMBLYAI_URL,
    apiKey: settings.ASSEMBLYAI_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    keyterms: transcriber.keyterms,
    legFormat: input,
  });
