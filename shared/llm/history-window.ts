import type { ToolDefinition } from './language-model.ts';
import type { HistoryLine } from './prompt.ts';
import { estimateTextTokens } from './token-estimate.ts';

/**
 * Which part of a long conversation the model gets. When what a request needs comes near to the model's context, the oldest turns
 * are left out, down to half of it: rarely and many at once, because a provider's cache ends at the first difference. A tool call and its
 * results are one line, so they stay or go together; the system prompt is none and always stays.
 */

/** Left of the context for passages and tool results of the turn, and for what the estimate does not know. */
const FULL_SHARE = 0.8;
const CUT_TO_SHARE = 0.5;
/** The last lines are kept, as far as they fit. */
const KEPT_LINES = 12;
/** What a provider adds to a message. */
const TOKENS_PER_MESSAGE = 8;

export interface HistoryBudget {
  /** Of the model: everything in a request and its answer. */
  contextTokens: number;
  /** Of the system prompt, the tools and the answer. */
  otherTokens: number;
}

/** An estimate of a line's tokens, with its tool calls and their results. */
export function lineTokens({ text, tool_runs = [] }: HistoryLine): number {
  let tokens = TOKENS_PER_MESSAGE + estimateTextTokens(text);
  for (const { call, result } of tool_runs) {
    tokens += 2 * TOKENS_PER_MESSAGE + estimateTextTokens(`${call.name}${call.arguments}${result}`);
  }
  return tokens;
}

/** An estimate of the tokens of what is the same in all requests of a turn. */
export function otherTokens(systemPrompt: string, tools: readonly ToolDefinition[], maxTokens: number): number {
  return maxTokens + estimateTextTokens(systemPrompt) + estimateTextTokens(JSON.stringify(tools));
}

/**
 * Returns the first line that the model gets, `from` or a later line of the caller's. The last line of the caller's and what follows
 * it are always kept, even where they do not fit.
 */
export function historyStart(history: readonly HistoryLine[], from: number, budget: HistoryBudget): number {
  const { contextTokens, otherTokens: other } = budget;
  const full = contextTokens * FULL_SHARE - other;
  const target = contextTokens * CUT_TO_SHARE - other;
  let start: number | null = null;
  let tokens = 0;
  for (let index = history.length - 1; index >= from; index--) {
    tokens += lineTokens(history[index]!);
    const isKept = history.length - index <= KEPT_LINES;
    const fits = tokens <= (isKept ? full : target);
    if (history[index]!.role === 'user' && (start === null || fits)) start = index;
  }
  return tokens <= full || start === null ? from : start;
}
