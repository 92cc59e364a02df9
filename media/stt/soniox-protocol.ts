import type { Clock } from '../../shared/clock.ts';
import { type AudioFormat, bytesPerSample, silenceByte } from '../audio/format.ts';
import { createDeadline } from '../provider/deadline.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { createRequestedFinals, MAX_TEXT_CHARS } from './requested-finals.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

/** The provider's 99th percentile is a third of a second. */
const FINAL_WITHIN_MS = 1_500;
/** Silence sent at once, so that the provider has something to answer, or a reason to refuse. */
const FIRST_SILENCE_MS = 100;
/** A connection that is not refused within this time is taken. */
const READY_AFTER_MS = 1_000;
const MAX_TOKENS = 2_000;
const MAX_LANGUAGES = 20;

/**
 * The messages of Soniox's transcriber. It sends tokens: final ones once, and after them all that may still change, anew in each
 * message. `finalize` makes everything final; the token `<fin>` says that it has. A refusal is an object with an error after the
 * connection was accepted, so a connection is ready with the first message that is none.
 */
export function createSonioxProtocol(
  connection: TranscriberConnection,
  config: object,
  input: AudioFormat,
  clock: Clock,
): TranscriberProtocol {
  /** The final tokens since the last final text. */
  let finished = '';
  /** Characters of them in each language. */
  let characters = new Map<string, number>();
  const request = () => connection.send('{"type":"finalize"}');
  const finals = createRequestedFinals({ connection, clock, finalWithinMs: FINAL_WITHIN_MS, request });
  const ready = createDeadline(clock, READY_AFTER_MS, () => connection.completeHandshake());

  function onTokens(tokens: readonly unknown[]): void {
    let open = '';
    for (const token of tokens.slice(0, MAX_TOKENS)) {
      const { text, is_final, language } = (token ?? {}) as Record<string, unknown>;
      if (typeof text !== 'string' || text === '<end>') continue;
      if (text === '<fin>') {
        const [words, spoken] = [finished, mainLanguage()];
        finished = '';
        characters = new Map();
        finals.final(words, spoken);
      } else if (is_final === true) {
        finished = (finished + text).slice(-MAX_TEXT_CHARS);
        if (typeof language === 'string' && (characters.has(language) || characters.size < MAX_LANGUAGES)) {
          characters.set(language, (characters.get(language) ?? 0) + text.length);
        }
      } else open += text;
    }
    finals.partial(finished + open);
  }

  /** The language of most of the final tokens. */
  function mainLanguage(): string | undefined {
    return [...characters].reduce<[string?, number?]>((most, each) => (each[1] > (most[1] ?? 0) ? each : most), [])[0];
  }

  return {
    inSpeech: () => finals.inSpeech,
    onOpen() {
      connection.send(JSON.stringify(config));
      const bytes = (FIRST_SILENCE_MS * input.sample_rate * bytesPerSample(input)) / 1000;
      connection.sendAudio(new Uint8Array(bytes).fill(silenceByte(input.encoding)));
      ready.start();
    },
    onMessage(message) {
      const { error_code, error_type, tokens } = message;
      if (error_code !== undefined) {
        const code = typeof error_code === 'number' ? error_code : 0;
        const name = typeof error_type === 'string' ? ` ${error_type.slice(0, 80)}` : '';
        connection.fail(sonioxFailure(code), `the transcriber reported error ${code}${name}`);
        return;
      }
      if (!Array.isArray(tokens)) return;
      ready.stop();
      connection.completeHandshake();
      onTokens(tokens);
    },
    finalize() {
      request();
      finals.requested();
    },
    keepAlive: () => connection.send('{"type":"keepalive"}'),
    stop() {
      finals.stop();
      ready.stop();
    },
  };
}

/** What an error's code, an HTTP status, means. 503 asks for a new session: a lost connection like any other. */
function sonioxFailure(code: number): ProviderFailure {
  if (code === 401 || code === 402 || code === 403) return 'auth';
  if (code === 408) return 'timeout';
  if (code === 429) return 'capacity';
  return code >= 400 && code < 500 ? 'bad_request' : 'unavailable';
}
