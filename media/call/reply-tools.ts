import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { ToolCall } from '../../shared/llm/language-model.ts';
import { endCallTool } from '../../shared/llm/prompt.ts';
import type { ToolRunner } from '../../shared/reply/tools.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { AgentReply, RunningTools } from './agent-reply.ts';
import type { ChatContext, ToolRound } from './chat-context.ts';
import { TransferController, type TransferOptions } from './transfer.ts';

export interface ReplyToolsOptions extends TransferOptions {
  agent: AgentConfig;
  /** Values of the prompt's `{variables}`. */
  values: Record<string, string | number | boolean>;
  tools: ToolRunner;
  /** Music for a caller on hold begins, or ends. */
  holdMusic?(on: boolean): void;
}

export interface ReplyToolsListener {
  /** A reply's tools have finished, or the model answered nothing: returns whether the reply may continue. */
  mayContinue(reply: AgentReply): boolean;
  /** A transfer failed and the caller is with the agent again; the history says why. */
  onCallerReturned(): void;
  end(end: CallEnd): void;
}

/** Runs the tools that the model calls in a reply: the agent's own, `end_call` and transfers. */
export interface ReplyTools {
  readonly transfers: TransferController;
  /** Running tools; a transfer counts until its outcome is known. */
  readonly running: number;
  /** Runs the called tools; null when there is none to run. Results stay in the history even if the caller interrupts meanwhile. */
  run(reply: AgentReply, calls: ToolCall[]): RunningTools | null;
  close(): void;
}

export function createReplyTools(
  options: ReplyToolsOptions,
  context: ChatContext,
  listener: ReplyToolsListener,
): ReplyTools {
  const { agent, values, tools } = options;
  let running = 0;
  let closed = false;

  const transfers = new TransferController(options, context, {
    onHold: () => {
      running++;
      if (agent.call.hold_music) options.holdMusic?.(true);
    },
    onCallerReturned: () => {
      running--;
      options.holdMusic?.(false);
      listener.onCallerReturned();
    },
    end: (end) => listener.end(end),
  });

  /** Prepares the transfer among these calls; one with invalid arguments is run and refused like any other tool. */
  function prepareTransfer(reply: AgentReply, calls: ToolCall[]): ToolCall | undefined {
    const call = agent.call.transfer_enabled ? calls.find(({ name }) => name === TRANSFER_TOOL) : undefined;
    const prepared = call && transfers.prepare(call);
    if (!call || prepared === undefined || typeof prepared === 'string') return undefined;
    const { name: target, reason } = prepared;
    context.report('tool.call', TRANSFER_TOOL, { data: { name: TRANSFER_TOOL, args: { target, reason } } });
    reply.transferAfter = prepared;
    reply.hangUpAfter = null;
    const message = fillVariables(agent.call.transfer_message, values).trim();
    if (message !== '') reply.sayAside(message);
    return call;
  }

  /** Returns whether the model is to say something about the result. */
  async function runTool(reply: AgentReply, call: ToolCall, round: ToolRound): Promise<boolean> {
    if (call.name === TRANSFER_TOOL && agent.call.transfer_enabled) {
      refuseTransfer(call, round);
      return true;
    }
    const { name, args, url, pre_call_message } = tools.announce(call);
    context.report('tool.call', name, { data: { name, args, ...(url === null ? {} : { url }) } });
    if (pre_call_message !== '') reply.sayAside(pre_call_message);
    // Some model servers restart their call ids in every response.
    const run = await tools.run({ ...call, id: `${reply.id} ${call.id}` });
    round.addResult(call, run.result);
    const { level, latency_ms, status, result, variables, said } = run;
    if (!closed) {
      const data = { name, status, result, ...(variables && { variables }) };
      context.report('tool.result', `${name} answered`, { level, latency_ms, data });
    }
    if (said !== undefined) reply.sayAside(said);
    return said === undefined;
  }

  function refuseTransfer(call: ToolCall, round: ToolRound): void {
    const result = transfers.refusalReason(call);
    context.report('tool.call', TRANSFER_TOOL, { data: { name: TRANSFER_TOOL, args: {} } });
    round.addResult(call, result);
    const data = { name: TRANSFER_TOOL, status: 0, result };
    context.report('tool.result', `${TRANSFER_TOOL} answered`, { level: 'warning', latency_ms: 0, data });
  }

  return {
    transfers,
    get running() {
      return running;
    },
    run(reply, calls) {
      if (calls.some((call) => call.name === endCallTool.name)) {
        context.report('tool.call', 'end_call', { data: { name: 'end_call' } });
        reply.hangUpAfter = { hangup_by: 'agent', hangup_reason: 'agent ended the call' };
      }
      const transfer = prepareTransfer(reply, calls);
      const others = calls.filter((call) => call.name !== endCallTool.name && call !== transfer);
      if (others.length === 0) return null;
      running += others.length;
      const round = context.addToolRound(others);
      const done = Promise.all(others.map((call) => runTool(reply, call, round))).then((answers) => {
        running -= others.length;
        const goesOn = answers.some((isWanted) => isWanted);
        return listener.mayContinue(reply) && goesOn && !reply.hangUpAfter && !reply.transferAfter;
      });
      return { round, done };
    },
    close() {
      closed = true;
      transfers.close();
    },
  };
}
