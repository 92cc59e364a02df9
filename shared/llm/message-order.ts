import type { ChatMessage } from './language-model.ts';

/** Adapts conversations to protocols with strict rules about turns. */

/** Inserted where a protocol requires a user turn and there was none. */
export const CALL_BEGINS = '(The call begins.)';
export const CALLER_SILENT = '(The caller says nothing.)';
/** Inserted where a protocol requires an assistant turn and nothing was played out; the prompt explains the dash. */
export const NOTHING_PLAYED = '—';

export interface SplitConversation {
  /** System messages before the first turn, the same throughout the call. */
  preamble: string;
  /** Later system messages, for the current turn. They must not become user messages, whose text the caller controls. */
  turnContext: string;
  turns: Exclude<ChatMessage, { role: 'system' }>[];
}

export function splitConversation(messages: readonly ChatMessage[]): SplitConversation {
  const preamble: string[] = [];
  const turnContext: string[] = [];
  const turns: SplitConversation['turns'] = [];
  for (const message of messages) {
    if (message.role !== 'system') turns.push(message);
    else if (message.content.trim() !== '') (turns.length === 0 ? preamble : turnContext).push(message.content);
  }
  return { preamble: preamble.join('\n\n'), turnContext: turnContext.join('\n\n'), turns };
}
