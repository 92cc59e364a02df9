import type { Clock } from '../../shared/clock.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { closeFailure } from '../provider/socket.ts';
import { createRequestedFinals } from './requested-finals.ts';
import type { TranscriberConnection, TranscriberProtocol } from './streaming-transcriber.ts';

/** The provider's 99th percentile is less than half a second. */
const FINAL_WITHIN_MS = 1_500;
const MAX_WORDS = 2_000;

/**
 * The messages of AssemblyAI's transcriber: turns with all their words so far, and their end, which `ForceEndpoint` requests. The
 * end of a turn may come twice, plain and formatted; the first one counts. Where no turn is open the request has no answer.
 */
export function createAssemblyAiProtocol(connection: TranscriberConnection, clock: Clock): TranscriberProtocol {
  let lastEnded = -1;
  const request = () => connection.send('{"type":"ForceEndpoint"}');
  const finals = createRequestedFinals({
    ...{ connection, clock, finalWithinMs: FINAL_WITHIN_MS, request, mayStaySilent: true },
  });

  function onTurn({ turn_order, end_of_turn, transcript, words, language_code }: Record<string, unknown>): void {
    if (typeof turn_order !== 'number' || !Number.isSafeInteger(turn_order) || typeof transcript !== 'string') {
      connection.ignore('turn without its number or transcript');
      return;
    }
    if (turn_order <= lastEnded) return;
    if (end_of_turn === true) {
      lastEnded = turn_order;
      finals.final(transcript, language_code);
      return;
    }
    // The transcript of some models leaves out words that may still change.
    const known = Array.isArray(words) ? words.slice(0, MAX_WORDS).flatMap(wordText).join(' ') : '';
    finals.partial(known.length > transcript.length ? known : transcript);
  }

  return {
    inSpeech: () => finals.inSpeech,
    onMessage(message) {
      switch (message.type) {
        case 'Begin':
          connection.completeHandshake();
          return;
        case 'Turn':
          onTurn(message);
          return;
        case 'Error': {
          const code = typeof message.error_code === 'number' ? message.error_code : 0;
          const text = typeof message.error === 'string' ? message.error : '';
          connection.fail(assemblyAiFailure(code, text), `the transcriber reported error ${code}`);
          return;
        }
        case 'Warning':
          connection.ignore('warning');
          return;
      }
    },
    finalize() {
      request();
      finals.requested();
    },
    stop: finals.stop,
  };
}

function wordText(word: unknown): string[] {
  const { text } = (word ?? {}) as { text?: unknown };
  return typeof text === 'string' ? [text] : [];
}

/** What a close code, or the same code of an error, means. 1008 was of limits, too, before 3009. */
export function assemblyAiFailure(code: number, reason: string): ProviderFailure {
  if (code === 1008) return /concurren|too many|limit/i.test(reason) ? 'capacity' : 'auth';
  if (code === 3006) return 'bad_request';
  if (code === 3009) return 'capacity';
  // 3007: audio came too fast, as when a call catches up; 3008: the session was old. A new one goes on.
  if (code >= 3005 && code <= 3008) return 'unavailable';
  return closeFailure(code);
}
