import type { Clock, Timer } from '../clock.ts';
import {
  type ChatMessage,
  type LanguageModel,
  LanguageModelError,
  type ToolCall,
  type ToolDefinition,
} from '../llm/language-model.ts';

export interface CompletionOptions {
  model: LanguageModel;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** False: the tools are named to the model, but it has to answer without them. */
  mayCallTools?: boolean;
  temperature: number;
  maxTokens: number;
  clock: Clock;
  /** Called at the first text or tool call. */
  onFirstToken?(): void;
  /** `voiced`: the model says it itself. */
  onText(text: string, voiced: boolean): void;
  /** Of the call; left out where the answer is not said. */
  replyId?: string;
}

export interface Completed {
  toolCalls: ToolCall[];
  input_tokens: number;
  output_tokens: number;
}

export interface Completion {
  /** Rejects with LanguageModelError; resolves with null when cancelled. */
  readonly done: Promise<Completed | null>;
  cancel(): void;
}

/** A model that is silent for longer has failed. */
export const FIRST_TOKEN_DEADLINE_MS = 6_000;
export const NEXT_TOKEN_DEADLINE_MS = 5_000;
/** Tools run concurrently against foreign servers; further calls are ignored. */
export const MAX_TOOL_CALLS = 16;

/** Streams one completion of the language model under the deadlines of a conversation. Does not retry. */
export function complete(options: CompletionOptions): Completion {
  const abort = new AbortController();
  let cancelled = false;
  const done = run(options, abort, () => cancelled);
  return {
    done,
    cancel() {
      cancelled = true;
      abort.abort();
    },
  };
}

async function run(
  options: CompletionOptions,
  abort: AbortController,
  cancelled: () => boolean,
): Promise<Completed | null> {
  const { model, messages, tools, mayCallTools = true, temperature, maxTokens, clock, onFirstToken, onText } = options;
  const request = {
    ...{ messages, tools, temperature },
    ...(!mayCallTools && { tool_choice: 'none' as const }),
    ...(options.replyId !== undefined && { reply_id: options.replyId }),
  };
  const result: Completed = { toolCalls: [], input_tokens: 0, output_tokens: 0 };
  let begun = false;
  let timer: Timer | null = null;
  const { promise: overdue, reject: rejectOverdue } = Promise.withResolvers<never>();
  overdue.catch(() => {});

  function setDeadline(withinMs: number, what: string): void {
    timer?.cancel();
    timer = clock.after(withinMs, () => {
      rejectOverdue(new LanguageModelError('timeout', `no ${what} within ${withinMs} ms`));
      abort.abort();
    });
  }

  const parts = model.stream({ ...request, max_tokens: maxTokens }, abort.signal)[Symbol.asyncIterator]();
  setDeadline(FIRST_TOKEN_DEADLINE_MS, 'first token');
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), overdue]);
      if (cancelled()) return null;
      if (next.done) return result;
      const part = next.value;
      if (part.type === 'usage') {
        result.input_tokens += part.input_tokens;
        result.output_tokens += part.output_tokens;
        continue;
      }
      if (part.type === 'finish') continue;
      if (!begun) {
        begun = true;
        onFirstToken?.();
      }
      setDeadline(NEXT_TOKEN_DEADLINE_MS, 'next token');
      if (part.type === 'text') onText(part.text, part.voiced ?? false);
      else if (result.toolCalls.length < MAX_TOOL_CALLS) result.toolCalls.push(part.call);
      if (cancelled()) return null;
    }
  } catch (error) {
    if (cancelled()) return null;
    if (error instanceof LanguageModelError) throw error;
    throw new LanguageModelError('unavailable', error instanceof Error ? error.message : String(error));
  } finally {
    (timer as Timer | null)?.cancel();
    abort.abort();
  }
}
