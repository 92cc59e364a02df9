import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import type { Logger } from '../../shared/log.ts';
import { isOver } from '../../shared/reply/hang-up-check.ts';
import type { Knowledge } from '../../shared/reply/knowledge.ts';
import { createScriptedTools } from '../../shared/reply/scripted-tools.ts';
import type { TransferRequest } from '../../shared/reply/transfer-tool.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { fillVariables } from '../../shared/variables.ts';
import { answerCallback } from '../calls/queue/callback-time.ts';
import type { ScenarioInput } from './scenario-record.ts';
import { createSimulatedCaller } from './simulated-caller.ts';
import type { Ending, TestItem } from './test-transcript.ts';
import { createTextAgent } from './text-agent.ts';

export interface ConversationOptions {
  agent: AgentConfig;
  scenario: ScenarioInput;
  knowledge: Knowledge;
  /** The agent's. */
  model: LanguageModel;
  callerModel: LanguageModel;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  /** Told of every line as it is said. */
  onItem(item: TestItem): void;
}

/** Plays a conversation between the simulated caller and the agent, as text. @throws LanguageModelError */
export async function converse(options: ConversationOptions): Promise<Ending> {
  const { agent, scenario, knowledge, model, callerModel, clock, log, signal, onItem } = options;
  const { persona, first_message, max_turns } = scenario;
  // Tools add to them.
  const values = { ...scenario.user_data };
  const history: HistoryLine[] = [];
  const filled = (text: string) => fillVariables(text, values).trim();

  const onSaid = (role: 'agent' | 'user', text: string) =>
    onItem({ role, text, at_ms: clock.wall(), interrupted: false });
  const agentSays = (text: string) => {
    if (text === '') return;
    onSaid('agent', text);
    history.push({ role: 'agent', text, interrupted: false });
  };

  const tools = createScriptedTools({
    ...{ agent, values, results: scenario.tool_results, clock, log },
    bookCallback: agent.call.auto_reschedule
      ? async (request) => answerCallback(agent.call, request, clock.wall())
      : undefined,
  });
  const textAgent = createTextAgent(
    { agent, values, model, knowledge, tools, clock, signal },
    {
      onSaid: (text) => onSaid('agent', text),
      onTool: (name, args, result) => onItem({ role: 'tool', name, args, result, at_ms: clock.wall() }),
    },
  );
  const language = scenario.language || agent.voice.language;
  const caller = createSimulatedCaller({ model: callerModel, persona, language, clock, signal });
  const hangUpCheck = { model, usage: emptyUsage(), clock, prompt: agent.call.hangup_prompt };

  /** The agent's turn; null when the conversation goes on. */
  async function agentTurn(): Promise<Ending | null> {
    for (;;) {
      const { ends, transfer, isEmpty } = await textAgent.reply(history);
      if (transfer && !callerReturns(transfer)) return 'transferred';
      if (transfer) continue;
      if (ends) {
        if (isEmpty) agentSays(filled(agent.call.hangup_message));
        return 'agent ended the call';
      }
      break;
    }
    if (!agent.call.hangup_on_prompt || !(await isOver(hangUpCheck, history, signal))) return null;
    agentSays(filled(agent.call.hangup_message));
    return 'hang-up prompt';
  }

  /** A transfer whose result is scripted fails with it, and the caller is with the agent again. */
  function callerReturns({ call, name, reason }: TransferRequest): boolean {
    const scripted = Object.hasOwn(scenario.tool_results, TRANSFER_TOOL);
    const result = scripted ? scenario.tool_results[TRANSFER_TOOL]! : '';
    const at_ms = clock.wall();
    onItem({ role: 'tool', name: TRANSFER_TOOL, args: { target: name, reason }, result: result || 'ok', at_ms });
    if (!scripted) return false;
    history.push({ role: 'agent', text: '', interrupted: false, tool_runs: [{ call, result }] });
    return true;
  }

  agentSays(filled(agent.welcome_message));
  for (let turn = 1; turn <= max_turns; turn++) {
    const given = turn === 1 ? filled(first_message) : '';
    const { text, hangsUp } = given === '' ? await caller.next(history) : { text: given, hangsUp: false };
    signal.throwIfAborted();
    if (text !== '') {
      onSaid('user', text);
      history.push({ role: 'user', text, interrupted: false });
    }
    if (hangsUp) return 'caller hung up';
    const ending = await agentTurn();
    signal.throwIfAborted();
    if (ending) return ending;
  }
  return 'too many turns';
}
