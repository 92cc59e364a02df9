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

export interface GenerateOptions {
  model: LanguageModel;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** False: the tools are named to the model, but it has to answer without them. */
  mayCallTools?: boolean;
  temperature: number;
  maxTokens: number;
  /** Language of the voice, like "en" or "hi-IN"; decides how numbers and the like are spoken. */
  language?: string;
  clock: Clock;
  /** Called at the first text or tool call. */
  onFirstToken(): void;
  onSegment(segment: TextSegment): void;
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

/** A model that is silent for longer has failed. */
export const FIRST_TOKEN_DEADLINE_MS = 6_000;
export const NEXT_TOKEN_DEADLINE_MS = 5_000;
/** Tools run concurrently against foreign servers; further calls are ignored. */
export const MAX_TOOL_CALLS = 16;

/**
 * Runs one completion of the language model and streams it as speakable segments: the first is given out before the model has
 * finished its sentence. Does not retry.
 */
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
  options: GenerateOptions,
  abort: AbortController,
  cancelled: () => boolean,
): Promise<Generated | null> {
  const { model, messages, tools, mayCallTools = true, temperature, maxTokens, language, clock } = options;
  const { onFirstToken, onSegment } = options;
  const request = { messages, tools, ...(!mayCallTools && { tool_choice: 'none' as const }), temperature };
  const result: Generated = { toolCalls: [], input_tokens: 0, output_tokens: 0 };
  const segmenter = createSpeechSegmenter({ language });
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
      setDeadline(NEXT_TOKEN_DEADLINE_MS, 'next token');
      if (part.type === 'text') for (const segment of segmenter.push(part.text)) onSegment(segment);
      else if (result.toolCalls.length < MAX_TOOL_CALLS) result.toolCalls.push(part.call);
      if (cancelled()) return null;
    }
    for (const segment of segmenter.flush()) onSegment(segment);
    return cancelled() ? null : result;
  } catch (error) {
    if (cancelled()) return null;
    // Of the rest only complete sentences are spoken.
    const rest = segmenter.flush();
    if (/[.!?।]\s*$/.test(rest.at(-1)?.original ?? '')) for (const segment of rest) onSegment(segment);
    if (error instanceof LanguageModelError) throw error;
    throw new LanguageModelError('unavailable', error instanceof Error ? error.message : String(error));
  } finally {
    (timer as Timer | null)?.cancel();
    abort.abort();
  }
}
