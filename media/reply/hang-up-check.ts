import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import type { Usage } from '../../shared/usage.ts';

/** A check that takes longer than this has no say. */
const DEADLINE_MS = 5_000;
const MAX_TOKENS = 16;

interface HangUpCheckOptions {
  model: LanguageModel;
  /** The agent's question; it must be answerable with Yes or No. */
  prompt: string;
  history: readonly HistoryLine[];
  usage: Usage;
  clock: Clock;
  signal: AbortSignal;
}

/** One question at a time; a new one, or anything the caller does, calls the last one off. */
export interface HangUpCheck {
  /** Calls `onOver` when the model says yes, and was not called off before. */
  ask(history: readonly HistoryLine[], onOver: () => void): void;
  cancel(): void;
}

export function createHangUpCheck(options: Omit<HangUpCheckOptions, 'history' | 'signal'>): HangUpCheck {
  let asking: AbortController | null = null;

  function callOff(): void {
    asking?.abort();
    asking = null;
  }

  return {
    cancel: callOff,
    ask(history, onOver) {
      callOff();
      const check = new AbortController();
      asking = check;
      void conversationIsOver({ ...options, history, signal: check.signal }).then((over) => {
        if (asking !== check) return;
        asking = null;
        if (over) onOver();
      });
    },
  };
}

/**
 * Asks the model, beside the conversation, whether it is over. False when it says anything but yes, fails, is too slow or
 * is called off: a call is never ended by mistake. Never rejects.
 */
async function conversationIsOver(options: HangUpCheckOptions): Promise<boolean> {
  const { model, prompt, history, usage, clock, signal } = options;
  const talk = history.map((line) => `${line.role === 'agent' ? 'Agent' : 'Caller'}: ${line.text}`).join('\n');
  const abort = new AbortController();
  const callOff = () => abort.abort();
  signal.addEventListener('abort', callOff);
  const deadline = clock.after(DEADLINE_MS, callOff);
  usage.llm_calls++;
  let answer = '';
  try {
    const request = {
      messages: [
        { role: 'system' as const, content: `${prompt}\n\nAnswer with Yes or No only.` },
        { role: 'user' as const, content: `The conversation so far:\n${talk}` },
      ],
      tools: [],
      temperature: 0,
      max_tokens: MAX_TOKENS,
    };
    for await (const part of model.stream(request, abort.signal)) {
      if (part.type === 'text') answer += part.text;
      if (part.type !== 'usage') continue;
      usage.llm_input_tokens += part.input_tokens;
      usage.llm_output_tokens += part.output_tokens;
    }
  } catch {
    return false;
  } finally {
    deadline.cancel();
    signal.removeEventListener('abort', callOff);
  }
  return !abort.signal.aborted && /^[^\p{L}]*(yes|haan|हाँ|हां)(?!\p{L})/iu.test(answer.normalize());
}
