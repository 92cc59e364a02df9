import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, bytesPerSample } from '../audio/format.ts';
import { deepgramFailure } from './deepgram-api.ts';
import { createFinalizeRequests, type FinalizeRequest } from './finalize-requests.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

const FINAL_DEADLINE_MS = 1_500;
/** A `Finalize` without a reply, and this much audio without any message: stuck. During speech, and otherwise. */
const UNANSWERED_SPEECH_MS = 1_000;
const UNANSWERED_AUDIO_MS = 4_000;
/** A reply may leave out this much of the audio before its request, the silence in which it was sent. */
const PAUSE_TOLERANCE_MS = 500;
const FINALIZE_TOLERANCE_MS = 1_000;
/** Keep-alives do not extend the ten seconds until the first audio, but silence does. */
const FIRST_SILENCE_MS = 100;
const SILENT_BYTE = { mulaw: 0xff, alaw: 0xd5, pcm16: 0 };
const MAX_TEXT_CHARS = 10_000;
const MAX_WORDS = 2_000;

interface Result {
  text: string;
  isFinal: boolean;
  speechFinal: boolean;
  fromFinalize: boolean;
  /** The stretch of audio it covers, in ms of audio sent; null when not given. */
  startMs: number | null;
  endMs: number | null;
  words: { text: string; startMs: number }[];
}

/**
 * The messages of Deepgram's general transcriber. The provider writes segments: a segment's text is replaced until `is_final`;
 * `speech_final`, or `UtteranceEnd` where noise hides the pause, reports a pause. Segments are joined until a pause, so that a
 * `final` event has everything since the last one, and a `partial` event what is known so far. Each `final` has its own turn.
 *
 * A `finalize` is resolved by the result of `Finalize`, or by a pause that was on its way. The provider does not promise a
 * result where there was little audio: then what is known is emitted after FINAL_DEADLINE_MS.
 */
export function createDeepgramProtocol(
  connection: TranscriberConnection,
  input: AudioFormat,
  clock: Clock,
): TranscriberProtocol {
  const { emit } = connection;
  let turn = 0;
  /** Final texts since the last `final` event, the text that may still change, and the last `partial` event's. */
  let segments: string[] = [];
  let interim = '';
  let partial = '';
  /** How far the text that may still change reaches, in ms of audio. */
  let interimEndMs = 0;
  /** Audio before this was emitted as final, although the provider had not finished it. */
  let emittedUntilMs = 0;
  let speechStarted = false;

  const requests = createFinalizeRequests(clock, FINAL_DEADLINE_MS, onFinalTimeout);

  const inSpeech = () => speechStarted || partial !== '';

  function onResult(result: Result): void {
    const { isFinal, speechFinal, fromFinalize, endMs } = result;
    const text = withoutEmitted(result);
    if (!isFinal) {
      if (text === '') return;
      speechStarted = true;
      interim = text;
      interimEndMs = endMs ?? connection.sentMs;
      emitPartial();
      return;
    }
    interim = '';
    if (text !== '') segments.push(text);
    const request = requests.oldest;
    if (request && (fromFinalize || speechFinal)) {
      const toleranceMs = fromFinalize ? FINALIZE_TOLERANCE_MS : PAUSE_TOLERANCE_MS;
      // A result that ends earlier is of an earlier pause, and more follows.
      if (endMs === null || endMs >= request.sentMs - toleranceMs) {
        emitFinal();
        return;
      }
    } else if (segments.length > 0 && (fromFinalize || speechFinal || segments.join(' ').length > MAX_TEXT_CHARS)) {
      emitFinal();
      return;
    }
    emitPartial();
  }

  /** The text without the words that were emitted before the provider had finished them. */
  function withoutEmitted({ text, words, startMs, endMs }: Result): string {
    if (startMs === null || endMs === null || startMs >= emittedUntilMs) return text;
    if (endMs <= emittedUntilMs) return '';
    return words
      .filter((word) => word.startMs >= emittedUntilMs)
      .map((word) => word.text)
      .join(' ');
  }

  function knownText(): string {
    return [...segments, interim].filter((part) => part !== '').join(' ');
  }

  function emitPartial(): void {
    const text = knownText();
    if (text === partial) return;
    partial = text;
    emit({ type: 'partial', turn, text });
  }

  /** Emits all that is known as one final text, and resolves the oldest request with it. */
  function emitFinal(): void {
    const text = knownText();
    segments = [];
    interim = '';
    partial = '';
    speechStarted = false;
    if (requests.oldest) requests.resolveOldest();
    emit({ type: 'final', turn: turn++, text });
  }

  function onFinalTimeout(request: FinalizeRequest): void {
    const silentMs = connection.sentSinceMessageMs;
    const stuck = inSpeech()
      ? silentMs >= UNANSWERED_SPEECH_MS
      : silentMs >= UNANSWERED_AUDIO_MS && connection.lastMessageMs < request.atMs;
    if (stuck) {
      connection.fail('timeout', `no message for ${FINAL_DEADLINE_MS} ms after final words were requested`);
      return;
    }
    if (interim !== '') emittedUntilMs = interimEndMs;
    emitFinal();
  }

  return {
    inSpeech,
    onMessage(message) {
      switch (message.type) {
        case 'Results': {
          const result = readResult(message);
          if (result) onResult(result);
          else connection.ignore('result without a transcript');
          return;
        }
        case 'SpeechStarted':
          speechStarted = true;
          return;
        case 'UtteranceEnd':
          if (segments.length > 0 && interim === '') emitFinal();
          return;
        case 'Error': {
          const fields = [message.code, message.err_code, message.variant, message.description, message.message];
          const texts = fields.filter((field) => typeof field === 'string' && field !== '') as string[];
          const kind = texts.map(deepgramFailure).find((each) => each !== undefined) ?? 'unavailable';
          connection.fail(kind, `the transcriber reported ${(texts[0] ?? 'an error').slice(0, 80)}`);
          return;
        }
      }
    },
    finalize() {
      connection.send('{"type":"Finalize"}');
      requests.add(connection.sentMs);
    },
    keepAlive() {
      if (connection.sentMs > 0) {
        connection.send('{"type":"KeepAlive"}');
        return;
      }
      const bytes = (FIRST_SILENCE_MS * input.sample_rate * bytesPerSample(input)) / 1000;
      connection.sendAudio(new Uint8Array(bytes).fill(SILENT_BYTE[input.encoding]));
    },
    stop: requests.clear,
  };
}

/** A `Results` message, read without trusting its shape; null when it has no transcript. */
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
    startMs: timed ? start * 1000 : null,
    endMs: timed ? (start + duration) * 1000 : null,
    words: Array.isArray(words) ? words.slice(0, MAX_WORDS).flatMap(readWord) : [],
  };
}

function readWord(word: unknown): Result['words'] {
  const { punctuated_word, word: plain, start } = (word ?? {}) as Record<string, unknown>;
  const text = typeof punctuated_word === 'string' ? punctuated_word : plain;
  return typeof text === 'string' && typeof start === 'number' ? [{ text, startMs: start * 1000 }] : [];
}
