import type { Clock, Timer } from '../../shared/clock.ts';
import {
  type ChatMessage,
  type LanguageModel,
  LanguageModelError,
  type ToolCall,
  type ToolDefinition,
} from '../../shared/llm/language-model.ts';
import type { TextSegment } from '../playout/spoken-text.ts';
import { createSpeechSegmenter } from './speech-segmenter.ts';

/**
 * One completion of the language model, from its first token to its last, as speakable pieces: the first goes out
 * before the model has finished its sentence. Tries once; who called decides what a failure means.
 */

export interface GenerateOptions {
  model: LanguageModel;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  temperature: number;
  maxTokens: number;
  /** What the voice speaks, like "en" or "hi-IN": how numbers and the like are written for it. */
  language?: string;
  clock: Clock;
  /** First text or tool call. */
  onFirstToken(): void;
  /** The next stretch to speak. */
  onSegment(piece: TextSegment): void;
}

export interface Generated {
  toolCalls: ToolCall[];
  input_tokens: number;
  output_tokens: number;
}

export interface Generation {
  /** Rejects with LanguageModelError; resolves with null when cancelled. */
  readonly done: Promise<Generated | null>;
  cancel(): void;
}

/** A model that has not begun, or has paused, for so long has failed. */
export const FIRST_TOKEN_DEADLINE_MS = 6_000;
export const NEXT_TOKEN_DEADLINE_MS = 5_000;
/** They run at once, each against somebody's server: more than these are not taken. */
export const MAX_TOOL_CALLS = 16;

export function generate(options: GenerateOptions): Generation {
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
  {
    model,
    messages,
    tools,
    temperature,
    maxTokens,
    language,
    clock,
    onFirstToken,
    onSegment: onPiece,
  }: GenerateOptions,
  abort: AbortController,
  cancelled: () => boolean,
): Promise<Generated | null> {
  const result: Generated = { toolCalls: [], input_tokens: 0, output_tokens: 0 };
  const speakable = createSpeechSegmenter({ language });
  let begun = false;
  let timer: Timer | null = null;
  let late: (error: LanguageModelError) => void = () => {};
  const overdue = new Promise<never>((_, reject) => {
    late = reject;
  });
  overdue.catch(() => {});

  function expect(withinMs: number, what: string): void {
    timer?.cancel();
    timer = clock.after(withinMs, () => {
      late(new LanguageModelError('timeout', `no ${what} within ${withinMs} ms`));
      abort.abort();
    });
  }

  const parts = model
    .stream({ messages, tools, temperature, max_tokens: maxTokens }, abort.signal)
    [Symbol.asyncIterator]();
  expect(FIRST_TOKEN_DEADLINE_MS, 'first token');
  try {
    for (;;) {
      const next = await Promise.race([parts.next(), overdue]);
      if (cancelled()) return null;
      if (next.done) break;
      const part = next.value;
      if (part.type === 'usage') {
        result.input_tokens += part.input_tokens;
        result.output_tokens += part.output_tokens;
        continue;
      }
      if (part.type === 'finish') continue;
      if (!begun) {
        begun = true;
        onFirstToken();
      }
      expect(NEXT_TOKEN_DEADLINE_MS, 'next token');
      if (part.type === 'text') for (const piece of speakable.push(part.text)) onPiece(piece);
      else if (result.toolCalls.length < MAX_TOOL_CALLS) result.toolCalls.push(part.call);
      if (cancelled()) return null;
    }
    for (const piece of speakable.flush()) onPiece(piece);
    return cancelled() ? null : result;
  } catch (error) {
    if (cancelled()) return null;
    // A sentence that was whole is spoken; half a one is not.
    const rest = speakable.flush();
    if (/[.!?।]\s*$/.test(rest.at(-1)?.original ?? '')) for (const piece of rest) onPiece(piece);
    if (error instanceof LanguageModelError) throw error;
    throw new LanguageModelError('unavailable', error instanceof Error ? error.message : String(error));
  } finally {
    (timer as Timer | null)?.cancel();
    abort.abort();
  }
}
