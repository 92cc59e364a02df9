import type { ChatMessage } from './language-model.ts';

/** What protocols with stricter turns than ours need of a conversation. */

/** Stand where a protocol wants a caller's turn and there was none: the agent spoke first, or speaks twice. */
export const CALL_BEGINS = '(The call begins.)';
export const CALLER_SILENT = '(The caller says nothing.)';
/** Stands where a protocol wants the agent's words and none of them were heard; the prompt says what a dash means. */
export const NOTHING_HEARD = '—';

export interface SplitConversation {
  /** What the system says before anybody else, the same in every turn. */
  preamble: string;
  /** What it says later, of the turn at hand. Never put it in the caller's mouth: the caller could have said it. */
  turnContext: string;
  turns: Exclude<ChatMessage, { role: 'system' }>[];
}

export function splitConversation(messages: readonly ChatMessage[]): SplitConversation {
  const lead: string[] = [];
  const late: string[] = [];
  const turns: SplitConversation['turns'] = [];
  for (const message of messages) {
    if (message.role !== 'system') turns.push(message);
    else if (message.content.trim() !== '') (turns.length === 0 ? lead : late).push(message.content);
  }
  return { preamble: lead.join('\n\n'), turnContext: late.join('\n\n'), turns };
}
