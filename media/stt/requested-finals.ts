import type { Clock } from '../../shared/clock.ts';
import { createDeadline } from '../provider/deadline.ts';
import { createFinalizeRequests, type FinalizeRequest } from './finalize-requests.ts';
import type { TranscriberConnection } from './streaming-transcriber.ts';

/**
 * The words of a provider that makes them final on request: partial texts until a request, its answer as one `final` event with
 * a turn of its own, and what is known when the answer does not come in time. Words that nobody asks for, because our voice
 * activity did not hear them, are requested once they no longer change.
 */
export interface RequestedFinals {
  /** All words that are not final yet. */
  partial(text: string): void;
  /**
   * Final words: the answer to the oldest request, or of the provider's own accord; with the tag of their language, where the
   * provider names it.
   */
  final(text: string, language?: unknown): void;
  /** Final words were requested just now. */
  requested(): void;
  /** Requests what there is, although nobody waits for it; nothing happens while another request is open. */
  settle(): void;
  /** Words are known that are not final. */
  readonly inSpeech: boolean;
  /** A request is without its answer. */
  readonly pending: boolean;
  stop(): void;
}

export interface RequestedFinalsOptions {
  connection: TranscriberConnection;
  clock: Clock;
  /** How long the provider may take to answer. */
  finalWithinMs: number;
  /** Sends the provider's request for final words, and nothing else. */
  request(): void;
  /** The provider is silent when it has nothing to make final, so that silence without words is no failure. */
  mayStaySilent?: boolean;
}

/** Words that have not changed for this long are requested. The caller's pauses within a sentence are shorter. */
const SETTLED_AFTER_MS = 1_500;
/** An answer that is later than this after its deadline does not come any more. */
const LATE_WITHIN_MS = 5_000;
export const MAX_TEXT_CHARS = 10_000;
const LANGUAGE_TAG = /^[a-z]{2,3}(-\w{2,8})?$/i;

export function createRequestedFinals(options: RequestedFinalsOptions): RequestedFinals {
  const { connection, clock, finalWithinMs } = options;
  let turn = 0;
  let known = '';
  /** Words that became final at a deadline and will be in the answer again, and until when it is waited for. */
  let early: { words: number; untilMs: number } | null = null;

  const requests = createFinalizeRequests(clock, finalWithinMs, onTimeout);
  const settled = createDeadline(clock, SETTLED_AFTER_MS, () => {
    if (known !== '') settle();
  });

  function settle(): void {
    if (requests.oldest) return;
    options.request();
    requests.add(connection.sentMs, true);
  }

  /** The text without the words that became final at a deadline. */
  function withoutEarly(text: string): string {
    const trimmed = text.slice(0, MAX_TEXT_CHARS).trim();
    if (early && clock.now() > early.untilMs) early = null;
    return early ? trimmed.split(/\s+/).slice(early.words).join(' ') : trimmed;
  }

  function emitFinal(text: string, language?: unknown): void {
    const request = requests.oldest;
    const hadWords = known !== '';
    known = '';
    settled.stop();
    if (request) requests.resolveOldest();
    // Nothing, for which nobody asked and of which nothing was known, is no event.
    if (text === '' && !hadWords && (!request || request.unasked)) return;
    emit(text, language);
  }

  function emit(text: string, language: unknown): void {
    const isTag = typeof language === 'string' && LANGUAGE_TAG.test(language);
    connection.emit({ type: 'final', turn: turn++, text, ...(isTag && text !== '' && { language }) });
  }

  function onTimeout(request: FinalizeRequest): void {
    if (connection.lastMessageMs < request.atMs && !(options.mayStaySilent && known === '')) {
      connection.fail('timeout', `no message for ${finalWithinMs} ms after final words were requested`);
      return;
    }
    if (!options.mayStaySilent || known !== '') {
      early = { words: wordCount(known), untilMs: clock.now() + LATE_WITHIN_MS };
    }
    emitFinal(known);
  }

  return {
    get inSpeech() {
      return known !== '';
    },
    get pending() {
      return requests.oldest !== null;
    },
    partial(text) {
      const words = withoutEarly(text);
      if (words === '' || words === known) return;
      known = words;
      settled.start();
      connection.emit({ type: 'partial', turn, text: words });
    },
    final(text, language) {
      const isLate = early !== null && clock.now() <= early.untilMs;
      const words = withoutEarly(text);
      early = null;
      // The request of a late answer was resolved at its deadline; the next one has an answer of its own.
      if (!isLate) emitFinal(words, language);
      else if (words !== '') {
        known = '';
        settled.stop();
        emit(words, language);
      }
    },
    settle,
    requested() {
      requests.add(connection.sentMs);
      settled.stop();
    },
    stop() {
      requests.clear();
      settled.stop();
    },
  };
}

function wordCount(text: string): number {
  return text === '' ? 0 : text.split(/\s+/).length;
}
