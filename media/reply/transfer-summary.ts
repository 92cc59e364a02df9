import type { HistoryLine } from '../../shared/llm/prompt.ts';
import { conversationText, type SideCompletionOptions, sideCompletion } from '../../shared/reply/side-completion.ts';
import { MAX_TRANSFER_SUMMARY_CHARS } from '../../shared/transfer.ts';

/** The target's phone can ring meanwhile; the caller should not wait for the summary. */
const DEADLINE_MS = 4_000;
const MAX_TOKENS = 150;

export interface TransferSummaryOptions extends Pick<SideCompletionOptions, 'model' | 'usage' | 'clock' | 'signal'> {
  history: readonly HistoryLine[];
  reason: string;
  language: SummaryLanguage;
}

/** Every carrier can read these two aloud. */
export type SummaryLanguage = 'hi' | 'en';

export const summaryLanguage = (language: string): SummaryLanguage =>
  language.toLowerCase().startsWith('hi') ? 'hi' : 'en';

/**
 * Writes what the human agent hears about the caller: two sentences by the model, or one fixed sentence with the reason when the
 * model fails, is late or returns nothing. Never rejects.
 */
export async function writeTransferSummary(options: TransferSummaryOptions): Promise<string> {
  const { model, usage, clock, history, reason, language, signal } = options;
  const text = await sideCompletion({
    ...{ model, usage, clock, signal, deadlineMs: DEADLINE_MS, maxTokens: MAX_TOKENS },
    instructions: instructions(language, reason),
    text: `The call so far:\n${conversationText(history.filter((line) => line.text.trim() !== ''))}`,
  });
  const summary = (text ?? '').replace(/\s+/g, ' ').trim();
  return summary === '' ? fallbackSummary(reason, language) : truncate(summary);
}

function instructions(language: SummaryLanguage, reason: string): string {
  const name = language === 'hi' ? 'Hindi' : 'English';
  return `A caller is being handed over to a colleague who has just picked up the phone. Tell the colleague in one or two short sentences, in ${name}, who is calling and what they want, from the call below. Write only the words to be spoken.${reason === '' ? '' : `\nWhy the caller is handed over: ${reason}`}`;
}

function fallbackSummary(reason: string, language: SummaryLanguage): string {
  if (language === 'hi') return truncate(`एक कॉलर को आपसे जोड़ा जा रहा है। ${reason}`.trim());
  return truncate(`A caller is being put through to you. ${reason}`.trim());
}

/** Truncates at a word. */
function truncate(text: string): string {
  if (text.length <= MAX_TRANSFER_SUMMARY_CHARS) return text;
  const cut = text.slice(0, MAX_TRANSFER_SUMMARY_CHARS);
  return cut.slice(0, Math.max(1, cut.lastIndexOf(' ')));
}
