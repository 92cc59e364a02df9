import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import { HANDOFF_TOOL } from '../../shared/handoff.ts';
import type { ToolCall } from '../../shared/llm/language-model.ts';
import { endCallTool } from '../../shared/llm/prompt.ts';
import type { HandoffRequest } from '../../shared/reply/handoff-tool.ts';
import type { ToolRunner } from '../../shared/reply/tools.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { AgentParts } from './agent-parts.ts';
import type { AgentReply, RunningTools } from './agent-reply.ts';
import type { ChatContext, ToolRound } from './chat-context.ts';
import { createHandoffs, type HandoffOptions, type Handoffs } from './handoff.ts';
import { TransferController, type TransferOptions } from './transfer.ts';

export interface ReplyToolsOptions extends TransferOptions, HandoffOptions {
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
  /** A transfer or handoff failed and the caller is with the agent again; the history says why. */
  onCallerReturned(): void;
  /** Another agent goes on; the history says so. */
  onAgent(parts: AgentParts, request: HandoffRequest): void;
  end(end: CallEnd): void;
}

/** Runs the tools that the model calls in a reply: the agent's own, `end_call`, transfers and handoffs. */
export interface ReplyTools {
  readonly transfers: TransferController;
  readonly handoffs: Pick<Handoffs, 'active'>;
  /** Running tools; a transfer or handoff counts until its outcome is known. */
  readonly running: number;
  /** Runs the called tools; null when there is none to run. Results stay in the history even if the caller interrupts meanwhile. */
  run(reply: AgentReply, calls: ToolCall[]): RunningTools | null;
  /** What follows the reply, now that nothing more of it is to be said. Returns false when nothing does. */
  after(reply: AgentReply): boolean;
  close(): void;
}

export function createReplyTools(
  options: ReplyToolsOptions,
  context: ChatContext,
  listener: ReplyToolsListener,
): ReplyTools {
  const { values } = options;
  let running = 0;
  /** Of the last round. */
  let toolsDone: Promise<unknown> = Promise.resolve();
  let closed = false;

  const transfers = new TransferController(options, context, {
    onHold: () => {
      running++;
      if (options.agent.call.hold_music) options.holdMusic?.(true);
    },
    onCallerReturned: () => {
      running--;
      options.holdMusic?.(false);
      listener.onCallerReturned();
    },
    end: (end) => listener.end(end),
  });

  const handoffs = createHandoffs(options, context, {
    onBegin: () => running++,
    onAgent(parts, request) {
      running--;
      listener.onAgent(parts, request);
    },
    onRefused() {
      running--;
      listener.onCallerReturned();
    },
  });

  /** Prepares the handoff among these calls, as a transfer. */
  function prepareHandoff(reply: AgentReply, calls: ToolCall[]): ToolCall | undefined {
    const call = mayHandOff() ? calls.find(({ name }) => name === HANDOFF_TOOL) : undefined;
    const prepared = call && handoffs.prepare(call);
    if (!call || prepared === undefined || typeof prepared === 'string') return undefined;
    const { handoff, reason } = prepared;
    context.report('tool.call', HANDOFF_TOOL, { data: { name: HANDOFF_TOOL, args: { target: handoff.name, reason } } });
    reply.handoffAfter = prepared;
    reply.hangUpAfter = null;
    return call;
  }

  const mayHandOff = () => options.agent.call.handoffs.length > 0;

  /** Prepares the transfer among these calls; one with invalid arguments is run and refused like any other tool. */
  function prepareTransfer(reply: AgentReply, calls: ToolCall[]): ToolCall | undefined {
    const { agent } = options;
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
    const { agent, tools } = options;
    if (call.name === TRANSFER_TOOL && agent.call.transfer_enabled) {
      refuse(call, transfers.refusalReason(call), round);
      return true;
    }
    if (call.name === HANDOFF_TOOL && mayHandOff()) {
      refuse(call, handoffs.refusalReason(call), round);
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

  function refuse(call: ToolCall, result: string, round: ToolRound): void {
    const { name } = call;
    context.report('tool.call', name, { data: { name, args: {} } });
    round.addResult(call, result);
    const data = { name, status: 0, result };
    context.report('tool.result', `${name} answered`, { level: 'warning', latency_ms: 0, data });
  }

  return {
    transfers,
    handoffs,
    get running() {
      return running;
    },
    run(reply, calls) {
      if (calls.some((call) => call.name === endCallTool.name)) {
        context.report('tool.call', 'end_call', { data: { name: 'end_call' } });
        reply.hangUpAfter = { hangup_by: 'agent', hangup_reason: 'agent ended the call' };
      }
      const transfer = prepareTransfer(reply, calls);
      const handoff = transfer ? undefined : prepareHandoff(reply, calls);
      const others = calls.filter((call) => call.name !== endCallTool.name && call !== transfer && call !== handoff);
      if (others.length === 0) return null;
      running += others.length;
      const round = context.addToolRound(others);
      const answered = Promise.all(others.map((call) => runTool(reply, call, round)));
      toolsDone = answered.catch(() => {});
      const done = answered.then((answers) => {
        running -= others.length;
        const goesOn = answers.some((isWanted) => isWanted);
        return listener.mayContinue(reply) && goesOn && !reply.hangUpAfter && !reply.givesCallAway;
      });
      return { round, done };
    },
    after(reply) {
      const { transferAfter, handoffAfter } = reply;
      if (transferAfter) transfers.begin(transferAfter);
      else if (handoffAfter) handoffs.begin(handoffAfter, toolsDone);
      return reply.givesCallAway;
    },
    close() {
      closed = true;
      transfers.close();
      handoffs.close();
    },
  };
}
