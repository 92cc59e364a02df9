import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { Speaker } from './speaker.ts';
import type { TalkRecord } from './talk-record.ts';

/** What the agent says without asking its model: the agent's own texts, with their variables filled in. */
export interface SetPhrases {
  /** Nothing where there is no welcome message: the caller speaks first. */
  welcome(): void;
  /** Once to a caller who has been quiet for long. */
  askWhetherThere(): void;
  /** The hang-up message; the call ends so when it was heard. False where there is none. */
  goodbye(end: CallEnd): boolean;
}

export interface SetPhrasesParts {
  agent: Pick<AgentConfig, 'welcome_message' | 'call'>;
  values: Record<string, string | number | boolean>;
}

export function createSetPhrases(
  { agent, values }: SetPhrasesParts,
  record: Pick<TalkRecord, 'tell'>,
  speaker: Pick<Speaker, 'say'>,
): SetPhrases {
  const filled = (text: string) => fillVariables(text, values).trim();
  return {
    welcome() {
      const text = filled(agent.welcome_message);
      if (text === '') return;
      record.tell('welcome', text);
      speaker.say('welcome', text);
    },
    askWhetherThere() {
      const text = filled(agent.call.user_online_message);
      if (text === '') return;
      record.tell('user.online_check', text);
      speaker.say('online_check', text);
    },
    goodbye(end) {
      const text = filled(agent.call.hangup_message);
      if (text !== '') speaker.say('goodbye', text, end);
      return text !== '';
    },
  };
}
