import type { Clock } from '../../shared/clock.ts';
import type { Logger } from '../../shared/log.ts';
import type { sarvamTranscriber } from '../../shared/providers/sarvam.ts';
import { type AudioFormat, bytesPerSample, PCM_16K } from '../audio/format.ts';
import { createDeadline } from '../provider/deadline.ts';
import { createHandshake } from '../provider/handshake.ts';
import { parseJsonMessage } from '../provider/json-message.ts';
import { ProviderError, type ProviderFailure } from '../provider/provider-error.ts';
import { CONNECT_DEADLINE_MS, closeFailure, createProviderSocket } from '../provider/socket.ts';
import { createFinalizeRequests, type FinalizeRequest } from './finalize-requests.ts';
import { createPendingAudio } from './pending-audio.ts';
import type { Transcriber, TranscriberAdapter, TranscriberListener } from './transcriber.ts';

/**
 * Sarvam's transcriber for the languages of India over its WebSocket `/speech-to-text-realtime/ws` (public documentation:
 * docs.sarvam.ai, "Realtime Streaming Speech-to-Text", and the types of the vendor's package `sarvamai` 1.1).
 *
 * The vendor's voice activity cuts the sound into utterances: start, partial texts, end, and one final text, which is
 * written anew from the whole utterance. Each is one `final` with a turn of its own. Its other way, `endpointing=manual`,
 * finishes at once when told so, but then everything between two turns, the agent's long answers too, would be one
 * utterance to be read whole. So `finalize` sends nothing: the same silence that made us ask has made the vendor write. It
 * is answered by the open utterance's final text, or by '' where the vendor heard nobody.
 */

const PROVIDER = 'sarvam';
const KEPT_MS = 2_000;
const LIVENESS = { everyMs: 2_500, deadAfterMs: 10_000 };
/** The vendor closes an idle connection (1008) after a minute; its own ping counts as life. */
const KEEP_ALIVE_MS = 15_000;
/** The 99th percentile of the vendor is a second. */
const FINAL_DEADLINE_MS = 2_000;
/** Where the vendor has told of no speech so long after we asked for its words, it heard none. */
const UNHEARD_MS = 600;
/** Within an utterance partial texts come every half second of sound; this much without a message means that it is stuck. */
const SILENT_SPEECH_MS = 5_000;
/** Less silence cuts sentences into crumbs, more holds final words back. */
const MIN_PAUSE_MS = 200;
const MAX_PAUSE_MS = 500;
/** Half a second by the vendor: too long for a plain "haan". */
const MIN_SPEECH_MS = 100;
const MAX_KEYTERMS = 50;
const MAX_KEYTERM_CHARS = 64;
const MAX_TEXT_CHARS = 10_000;

const LANGUAGES = new Set(
  'en hi bn kn ml mr or pa ta te gu as ur ne kok ks sd sa sat mni brx mai doi'.split(' ').map((tag) => `${tag}-IN`),
);

const ENCODINGS: Record<AudioFormat['encoding'], string> = { mulaw: 'mulaw', alaw: 'alaw', pcm16: 'linear16' };

export interface SarvamOptions {
  /** The vendor's base address, `wss://api.sarvam.ai`. */
  url: string;
  apiKey: string;
  /** `saaras:v3-realtime`, or a later one of the same protocol. */
  model: string;
  /** A language tag, with or without country; what the vendor does not know is left to its own detection. */
  language: string;
  /** The vendor's pause, within its sensible range. */
  endpointingMs: number;
  /** Words to expect; the vendor takes them from `saaras:v4` on, at most 50. */
  keyterms?: readonly string[];
  /** What the line speaks. The vendor takes 8 and 16 kHz: another rate has to be converted, see `input`. */
  lineFormat: AudioFormat;
  clock: Clock;
  log: Logger;
  listener: TranscriberListener;
}

/** `hi` and `hi-IN` are the same; Odia has two names. */
export function sarvamLanguage(language: string): string {
  const base = language.trim().split(/[-_]/)[0]!.toLowerCase();
  const tag = `${base === 'od' ? 'or' : base}-IN`;
  return LANGUAGES.has(tag) && !/[,+/ ]|^[a-z]+-en$/i.test(language.trim()) ? tag : 'auto';
}

