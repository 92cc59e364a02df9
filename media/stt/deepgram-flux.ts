import type { TurnDetection } from '../../shared/agent.ts';
import type { deepgramFlux } from '../../shared/providers/deepgram.ts';
import type { AudioFormat } from '../audio/format.ts';
import { DEEPGRAM_CLOSE_MESSAGE, DEEPGRAM_ENCODINGS, deepgramSocket, limitKeyterms } from './deepgram-api.ts';
import { createFluxProtocol } from './deepgram-flux-protocol.ts';
import { createStreamingTranscriber, type TranscriberConnectionOptions } from './streaming-transcriber.ts';
import type { Transcriber, TranscriberAdapter } from './transcriber.ts';

/**
 * Deepgram Flux over its WebSocket `/v2/listen` (public documentation: developers.deepgram.com, "Flux", and the
 * provider's AsyncAPI description). Flux decides turns itself, by words and prosody.
 *
 * Audio is sent as it is given, one message each time. The provider recommends 80 ms, which would delay the last words of a turn by
 * up to 60 ms: `fallback-transcriber.ts` gives so much at a time only while no turn can end.
 */

/** Within a turn Flux sends an update per 250 ms of audio; between turns it may rightly send nothing. */
const MAX_SILENT_SPEECH_MS = 10_000;
const LANGUAGE_HINTS = new Set(['en', 'es', 'fr', 'de', 'hi', 'ru', 'pt', 'ja', 'it', 'nl']);

/**
 * The provider's parameters for `turn_detection`. A turn ends when its confidence exceeds `eot`, or after `timeoutMs` without
 * speech; the provider's defaults are 0.7 and 5000. An eager end is sent at the confidence `eager`, and never without it.
 */
export const FLUX_TURN_DETECTION: Record<TurnDetection, { eot: number; eager: number; timeoutMs: number }> = {
  responsive: { eot: 0.6, eager: 0.35, timeoutMs: 3_000 },
  balanced: { eot: 0.7, eager: 0.5, timeoutMs: 5_000 },
  patient: { eot: 0.85, eager: 0.6, timeoutMs: 8_000 },
};

export interface DeepgramFluxOptions extends TranscriberConnectionOptions {
  /** `wss://api.deepgram.com` or a regional address. */
  url: string;
  apiKey: string;
  /** `flux-general-en` or `flux-general-multi`. */
  model: string;
  turnDetection: TurnDetection;
  /** Expected words, at most 100. The provider takes no commas: they become spaces. */
  keyterms?: readonly string[];
  /** Language tags, for `flux-general-multi` only; unknown ones are left out. */
  languageHints?: readonly string[];
  input: AudioFormat;
}

export function fluxAddress(options: DeepgramFluxOptions): string {
  const turn = FLUX_TURN_DETECTION[options.turnDetection];
  const query = new URLSearchParams({
    model: options.model,
    encoding: DEEPGRAM_ENCODINGS[options.input.encoding],
    sample_rate: String(options.input.sample_rate),
    eot_threshold: String(turn.eot),
    eager_eot_threshold: String(turn.eager),
    eot_timeout_ms: String(turn.timeoutMs),
  });
  const keyterms = (options.keyterms ?? []).map((term) => term.replaceAll(',', ' '));
  for (const term of limitKeyterms(keyterms)) query.append('keyterm', term);
  if (options.model === 'flux-general-multi') {
    const hints = (options.languageHints ?? []).map((tag) => tag.split(/[-_]/)[0]!.toLowerCase());
    for (const hint of new Set(hints)) if (LANGUAGE_HINTS.has(hint)) query.append('language_hint', hint);
  }
  return `${options.url.replace(/\/+$/, '')}/v2/listen?${query}`;
}

export function createDeepgramFlux(options: DeepgramFluxOptions): Transcriber {
  return createStreamingTranscriber({
    ...options,
    provider: 'deepgram_flux',
    decidesTurns: true,
    socket: deepgramSocket(options, fluxAddress(options)),
    handshake: 'after_audio',
    maxSilentSpeechMs: MAX_SILENT_SPEECH_MS,
    closeMessage: DEEPGRAM_CLOSE_MESSAGE,
    protocol: createFluxProtocol,
  });
}

export const adapter: TranscriberAdapter<typeof deepgramFlux> = ({ settings, transcriber, ...call }) =>
  createDeepgramFlux({
    ...call,
    url: settings.DEEPGRAM_URL,
    apiKey: settings.DEEPGRAM_API_KEY,
    model: transcriber.model,
    turnDetection: transcriber.turn_detection,
    keyterms: transcriber.keyterms,
    // Hindi on the phone is mixed with English.
    languageHints: [transcriber.language, ...(/^hi\b/i.test(transcriber.language) ? ['en'] : [])],
  });
