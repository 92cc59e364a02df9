import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import { createHangUpCheck, type HangUpCheck } from '../../shared/reply/hang-up-check.ts';
import type { Usage } from '../../shared/usage.ts';
import type { AnsweringMachineDetector } from './answering-machine-handling.ts';
import type { CallScope } from './call-scope.ts';
import type { CannedPrompts } from './canned-prompts.ts';
import type { ChatContext } from './chat-context.ts';

/** Ends the call when the model, asked with the agent's own question, finds that the conversation is over. */
export interface EndOfCall {
  /** Asks the model, where the agent wants it, after a reply was played out. */
  check(): void;
  /** The conversation continues. */
  cancelCheck(): void;
  /** Says the hang-up message, if there is one and a person to hear it, and ends the call. */
  sayGoodbye(end: CallEnd): void;
}

export interface EndOfCallOptions {
  /** The agent that speaks now, and its model. */
  readonly agent: AgentConfig;
  readonly model: LanguageModel;
  usage: Usage;
  clock: Clock;
  scope: CallScope;
  context: ChatContext;
  prompts: CannedPrompts;
  machineDetector: AnsweringMachineDetector | null;
  /** Somebody speaks, or a reply or tool is under way. */
  busy(): boolean;
  end(end: CallEnd): void;
}

export function createEndOfCall(options: EndOfCallOptions): EndOfCall {
  const { usage, clock, scope, context, prompts, machineDetector, busy } = options;
  let hangUpCheck: HangUpCheck | null = null;

  function sayGoodbye(end: CallEnd): void {
    if (machineDetector?.isMachine || !prompts.goodbye(end)) options.end(end);
  }

  return {
    sayGoodbye,
    cancelCheck: () => hangUpCheck?.cancel(),
    check() {
      const { agent, model } = options;
      const { hangup_on_prompt, hangup_prompt: prompt } = agent.call;
      hangUpCheck?.cancel();
      if (!hangup_on_prompt) return;
      const onOver = scope.guard(() => {
        if (busy()) return;
        context.report('hangup.prompt', 'the conversation is over');
        sayGoodbye({ hangup_by: 'agent', hangup_reason: 'hang-up prompt' });
      });
      hangUpCheck = createHangUpCheck({ model, usage, clock, prompt });
      hangUpCheck.ask(context.history, onOver);
    },
  };
}
