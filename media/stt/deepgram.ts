import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { deepgram } from '../../shared/providers/deepgram.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { closeFailure, createProviderSocket } from '../provider/socket.ts';
import { DEEPGRAM_ENCODINGS, deepgramFailure } from './deepgram-protocol.ts';
import { createFinalizeRequests, type FinalizeRequest } from './finalize-requests.ts';
import { createPendingAudio } from './pending-audio.ts';
import type { Transcriber, TranscriberAdapter, TranscriberListener } from './transcriber.ts';

/**
 * Deepgram's general transcriber (Nova) over its WebSocket `/v1/listen` (public documentation: developers.deepgram.com,
 * "Live streaming", "Endpointing and interim results", "Finalize", "Audio keep alive", and the vendor's published AsyncAPI
 * description).
 *
 * The vendor writes in segments: a segment's text is replaced until `is_final`, and a pause of `endpointing` is told by
 * `speech_final`, or, where noise hides it, by `UtteranceEnd`. What is final but goes on is joined here, so that `final`
 * tells all that was said since the last one, and `partial` what of it is known so far. Each `final` has a turn of its own.
 *
 * `finalize` is answered by the answer to `Finalize`, or by the pause if that was on its way already. The vendor does not
 * promise an answer where it had little to work on: then what is known is told after FINAL_DEADLINE_MS.
 */

const PROVIDER = 'deepgram';
/** Sound kept while the connection is being made. */
const KEPT_MS = 2_000;
const LIVENESS = { everyMs: 2_500, deadAfterMs: 10_000 };
/** The vendor closes after ten seconds without a message and asks for one every three to five. */
const KEEP_ALIVE_MS = 4_000;
/** The ten seconds until the first sound are not stretched by keep-alives: silence is sound. */
const FIRST_SILENCE_MS = 100;
const FINAL_DEADLINE_MS = 1_500;
/** Within speech the vendor tells of every second of sound or so; this much without a message means that it is stuck. */
const SILENT_SPEECH_MS = 5_000;
/** No answer to `Finalize`, and so much sound without any message: stuck, within speech, and where none was told. */
const UNANSWERED_SPEECH_MS = 1_000;
const UNANSWERED_SOUND_MS = 4_000;
/** How much of the sound before a question its answer may leave out: the silence in which it was asked. */
const PAUSE_TOLERANCE_MS = 500;
const FLUSH_TOLERANCE_MS = 1_000;
/** The vendor's smallest; it tells of the end of speech that noise hides. */
const UTTERANCE_END_MS = 1_000;
const MAX_KEYTERMS = 100;
const MAX_TEXT_CHARS = 10_000;
const MAX_WORDS = 2_000;
/** Of their languages the vendor has variants by country. */
const WITH_COUNTRY = /^(en-(US|AU|GB|IN|NZ)|pt-(BR|PT)|zh-(CN|TW|HK)|es-419|fr-CA|nl-BE)$/i;

export interface DeepgramOptions {
  /** The vendor's base address, `wss://api.deepgram.com` or a regional one. */
  url: string;
  apiKey: string;
  /** `nova-3` and its kin; older families take `keyterms` as plain keywords. */
  model: string;
  /** A language tag; `multi`, `auto`, '' and mixes like `hi-en` hear several languages at once. */
  language: string;
  /** A pause of this length ends a segment. */
  endpointingMs: number;
  /** Words to expect, at most 100. */
  keyterms?: readonly string[];
  input: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}

/** The vendor's name of a language as an agent's settings have it. `hi-Latn` is not known to Nova-3, but in the mix. */
export function deepgramLanguage(language: string): string {
  const tag = language.trim().replaceAll('_', '-');
  if (/^(|multi|auto|unknown)$/i.test(tag) || /^[a-z]{2}[-,+/ ]+en$/i.test(tag) || /-latn/i.test(tag)) return 'multi';
  if (/[,+/ ]/.test(tag)) return 'multi';
  return WITH_COUNTRY.test(tag) ? tag : tag.split('-')[0]!.toLowerCase();
}

export function deepgramAddress(options: DeepgramOptions): string {
  const query = new URLSearchParams({
    model: options.model,
    language: deepgramLanguage(options.language),
    encoding: DEEPGRAM_ENCODINGS[options.input.encoding],
    sample_rate: String(options.input.sample_rate),
    channels: '1',
    interim_results: 'true',
    // Marks tell where a sentence ends. The vendor's further formatting holds final words back, and figures are ours.
    punctuate: 'true',
    endpointing: String(options.endpointingMs),
    utterance_end_ms: String(UTTERANCE_END_MS),
    vad_events: 'true',
  });
  const name = options.model.startsWith('nova-3') ? 'keyterm' : 'keywords';
  const terms = (options.keyterms ?? []).map((term) => term.trim()).filter((term) => term !== '');
  for (const term of terms.slice(0, MAX_KEYTERMS)) query.append(name, term);
  return `${options.url.replace(/\/+$/, '')}/v1/listen?${query}`;
}