/** The line's own format where the vendor takes it. */
export function sarvamInput(line: AudioFormat): AudioFormat {
  return line.sample_rate === 8000 || line.sample_rate === 16000 ? line : PCM_16K;
}

export function sarvamAddress(options: SarvamOptions): string {
  const input = sarvamInput(options.lineFormat);
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

/** A fatal error's `status_code`, an HTTP status. */
function statusFailure(status: unknown): ProviderFailure | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 408) return 'timeout';
  if (status === 429) return 'capacity';
  if (status === 400 || status === 413 || status === 422) return 'bad_request';
  return typeof status === 'number' ? 'unavailable' : undefined;
}

function wordsFailure(words: string): ProviderFailure | undefined {
  if (/rate.?limit|quota|concurren|capacity|too.?many/i.test(words)) return 'capacity';
  if (/api.?key|subscription|unauthori[sz]ed|forbidden|authenticat/i.test(words)) return 'auth';
  if (/unavailable|backend|internal/i.test(words)) return 'unavailable';
  if (/inactiv|timeout|timed out/i.test(words)) return 'timeout';
  return undefined;
}

/** 1003 is a limit or a bad key, 1008 inactivity, 4000 a rejection: the reason says which. */
function closeMeaning(code: number, reason: string): ProviderFailure {
  const said = wordsFailure(reason);
  if (code === 1003) return said ?? 'capacity';
  if (code === 1008) return said ?? 'timeout';
  if (code === 4000) return said ?? 'bad_request';
  return closeFailure(code);
}

interface Utterance {
  index: number;
  text: string;
}

