import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import { MAX_TRANSFER_SUMMARY_CHARS } from '../../shared/transfer.ts';
import type { Usage } from '../../shared/usage.ts';

/** What a person hears about the caller before the caller comes. */

/** The person's phone can ring meanwhile; the caller should not wait for the words. */
const DEADLINE_MS = 4_000;
const MAX_TOKENS = 150;

export interface TransferSummaryOptions {
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  history: readonly HistoryLine[];
  reason: string;
  language: SummaryLanguage;
  signal: AbortSignal;
}

/** Carriers read aloud in these two everywhere. */
export type SummaryLanguage = 'hi' | 'en';

export const summaryLanguage = (language: string): SummaryLanguage =>
  language.toLowerCase().startsWith('hi') ? 'hi' : 'en';

/**
 * Two sentences at most, written by the model; a plain sentence with the reason when the model fails, is late or says
 * nothing. Never rejects.
 */
export async function writeTransferSummary(options: TransferSummaryOptions): Promise<string> {
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
  return words === '' ? fallbackSummary(reason, language) : truncate(words);
}

function instructions(language: SummaryLanguage, reason: string): string {
  const name = language === 'hi' ? 'Hindi' : 'English';
  return `A caller is being handed over to a colleague who has just picked up the phone. Tell the colleague in one or two short sentences, in ${name}, who is calling and what they want, from the call below. Write only the words to be spoken.${reason === '' ? '' : `\nWhy the caller is handed over: ${reason}`}`;
}

function fallbackSummary(reason: string, language: SummaryLanguage): string {
  if (language === 'hi') return truncate(`एक कॉलर को आपसे जोड़ा जा रहा है। ${reason}`.trim());
  return truncate(`A caller is being put through to you. ${reason}`.trim());
}

/** Not longer than a person listens; cut at a word. */
function truncate(text: string): string {
  if (text.length <= MAX_TRANSFER_SUMMARY_CHARS) return text;
  const cut = text.slice(0, MAX_TRANSFER_SUMMARY_CHARS);
  return cut.slice(0, Math.max(1, cut.lastIndexOf(' ')));
}
