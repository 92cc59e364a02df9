import type { HistoryLine } from '../llm/prompt.ts';
import { conversationText, type SideCompletionOptions, sideCompletion } from './side-completion.ts';

const DEADLINE_MS = 5_000;
const MAX_TOKENS = 16;

export interface HangUpCheckOptions extends Pick<SideCompletionOptions, 'model' | 'usage' | 'clock'> {
  /** The agent's question, to be answered with Yes or No. */
  prompt: string;
}

/**
 * Asks the model whether the conversation is over. Anything but a yes in time means no, so that a call is not ended by mistake.
 * One check at a time: the next one cancels it.
 */
export interface HangUpCheck {
  /** Calls `onOver` when the model says yes, unless the check was cancelled before. */
  ask(history: readonly HistoryLine[], onOver: () => void): void;
  cancel(): void;
}

export function createHangUpCheck({ prompt, ...options }: HangUpCheckOptions): HangUpCheck {
  let current: AbortController | null = null;

  function cancel(): void {
    current?.abort();
    current = null;
  }

  return {
    cancel,
    ask(history, onOver) {
      cancel();
      const check = new AbortController();
      current = check;
      void isOver({ ...options, prompt }, history, check.signal).then((over) => {
        if (current !== check) return;
        current = null;
        if (over) onOver();
      });
    },
  };
}

/** Asks once. Never rejects. */
export async function isOver(
  { prompt, ...options }: HangUpCheckOptions,
  history: readonly HistoryLine[],
  signal: AbortSignal,
): Promise<boolean> {
  const answer = await sideCompletion({
    ...options,
    instructions: `${prompt}\n\nAnswer with Yes or No only.`,
    text: `The conversation so far:\n${conversationText(history)}`,
    maxTokens: MAX_TOKENS,
    deadlineMs: DEADLINE_MS,
    signal,
  });
  return answer !== null && isYes(answer);
}

function isYes(answer: string): boolean {
  return /^[^\p{L}]*(yes|haan|हाँ|हां)(?!\p{L})/iu.test(answer.normalize());
}
