import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from '../provider/deadline.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { closeFailure } from '../provider/socket.ts';
import { createFinalizeRequests, type FinalizeRequest } from './finalize-requests.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

/** The provider's 99th percentile is one second. */
const FINAL_DEADLINE_MS = 2_000;
/** When the provider has reported no speech this long after final words were requested, there was none. */
const NO_SPEECH_MS = 600;
const MAX_TEXT_CHARS = 10_000;

interface Utterance {
  index: number;
  text: string;
}

/**
 * The messages of Sarvam's transcriber. Its voice activity cuts the audio into utterances: start, partial texts, end, and one
 * final text, written anew from the whole utterance. Each utterance is one `final` event with its own turn.
 *
 * `finalize` requests nothing from the provider: the silence that causes it ends the utterance as well. It is resolved by the
 * open utterance's final text, or by '' when there is no speech. The provider's `endpointing=manual` would end utterances on
 * request, but make everything between two turns, long replies of the agent included, one utterance to be transcribed.
 */
export function createSarvamProtocol(connection: TranscriberConnection, clock: Clock): TranscriberProtocol {
  const { emit } = connection;
  let turn = 0;
  let utterance: Utterance | null = null;
  let lastEmittedIndex = -1;
  /** Words of that utterance that were emitted before its final text came. */
  let wordsEmittedEarly = 0;
  /** That of the final text which is being handled, as the provider names it. */
  let language: string | undefined;

  const requests = createFinalizeRequests(clock, FINAL_DEADLINE_MS, onFinalTimeout);
  const noSpeech = createDeadline(clock, NO_SPEECH_MS, () => {
    // The ping sent with the request was answered: the provider is alive and has detected no speech.
    const request = requests.oldest;
    if (request && !utterance && connection.lastMessageMs >= request.atMs) emitFinal('');
  });

  function onPartial(message: Record<string, unknown>): void {
    const current = utteranceOf(message);
    const text = textOf(message);
    if (!current || text === '' || text === current.text) return;
    current.text = text;
    emit({ type: 'partial', turn, text });
  }

  function onFinal(message: Record<string, unknown>): void {
    const text = textOf(message);
    const { language: spoken } = message;
    language = typeof spoken === 'string' && /^[a-z]{2,3}-IN$/.test(spoken) ? spoken : undefined;
    if (wordsEmittedEarly > 0 && message.utterance_idx === lastEmittedIndex) {
      const added = text.split(/\s+/).slice(wordsEmittedEarly).join(' ');
      wordsEmittedEarly = 0;
      if (added !== '') emitFinal(added);
      return;
    }
    const current = utteranceOf(message);
    if (!current) return;
    lastEmittedIndex = current.index;
    wordsEmittedEarly = 0;
    utterance = null;
    // A noise without words resolves a request; otherwise it is no event, unless partial words were emitted for it.
    if (text !== '' || current.text !== '' || requests.oldest) emitFinal(text);
  }

  /** The utterance a message belongs to, started if it is new; null when it was emitted already. */
  function utteranceOf(message: Record<string, unknown>): Utterance | null {
    const index = message.utterance_idx;
    if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < 0) {
      connection.ignore('invalid utterance_idx');
      return null;
    }
    if (index <= lastEmittedIndex) return null;
    if (utterance && index < utterance.index) {
      connection.ignore('message of an earlier utterance');
      return null;
    }
    if (!utterance || index > utterance.index) {
      // The previous utterance's final text never came: its partial words are emitted instead of lost.
      if (utterance && utterance.text !== '') emitFinal(utterance.text);
      if (utterance) lastEmittedIndex = utterance.index;
      wordsEmittedEarly = 0;
      utterance = { index, text: '' };
      noSpeech.stop();
    }
    return utterance;
  }

  function onError(message: Record<string, unknown>): void {
    const code = typeof message.code === 'string' ? message.code.slice(0, 80) : 'no code';
    if (message.is_fatal !== true) {
      connection.ignore(`error ${code}`);
      return;
    }
    const text = typeof message.message === 'string' ? message.message : '';
    const kind = statusFailure(message.status_code) ?? textFailure(`${code} ${text}`) ?? 'unavailable';
    connection.fail(kind, `the transcriber reported ${code}`);
  }

  function emitFinal(text: string): void {
    if (requests.oldest) {
      requests.resolveOldest();
      if (requests.oldest) noSpeech.start();
      else noSpeech.stop();
    }
    emit({ type: 'final', turn: turn++, text, ...(language === undefined ? {} : { language }) });
    language = undefined;
  }

  function onFinalTimeout(request: FinalizeRequest): void {
    if (connection.lastMessageMs < request.atMs) {
      connection.fail('timeout', `no message for ${FINAL_DEADLINE_MS} ms after final words were requested`);
      return;
    }
    // An utterance without any words yet stays open: its words come late instead of never.
    const text = utterance?.text ?? '';
    if (utterance && text !== '') {
      lastEmittedIndex = utterance.index;
      wordsEmittedEarly = text.split(/\s+/).length;
      utterance = null;
    }
    emitFinal(text);
  }

  function ping(): void {
    connection.send('{"event":"ping"}');
  }

  return {
    inSpeech: () => utterance !== null,
    onMessage(message) {
      switch (message.event) {
        case 'session.begin':
          connection.completeHandshake();
          return;
        case 'vad.speech_start':
          utteranceOf(message);
          return;
        case 'transcript.partial':
          onPartial(message);
          return;
        case 'transcript.final':
          onFinal(message);
          return;
        case 'error':
          onError(message);
          return;
      }
    },
    encodeAudio(chunk) {
      const audio = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64');
      return `{"event":"audio_input","audio":"${audio}"}`;
    },
    finalize() {
      // The pong shows that the provider is alive, also where it has detected no speech.
      ping();
      requests.add(connection.sentMs);
      if (!utterance && !noSpeech.running) noSpeech.start();
    },
    keepAlive: ping,
    stop() {
      requests.clear();
      noSpeech.stop();
    },
  };
}

function textOf(message: Record<string, unknown>): string {
  return typeof message.text === 'string' ? message.text.slice(0, MAX_TEXT_CHARS).trim() : '';
}

/** What a fatal error's `status_code`, an HTTP status, means. */
function statusFailure(status: unknown): ProviderFailure | undefined {
  if (status === 401 || status === 403) return 'auth';
  if (status === 408) return 'timeout';
  if (status === 429) return 'capacity';
  if (status === 400 || status === 413 || status === 422) return 'bad_request';
  return typeof status === 'number' ? 'unavailable' : undefined;
}

function textFailure(text: string): ProviderFailure | undefined {
  if (/rate.?limit|quota|concurren|capacity|too.?many/i.test(text)) return 'capacity';
  if (/api.?key|subscription|unauthori[sz]ed|forbidden|authenticat/i.test(text)) return 'auth';
  if (/unavailable|backend|internal/i.test(text)) return 'unavailable';
  if (/inactiv|timeout|timed out/i.test(text)) return 'timeout';
  return undefined;
}

/** What a close code means: 1003 a limit or a wrong key, 1008 inactivity, 4000 a rejection; the reason says which. */
export function sarvamCloseFailure(code: number, reason: string): ProviderFailure {
  const known = textFailure(reason);
  if (code === 1003) return known ?? 'capacity';
  if (code === 1008) return known ?? 'timeout';
  if (code === 4000) return known ?? 'bad_request';
  return closeFailure(code);
}
