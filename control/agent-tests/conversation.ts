import type { AgentConfig } from '../../shared/agent.ts';
import type { Clock } from '../../shared/clock.ts';
import { invalidArgumentsText, readArguments } from '../../shared/http-tool.ts';
import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { HistoryLine } from '../../shared/llm/prompt.ts';
import type { Logger } from '../../shared/log.ts';
import { isOver } from '../../shared/reply/hang-up-check.ts';
import type { Knowledge } from '../../shared/reply/knowledge.ts';
import { type CallTool, createToolRunner, type ToolRunner } from '../../shared/reply/tools.ts';
import type { TransferRequest } from '../../shared/reply/transfer-tool.ts';
import { RESCHEDULE_TOOL } from '../../shared/reschedule.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { emptyUsage } from '../../shared/usage.ts';
import { fillVariables } from '../../shared/variables.ts';
import { describeCallbackTime, resolveCallbackTime } from '../calls/queue/callback-time.ts';
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
  const { agent, scenario, knowledge, model, callerModel, clock, signal, onItem } = options;
  const { persona, first_message, max_turns, user_data: values } = scenario;
  const history: HistoryLine[] = [];
  const filled = (text: string) => fillVariables(text, values).trim();

  const onSaid = (role: 'agent' | 'user', text: string) =>
    onItem({ role, text, at_ms: clock.wall(), interrupted: false });
  const agentSays = (text: string) => {
    if (text === '') return;
    onSaid('agent', text);
    history.push({ role: 'agent', text, interrupted: false });
  };

  const tools = scriptedTools(options);
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

/** The agent's tools with the scenario's results; no request is sent, and no callback is booked. */
function scriptedTools({ agent, scenario, clock, log }: ConversationOptions): ToolRunner {
  const { tool_results, user_data: values } = scenario;
  const resultOf = (name: string) => (Object.hasOwn(tool_results, name) ? tool_results[name]! || 'ok' : null);

  const callTool: CallTool = async (tool, args) => {
    const read = readArguments(tool.parameters, args);
    if ('problem' in read) {
      return { status: 0, latency_ms: 0, result: invalidArgumentsText(read.problem), error: 'invalid arguments' };
    }
    return { status: 200, latency_ms: 0, result: resultOf(tool.name) ?? 'ok', error: null };
  };

  const bookCallback = async ({ when }: { when: string }) => {
    const time = resolveCallbackTime(when, agent.call, clock.wall());
    return 'refused' in time
      ? { booked: false, message: time.refused }
      : { booked: true, message: describeCallbackTime(time.at_ms, agent.call) };
  };

  const runner = createToolRunner({
    ...{ agent, values, callTool, clock, log },
    bookCallback: agent.call.auto_reschedule ? bookCallback : undefined,
  });
  return {
    ...runner,
    async run(call, signal) {
      const run = await runner.run(call, signal);
      const scripted = call.name === RESCHEDULE_TOOL && agent.call.auto_reschedule ? resultOf(RESCHEDULE_TOOL) : null;
      return scripted === null ? run : { ...run, result: scripted };
    },
  };
}
