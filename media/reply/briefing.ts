import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import { TRANSFER_SUMMARY_LIMIT } from '../../shared/transfer.ts';
import type { Usage } from '../../shared/usage.ts';

/** What a person hears about the caller before the caller comes. */

/** The person's phone can ring meanwhile; the caller should not wait for the words. */
const DEADLINE_MS = 4_000;
const MAX_TOKENS = 150;

export interface BriefingOptions {
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  history: readonly HistoryLine[];
  reason: string;
  language: BriefingLanguage;
  signal: AbortSignal;
}

/** Carriers read aloud in these two everywhere. */
export type BriefingLanguage = 'hi' | 'en';

export const briefingLanguage = (language: string): BriefingLanguage =>
  language.toLowerCase().startsWith('hi') ? 'hi' : 'en';

/**
 * Two sentences at most, written by the model; a plain sentence with the reason when the model fails, is late or says
 * nothing. Never rejects.
 */
export async function writeBriefing(options: BriefingOptions): Promise<string> {
  const { model, usage, clock, history, reason, language, signal } = options;
  const talk = history
    .filter((line) => line.text.trim() !== '')
    .map((line) => `${line.role === 'agent' ? 'Agent' : 'Caller'}: ${line.text}`)
    .join('\n');
  const abort = new AbortController();
  const callOff = () => abort.abort();
  signal.addEventListener('abort', callOff);
  const deadline = clock.after(DEADLINE_MS, callOff);
  usage.llm_calls++;
  let text = '';
  try {
    const request = {
      messages: [{ role: 'system' as const, content: instructions(language, reason) }].concat({
        role: 'user' as never,
        content: `The call so far:\n${talk}`,
      }),
      tools: [],
      temperature: 0,
      max_tokens: MAX_TOKENS,
    };
    for await (const part of model.stream(request, abort.signal)) {
      if (part.type === 'text') text += part.text;
      if (part.type !== 'usage') continue;
      usage.llm_input_tokens += part.input_tokens;
      usage.llm_output_tokens += part.output_tokens;
    }
  } catch {
    text = '';
  } finally {
    deadline.cancel();
    signal.removeEventListener('abort', callOff);
  }
  const words = abort.signal.aborted ? '' : text.replace(/\s+/g, ' ').trim();
  return words === '' ? plainBriefing(reason, language) : shortened(words);
}

function instructions(language: BriefingLanguage, reason: string): string {
  const name = language === 'hi' ? 'Hindi' : 'English';
  return `A caller is being handed over to a colleague who has just picked up the phone. Tell the colleague in one or two short sentences, in ${name}, who is calling and what they want, from the call below. Write only the words to be spoken.${reason === '' ? '' : `\nWhy the caller is handed over: ${reason}`}`;
}

function plainBriefing(reason: string, language: BriefingLanguage): string {
  if (language === 'hi') return shortened(`एक कॉलर को आपसे जोड़ा जा रहा है। ${reason}`.trim());
  return shortened(`A caller is being put through to you. ${reason}`.trim());
}

/** Not longer than a person listens; cut at a word. */
function shortened(text: string): string {
  if (text.length <= TRANSFER_SUMMARY_LIMIT) return text;
  const cut = text.slice(0, TRANSFER_SUMMARY_LIMIT);
  return cut.slice(0, Math.max(1, cut.lastIndexOf(' ')));
}
