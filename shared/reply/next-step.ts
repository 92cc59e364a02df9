import type { ChatMessage, LanguageModelFailure, ToolCall } from '../llm/language-model.ts';
import { MAX_TOOL_ROUNDS } from './tools.ts';

/** What follows a model's answer or failure within one reply, as functions of what was said and called. */

export interface ReplyState {
  /** Rounds of tools so far. */
  rounds: number;
  /** How often the model was asked this before. */
  retries: number;
}

/** A model that fails is asked again for this long, counted from the first request: as long as other providers are reconnected. */
export const ASK_AGAIN_WITHIN_MS = 10_000;
/** Waits before the first, second, … further request; the last value repeats. */
const ASK_AGAIN_AFTER_MS = [0, 250, 500, 1_000, 2_000] as const;

/** The rounds of tools are used up: the model has to answer without another. */
export const mustAnswer = ({ rounds }: Pick<ReplyState, 'rounds'>) => rounds >= MAX_TOOL_ROUNDS;

/** `unanswered`: the caller is asked to say it again rather than left in silence. `answered`: these tools run, if any. */
export type AfterAnswer = { step: 'ask again' } | { step: 'unanswered' } | { step: 'answered'; calls: ToolCall[] };

/** `isSpeakable`: the answer has words that can be spoken. */
export function afterAnswer(state: ReplyState, isSpeakable: boolean, toolCalls: ToolCall[]): AfterAnswer {
  const last = mustAnswer(state);
  const calls = last ? [] : toolCalls;
  const nothing = calls.length === 0 && !isSpeakable;
  // Models sometimes return nothing, or only code and symbols; a second request usually helps.
  if (nothing && state.retries === 0) return { step: 'ask again' };
  // Words beside a call that is not made announce an answer that never comes.
  if (nothing || (last && toolCalls.length > 0)) return { step: 'unanswered' };
  return { step: 'answered', calls };
}

export interface WordsBeforeFailure {
  /** Of the whole reply. */
  inReply: boolean;
  /** Of this answer, spoken or not. */
  inAnswer: boolean;
  /** Of this answer, and they can be spoken. */
  isSpeakable: boolean;
}

/** `fatal`: nothing of the reply is said, and the model is not asked again. */
export type AfterFailure =
  | { step: 'ask again'; afterMs: number; fatal: false }
  | { step: 'unanswered' | 'answered'; fatal: boolean };

/** `askedMs`: since the model was first asked this. */
export function afterFailure(
  { rounds, retries }: ReplyState,
  askedMs: number,
  words: WordsBeforeFailure,
  kind: LanguageModelFailure,
): AfterFailure {
  const permanent = kind === 'auth' || kind === 'bad_request';
  // Only an answer without a word can be retried: nothing may be said twice.
  if (!permanent && !words.inAnswer && askedMs < ASK_AGAIN_WITHIN_MS) {
    const afterMs = ASK_AGAIN_AFTER_MS[Math.min(retries, ASK_AGAIN_AFTER_MS.length - 1)]!;
    return { step: 'ask again', afterMs, fatal: false };
  }
  // Some providers refuse an answer in which the model called a tool that it was not to call.
  const fatal = !mustAnswer({ rounds }) && !words.inReply;
  return { step: words.isSpeakable ? 'answered' : 'unanswered', fatal };
}

const UNSPEAKABLE_REPLY_PROMPT =
  'The caller heard nothing of that: on a telephone code and symbols cannot be read out. Say it in plain words.';

/** The messages of the second request; `written` is what the model wrote and nobody could hear. */
export function askForWords(messages: ChatMessage[], written: string): ChatMessage[] {
  if (written.trim() === '') return messages;
  return [...messages, { role: 'assistant', content: written }, { role: 'system', content: UNSPEAKABLE_REPLY_PROMPT }];
}