interface Result {
  text: string;
  isFinal: boolean;
  speechFinal: boolean;
  fromFinalize: boolean;
  /** Seconds of sound that it reaches from and to; null where it does not say. */
  startSeconds: number | null;
  endSeconds: number | null;
  words: { text: string; startSeconds: number }[];
}

/** A `Results` message, whatever it really has in it; null when there is no transcript at all. */
function readResult(message: Record<string, unknown>): Result | null {
  const channel = message.channel as { alternatives?: unknown } | null | undefined;
  const alternatives = channel?.alternatives;
  const first: unknown = Array.isArray(alternatives) ? alternatives[0] : undefined;
  const { transcript, words } = (first ?? {}) as { transcript?: unknown; words?: unknown };
  if (typeof transcript !== 'string') return null;
  const { start, duration } = message;
  const timed = typeof start === 'number' && typeof duration === 'number';
  return {
    text: transcript.slice(0, MAX_TEXT_CHARS).trim(),
    isFinal: message.is_final === true,
    speechFinal: message.speech_final === true,
    fromFinalize: message.from_finalize === true,
    startSeconds: timed ? start : null,
    endSeconds: timed ? start + duration : null,
    words: Array.isArray(words) ? words.slice(0, MAX_WORDS).flatMap(readWord) : [],
  };
}

function readWord(word: unknown): Result['words'] {
  const { punctuated_word, word: plain, start } = (word ?? {}) as Record<string, unknown>;
  const text = typeof punctuated_word === 'string' ? punctuated_word : plain;
  return typeof text === 'string' && typeof start === 'number' ? [{ text, startSeconds: start }] : [];
}

