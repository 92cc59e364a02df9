import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import { languageOf } from '../../shared/languages/registry.ts';
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
  /** The agent that speaks now. */
  readonly agent: Pick<AgentConfig, 'welcome_message' | 'call'>;
  values: Record<string, string | number | boolean>;
  /** The language that the agent speaks now. */
  readonly language: string;
  /** Not empty where the caller has changed to it: the agent's own texts are in another language then. */
  readonly answerIn?: string;
}

export function createCannedPrompts(
  options: CannedPromptsOptions,
  context: Pick<ChatContext, 'report' | 'history'>,
  speaker: Pick<Speaker, 'say'>,
): CannedPrompts {
  const { values } = options;
  const filled = (text: string) => fillVariables(text, values).trim();
  /** The agent's text; in a language that the caller has changed to, that language's own, where the agent says one at all. */
  function inLanguage(text: string, name: 'online_check' | 'goodbye'): string {
    const own = filled(text);
    if (own === '' || (options.answerIn ?? '') === '') return own;
    return languageOf(options.language)?.texts[name] ?? own;
  }

  return {
    welcome() {
      const text = filled(options.agent.welcome_message);
      if (text === '') return;
      context.report('welcome', text);
      speaker.say('welcome', text);
    },
    onlineCheck() {
      const text = inLanguage(options.agent.call.user_online_message, 'online_check');
      if (text === '') return;
      context.report('user.online_check', text);
      speaker.say('online_check', text);
    },
    reprompt() {
      const lastSaid = context.history.findLast((line) => line.role === 'agent' && line.text !== '')?.text ?? '';
      speaker.say('reprompt', repromptText(options.language, lastSaid));
    },
    goodbye(end) {
      const text = inLanguage(options.agent.call.hangup_message, 'goodbye');
      if (text !== '') speaker.say('goodbye', text, end);
      return text !== '';
    },
  };
}
