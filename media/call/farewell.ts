import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { Usage } from '../../shared/usage.ts';
import { createHangUpCheck } from '../reply/hang-up-check.ts';
import type { SetPhrases } from './set-phrases.ts';
import type { TalkRecord } from './talk-record.ts';
import type { Answerer } from './voicemail.ts';

/** How a talk comes to its end by itself: the model, asked with the agent's own question, thinks that nothing is left to say. */
export interface Farewell {
  /** Asks, where the agent wants it: an answer was heard to its end. */
  consider(): void;
  /** The talk goes on. */
  callOff(): void;
  /** The hang-up message, if there is one and a person to hear it, and then the end. */
  say(end: CallEnd): void;
}

export interface FarewellParts {
  agent: AgentConfig;
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  record: TalkRecord;
  phrases: SetPhrases;
  answerer: Answerer | null;
  /** Somebody speaks, thinks or works. */
  busy(): boolean;
  end(end: CallEnd): void;
}

export function createFarewell(parts: FarewellParts): Farewell {
  const { agent, model, usage, clock, record, phrases, answerer, busy, end: endCall } = parts;
  const { hangup_on_prompt, hangup_prompt: prompt } = agent.call;
  const check = createHangUpCheck({ model, usage, clock, prompt });

  function say(end: CallEnd): void {
    if (answerer?.isMachine || !phrases.goodbye(end)) endCall(end);
  }

  return {
    say,
    callOff: () => check.callOff(),
    consider() {
      if (!hangup_on_prompt) return;
      check.ask(record.history, () => {
        if (busy()) return;
        record.tell('hangup.prompt', 'the conversation is over');
        say({ hangup_by: 'agent', hangup_reason: 'hang-up prompt' });
      });
    },
  };
}