export function createDeepgram(options: DeepgramOptions): Transcriber {
  const { clock, log, input, listener } = options;
  const bytesPerMs = (input.sample_rate * bytesPerSample(input)) / 1000;
  const early = createPendingAudio(KEPT_MS * bytesPerMs);

  let opening: Promise<void> | null = null;
  let closed = false;
  let told = false;
  let flowing = false;

  let turn = 0;
  /** Final text of the open segment, the text that may still change, and what of both was told. */
  let pieces: string[] = [];
  let interim = '';
  let partial = '';
  let sentBytes = 0;
  /** How far the text that may still change reaches. */
  let interimSeconds = 0;
  /** Sound before this was told as final already, though the vendor had not finished it. */
  let settledSeconds = 0;
  let bytesSinceMessage = 0;
  let heardAtMs = 0;
  let speech = false;
  let oddMessages = 0;

  const asks = createFinalizeRequests(clock, FINAL_DEADLINE_MS, onLate);

  const socket = createProviderSocket({
    provider: PROVIDER,
    url: deepgramAddress(options),
    headers: { Authorization: `Token ${options.apiKey}` },
    clock,
    liveness: LIVENESS,
    keepAlive: { everyMs: KEEP_ALIVE_MS, send: keepAlive },
    refusalHeader: 'dg-error',
    closeMeaning: (code, reason) => deepgramFailure(reason) ?? closeFailure(code),
    onText,
    onFailed,
  });

  function keepAlive(): void {
    if (sentBytes === 0) sendSound(silence());
    else socket.send('{"type":"KeepAlive"}');
  }

  function silence(): Uint8Array {
    const codes = { mulaw: 0xff, alaw: 0xd5, pcm16: 0 };
    return new Uint8Array(FIRST_SILENCE_MS * bytesPerMs).fill(codes[input.encoding]);
  }

  function onFailed(error: ProviderError): void {
    flowing = false;
    asks.clear();
    if (closed || told) return;
    told = true;
    listener({ type: 'failed', error });
  }

  function odd(what: string): void {
    oddMessages++;
    if (oddMessages === 1) log.warn({ provider: PROVIDER, what }, 'odd message from the transcriber, left out');
  }

  function onText(raw: string): void {
    bytesSinceMessage = 0;
    heardAtMs = clock.now();
    const message = parseJsonMessage(raw);
    if (typeof message === 'string') {
      odd(message);
      return;
    }
    switch (message.type) {
      case 'Results': {
        const result = readResult(message);
        if (result) onResult(result);
        else odd('no transcript');
        return;
      }
      case 'SpeechStarted':
        speech = true;
        return;
      case 'UtteranceEnd':
        if (pieces.length > 0 && interim === '') tellFinal();
        return;
      case 'Error': {
        const words = [message.code, message.err_code, message.variant, message.description, message.message];
        const said = words.find((word) => typeof word === 'string' && word !== '') ?? 'an error';
        const kinds = words.map((word) => (typeof word === 'string' ? deepgramFailure(word) : undefined));
        const kind = kinds.find((each) => each !== undefined) ?? 'unavailable';
        const detail = String(said).slice(0, 80);
        socket.fail(new ProviderError(PROVIDER, kind, `the transcriber reported ${detail}`));
        return;
      }
      default:
        // Metadata, and whatever the vendor adds later.
        return;
    }
  }

  function onResult(result: Result): void {
    const { isFinal, speechFinal, fromFinalize, endSeconds } = result;
    const text = unsettled(result);
    if (!isFinal) {
      if (text === '') return;
      speech = true;
      interim = text;
      interimSeconds = endSeconds ?? sentBytes / bytesPerMs / 1000;
      tellPartial();
      return;
    }
    interim = '';
    if (text !== '') pieces.push(text);
    const endBytes = endSeconds === null ? null : endSeconds * 1000 * bytesPerMs;
    const ask = asks.oldest;
    if (ask && (fromFinalize || speechFinal)) {
      const toleranceMs = fromFinalize ? FLUSH_TOLERANCE_MS : PAUSE_TOLERANCE_MS;
      // Else it is of an earlier pause, and more is to come.
      if (endBytes === null || endBytes >= ask.position - toleranceMs * bytesPerMs) {
        tellFinal();
        return;
      }
    } else if (pieces.length > 0 && (fromFinalize || speechFinal || pieces.join(' ').length > MAX_TEXT_CHARS)) {
      tellFinal();
      return;
    }
    tellPartial();
  }

  /** Its text without the words that were told as final before the vendor had finished them. */
  function unsettled({ text, words, startSeconds, endSeconds }: Result): string {
    if (startSeconds === null || endSeconds === null || startSeconds >= settledSeconds) return text;
    if (endSeconds <= settledSeconds) return '';
    const after = words.filter((word) => word.startSeconds >= settledSeconds);
    return after.map((word) => word.text).join(' ');
  }

  function known(): string {
    return [...pieces, interim].filter((part) => part !== '').join(' ');
  }

  function tellPartial(): void {
    const text = known();
    if (text === partial) return;
    partial = text;
    listener({ type: 'partial', turn, text });
  }

  /** All that is known is one finished segment, and the answer to the oldest question where there is one. */
  function tellFinal(): void {
    const text = known();
    pieces = [];
    interim = '';
    partial = '';
    speech = false;
    if (asks.oldest) asks.resolveOldest();
    listener({ type: 'final', turn: turn++, text });
  }

  function onLate(ask: FinalizeRequest): void {
    const silentMs = bytesSinceMessage / bytesPerMs;
    const inSpeech = speech || partial !== '';
    if (inSpeech ? silentMs >= UNANSWERED_SPEECH_MS : silentMs >= UNANSWERED_SOUND_MS && heardAtMs < ask.atMs) {
      const message = `no message for ${FINAL_DEADLINE_MS} ms after final words were asked for`;
      socket.fail(new ProviderError(PROVIDER, 'timeout', message));
      return;
    }
    if (interim !== '') settledSeconds = interimSeconds;
    tellFinal();
  }

  function sendSound(chunk: Uint8Array): void {
    socket.send(chunk);
    sentBytes += chunk.length;
    bytesSinceMessage += chunk.length;
    if ((speech || partial !== '') && bytesSinceMessage > SILENT_SPEECH_MS * bytesPerMs) {
      socket.fail(
        new ProviderError(PROVIDER, 'timeout', `no message for ${SILENT_SPEECH_MS} ms of sound within speech`),
      );
    }
  }

  function ask(): void {
    socket.send('{"type":"Finalize"}');
    asks.add(sentBytes);
  }

  async function connect(): Promise<void> {
    await socket.open();
    flowing = socket.isOpen;
    if (flowing) early.drain(sendSound, ask);
  }

  return {
    provider: PROVIDER,
    model: options.model,
    input,
    decidesTurns: false,
    open() {
      opening ??= connect();
      return opening;
    },
    audio(chunk) {
      // An empty message is an old way to say goodbye.
      if (closed || told || chunk.length === 0) return;
      if (flowing) sendSound(chunk);
      else early.write(chunk);
    },
    finalize() {
      if (closed || told) return;
      if (flowing) ask();
      else early.finalize();
    },
    close() {
      closed = true;
      flowing = false;
      early.clear();
      asks.clear();
      return socket.close('{"type":"CloseStream"}');
    },
  };
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