export function createSarvam(options: SarvamOptions): Transcriber {
  const { clock, log, listener } = options;
  const input = sarvamInput(options.lineFormat);
  const bytesPerMs = (input.sample_rate * bytesPerSample(input)) / 1000;
  const early = createPendingAudio(KEPT_MS * bytesPerMs);

  let opening: Promise<void> | null = null;
  let closed = false;
  let told = false;
  let flowing = false;

  let turn = 0;
  let utterance: Utterance | null = null;
  /** Utterances up to this one are told. */
  let lastTold = -1;
  /** So many words of that one were told before its final text came. */
  let toldEarly = 0;
  let sentBytes = 0;
  let bytesSinceMessage = 0;
  let heardAtMs = 0;
  let oddMessages = 0;

  const asks = createFinalizeRequests(clock, FINAL_DEADLINE_MS, onLate);
  const unheard = createDeadline(clock, UNHEARD_MS, () => {
    // The ping that went with the question was answered: somebody listens, and heard nothing.
    const ask = asks.oldest;
    if (ask && !utterance && heardAtMs >= ask.atMs) tellFinal('');
  });

  const greeting = createHandshake(clock, CONNECT_DEADLINE_MS, () =>
    socket.fail(new ProviderError(PROVIDER, 'timeout', `not ready within ${CONNECT_DEADLINE_MS} ms`)),
  );

  const socket = createProviderSocket({
    provider: PROVIDER,
    url: sarvamAddress(options),
    headers: { 'API-SUBSCRIPTION-KEY': options.apiKey },
    clock,
    liveness: LIVENESS,
    keepAlive: { everyMs: KEEP_ALIVE_MS, send: ping },
    closeMeaning,
    onText,
    onFailed,
  });

  function ping(): void {
    socket.send('{"event":"ping"}');
  }

  function stopWaiting(): void {
    asks.clear();
    unheard.stop();
    greeting.stop();
  }

  function onFailed(error: ProviderError): void {
    flowing = false;
    stopWaiting();
    if (greeting.failed(error) || closed || told) return;
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
    switch (message.event) {
      case 'session.begin':
        greeting.completed();
        return;
      case 'vad.speech_start':
        within(message);
        return;
      case 'transcript.partial': {
        const current = within(message);
        const text = textOf(message);
        if (!current || text === '' || text === current.text) return;
        current.text = text;
        listener({ type: 'partial', turn, text });
        return;
      }
      case 'transcript.final': {
        const text = textOf(message);
        if (toldEarly > 0 && message.utterance_idx === lastTold) {
          const added = text.split(/\s+/).slice(toldEarly).join(' ');
          toldEarly = 0;
          if (added !== '') tellFinal(added);
          return;
        }
        const current = within(message);
        if (!current) return;
        lastTold = current.index;
        toldEarly = 0;
        utterance = null;
        // A noise without words answers a question, and tells nothing otherwise, unless words had been told.
        if (text !== '' || current.text !== '' || asks.oldest) tellFinal(text);
        return;
      }
      case 'error':
        onError(message);
        return;
      default:
        // The end of speech, pongs, the end of a session, and whatever the vendor adds later.
        return;
    }
  }

  function textOf(message: Record<string, unknown>): string {
    return typeof message.text === 'string' ? message.text.slice(0, MAX_TEXT_CHARS).trim() : '';
  }

  /** The utterance that a message is of, begun if need be; null when it was told already. */
  function within(message: Record<string, unknown>): Utterance | null {
    const index = message.utterance_idx;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0) {
      odd('utterance_idx');
      return null;
    }
    if (index <= lastTold) return null;
    if (utterance && index < utterance.index) {
      odd('of an earlier utterance');
      return null;
    }
    if (!utterance || index > utterance.index) {
      // The final text of the one before never came. Its words are kept rather than lost.
      if (utterance && utterance.text !== '') tellFinal(utterance.text);
      if (utterance) lastTold = utterance.index;
      toldEarly = 0;
      utterance = { index, text: '' };
      unheard.stop();
    }
    return utterance;
  }

  function onError(message: Record<string, unknown>): void {
    const code = typeof message.code === 'string' ? message.code.slice(0, 80) : 'no code';
    if (message.is_fatal !== true) {
      odd(`error ${code}`);
      return;
    }
    const words = typeof message.message === 'string' ? message.message : '';
    const kind = statusFailure(message.status_code) ?? wordsFailure(`${code} ${words}`) ?? 'unavailable';
    socket.fail(new ProviderError(PROVIDER, kind, `the transcriber reported ${code}`));
  }

  function tellFinal(text: string): void {
    if (asks.oldest) {
      asks.resolveOldest();
      if (asks.oldest) unheard.start();
      else unheard.stop();
    }
    listener({ type: 'final', turn: turn++, text });
  }

  function onLate(ask: FinalizeRequest): void {
    if (heardAtMs < ask.atMs) {
      const message = `no message for ${FINAL_DEADLINE_MS} ms after final words were asked for`;
      socket.fail(new ProviderError(PROVIDER, 'timeout', message));
      return;
    }
    // Where nothing is known yet the utterance stays open: its words come late rather than never.
    const text = utterance?.text ?? '';
    if (utterance && text !== '') {
      lastTold = utterance.index;
      toldEarly = text.split(/\s+/).length;
      utterance = null;
    }
    tellFinal(text);
  }

  function sendSound(chunk: Uint8Array): void {
    const sound = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
    socket.send(`{"event":"audio_input","audio":"${sound}"}`);
    sentBytes += chunk.length;
    bytesSinceMessage += chunk.length;
    if (utterance && bytesSinceMessage > SILENT_SPEECH_MS * bytesPerMs) {
      socket.fail(
        new ProviderError(PROVIDER, 'timeout', `no message for ${SILENT_SPEECH_MS} ms of sound within speech`),
      );
    }
  }

  function ask(): void {
    // Its answer tells whether anybody listens, also where nothing was heard.
    ping();
    asks.add(sentBytes);
    if (!utterance && !unheard.running) unheard.start();
  }

  async function connect(): Promise<void> {
    const greeted = greeting.expect();
    try {
      await socket.open();
    } catch (error) {
      greeting.stop();
      throw error;
    }
    await greeted;
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
      stopWaiting();
      greeting.failed(new ProviderError(PROVIDER, 'unavailable', 'closed while it was being opened'));
      return socket.close('{"event":"end"}');
    },
  };
}

export const adapter: TranscriberAdapter<typeof sarvamTranscriber> = ({ settings, transcriber, ...call }) =>
  createSarvam({
    ...call,
    url: settings.SARVAM_STT_URL,
    apiKey: settings.SARVAM_API_KEY,
    model: transcriber.model,
    language: transcriber.language,
    endpointingMs: transcriber.endpointing_ms,
    keyterms: transcriber.keyterms,
    lineFormat: call.input,
  });
