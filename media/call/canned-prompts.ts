import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import { repromptText } from '../../shared/reply/reprompt-text.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { ChatContext } from './chat-context.ts';
import type { Speaker } from './speaker.ts';

/** Says the agent's fixed texts, with their variables filled in, without asking the model. */
export interface CannedPrompts {
  /** Says the welcome message; without one the caller speaks first. */
  welcome(): void;
  /** Asks a silent caller whether they are still there. */
  onlineCheck(): void;
  /** Asks the caller to say again what was not understood. */
  reprompt(): void;
  /** Says the hang-up message, after which the call ends like this. Returns false where there is none. */
  goodbye(end: CallEnd): boolean;
}

export interface CannedPromptsOptions {
  agent: Pick<AgentConfig, 'welcome_message' | 'call'>;
  values: Record<string, string | number | boolean>;
  /** Language of the agent's voice. */
  language: string;
}

export function createCannedPrompts(
  { agent, values, language }: CannedPromptsOptions,
  context: Pick<ChatContext, 'report' | 'history'>,
  speaker: Pick<Speaker, 'say'>,
): CannedPrompts {
  const filled = (text: string) => fillVariables(text, values).trim();
  return {
    welcome() {
      const text = filled(agent.welcome_message);
      if (text === '') return;
      context.report('welcome', text);
      speaker.say('welcome', text);
    },
    onlineCheck() {
      const text = filled(agent.call.user_online_message);
      if (text === '') return;
      context.report('user.online_check', text);
      speaker.say('online_check', text);
    },
    reprompt() {
      const lastSaid = context.history.findLast((line) => line.role === 'agent' && line.text !== '')?.text ?? '';
      speaker.say('reprompt', repromptText(language, lastSaid));
    },
    goodbye(end) {
      const text = filled(agent.call.hangup_message);
      if (text !== '') speaker.say('goodbye', text, end);
      return text !== '';
    },
  };
}
