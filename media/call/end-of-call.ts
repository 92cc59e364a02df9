import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { Usage } from '../../shared/usage.ts';
import { createHangUpCheck } from '../reply/hang-up-check.ts';
import type { AnsweringMachineDetector } from './answering-machine-detection.ts';
import type { CannedPrompts } from './canned-prompts.ts';
import type { ChatContext } from './chat-context.ts';

/** How a talk comes to its end by itself: the model, asked with the agent's own question, thinks that nothing is left to say. */
export interface EndOfCall {
  /** Asks, where the agent wants it: an answer was heard to its end. */
  check(): void;
  /** The talk goes on. */
  cancelCheck(): void;
  /** The hang-up message, if there is one and a person to hear it, and then the end. */
  sayGoodbye(end: CallEnd): void;
}

export interface EndOfCallOptions {
  agent: AgentConfig;
  model: LanguageModel;
  usage: Usage;
  clock: Clock;
  context: ChatContext;
  prompts: CannedPrompts;
  machineDetector: AnsweringMachineDetector | null;
  /** Somebody speaks, thinks or works. */
  busy(): boolean;
  end(end: CallEnd): void;
}

export function createEndOfCall(parts: EndOfCallOptions): EndOfCall {
  const {
    agent,
    model,
    usage,
    clock,
    context: record,
    prompts: phrases,
    machineDetector: answerer,
    busy,
    end: endCall,
  } = parts;
  const { hangup_on_prompt, hangup_prompt: prompt } = agent.call;
  const check = createHangUpCheck({ model, usage, clock, prompt });

  function say(end: CallEnd): void {
    if (answerer?.isMachine || !phrases.goodbye(end)) endCall(end);
  }

  return {
    sayGoodbye: say,
    cancelCheck: () => check.cancel(),
    check() {
      if (!hangup_on_prompt) return;
      check.ask(record.history, () => {
        if (busy()) return;
        record.report('hangup.prompt', 'the conversation is over');
        say({ hangup_by: 'agent', hangup_reason: 'hang-up prompt' });
      });
    },
  };
}
