import type { Clock } from '../clock.ts';
import type { LanguageModel } from '../llm/language-model.ts';
import type { HistoryLine } from '../llm/prompt.ts';
import type { TranscriptRole } from '../transcript.ts';
import type { Usage } from '../usage.ts';

export interface SideCompletionOptions {
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  instructions: string;
  /** What the model is asked about. */
  text: string;
  maxTokens: number;
  deadlineMs: number;
  signal: AbortSignal;
}

/**
 * Asks the model something beside the conversation and returns its text; null when it fails, is late or is aborted. Counts its
 * usage. Never rejects.
 */
export async function sideCompletion(options: SideCompletionOptions): Promise<string | null> {
  const { model, usage, clock, instructions, text, maxTokens, deadlineMs, signal } = options;
  const late = new AbortController();
  const deadline = clock.after(deadlineMs, () => late.abort());
  const abort = AbortSignal.any([signal, late.signal]);
  const request = {
    messages: [
      { role: 'system' as const, content: instructions },
      { role: 'user' as const, content: text },
    ],
    tools: [],
    temperature: 0,
    max_tokens: maxTokens,
  };
  usage.llm_calls++;
  let completion = '';
  try {
    for await (const part of model.stream(request, abort)) {
      if (part.type === 'text') completion += part.text;
      if (part.type !== 'usage') continue;
      usage.llm_input_tokens += part.input_tokens;
      usage.llm_output_tokens += part.output_tokens;
    }
  } catch {
    return null;
  } finally {
    deadline.cancel();
  }
  return abort.aborted ? null : completion;
}

/** Returns the conversation as text, one line per turn. */
export function conversationText(history: readonly HistoryLine[]): string {
  return history.map(({ role, text }) => `${SPEAKERS[role]}: ${text}`).join('\n');
}

const SPEAKERS: Record<TranscriptRole, string> = {
  user: 'Caller',
  agent: 'Agent',
  human_agent: 'Colleague of the agent',
};
