import {
  type ChatPart,
  type ChatRequest,
  type LanguageModel,
  LanguageModelError,
  type LanguageModelFailure,
} from '../../shared/llm/language-model.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** A scripted reply of the fake language model; its tokens are words. */

export interface ModelAnswer {
  text?: string;
  /** Tool call after the text. */
  tool?: string;
  toolArguments?: string;
  /** Error after the text, or instead of it. */
  fail?: string;
  failKind?: LanguageModelFailure;
  firstTokenMs?: number;
  /** Interval between words. */
  everyMs?: number;
  /** The stream never ends after the text. */
  hangs?: boolean;
}

export function createFakeModel(
  clock: VirtualClock,
  usualFirstTokenMs: number,
  answerTo: (request: ChatRequest) => ModelAnswer,
  onRequest: () => void,
) {
  const requests: ChatRequest[] = [];
  /** The text generated for each request. */
  const generated: string[] = [];
  const running = { count: 0 };

  function wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(ms) ? clock.after(ms, resolve) : null;
      signal.addEventListener('abort', () => {
        timer?.cancel();
        resolve();
      });
    });
  }

  const model: LanguageModel = {
    provider: 'test',
    model: 'test',
    warm: async () => {},
    async *stream(request, signal): AsyncGenerator<ChatPart> {
      requests.push(structuredClone(request));
      const number = generated.push('') - 1;
      const { text = '', firstTokenMs = usualFirstTokenMs, everyMs = 0, ...answer } = answerTo(request);
      running.count++;
      try {
        onRequest();
        await wait(firstTokenMs, signal);
        let first = true;
        for (const token of text.split(/(?<= )/)) {
          if (!first && everyMs > 0) await wait(everyMs, signal);
          if (signal.aborted) return;
          first = false;
          if (token === '') continue;
          generated[number] += token;
          yield { type: 'text', text: token };
        }
        if (answer.hangs) await wait(Number.POSITIVE_INFINITY, signal);
        if (signal.aborted) return;
        if (answer.fail && answer.failKind) throw new LanguageModelError(answer.failKind, answer.fail);
        if (answer.fail) throw new Error(answer.fail);
        if (answer.tool) {
          const call = {
            id: `call_${requests.length}`,
            name: answer.tool,
            arguments: answer.toolArguments ?? '{}',
          };
          yield { type: 'tool_call', call };
        }
        yield { type: 'usage', input_tokens: 10, output_tokens: 5 };
        yield { type: 'finish', reason: answer.tool ? 'tool_calls' : 'stop' };
      } finally {
        running.count--;
      }
    },
  };

  return { model, requests, generated, running };
}
