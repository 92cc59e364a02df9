import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { ChatContext } from './chat-context.ts';
import type { Speaker } from './speaker.ts';

/** What the agent says without asking its model: the agent's own texts, with their variables filled in. */
export interface CannedPrompts {
  /** Nothing where there is no welcome message: the caller speaks first. */
  welcome(): void;
  /** Once to a caller who has been quiet for long. */
  onlineCheck(): void;
  /** The hang-up message; the call ends so when it was heard. False where there is none. */
  goodbye(end: CallEnd): boolean;
}

export interface CannedPromptsOptions {
  agent: Pick<AgentConfig, 'welcome_message' | 'call'>;
  values: Record<string, string | number | boolean>;
}

export function createCannedPrompts(
  { agent, values }: CannedPromptsOptions,
  record: Pick<ChatContext, 'report'>,
  speaker: Pick<Speaker, 'say'>,
): CannedPrompts {
  const filled = (text: string) => fillVariables(text, values).trim();
  return {
    welcome() {
      const text = filled(agent.welcome_message);
      if (text === '') return;
      record.report('welcome', text);
      speaker.say('welcome', text);
    },
    onlineCheck() {
      const text = filled(agent.call.user_online_message);
      if (text === '') return;
      record.report('user.online_check', text);
      speaker.say('online_check', text);
    },
    goodbye(end) {
      const text = filled(agent.call.hangup_message);
      if (text !== '') speaker.say('goodbye', text, end);
      return text !== '';
    },
  };
}
