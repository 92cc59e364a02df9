import type { AgentConfig } from '../../shared/agent.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { ChatMessage, ToolCall } from '../../shared/llm/language-model.ts';
import { endCallTool } from '../../shared/llm/prompt.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { fillVariables } from '../../shared/variables.ts';
import type { ToolRunner } from '../reply/tools.ts';
import type { AgentReply } from './agent-reply.ts';
import type { ChatContext } from './chat-context.ts';
import { TransferController, type TransferOptions } from './transfer.ts';

export interface ReplyToolsOptions extends TransferOptions {
  agent: AgentConfig;
  /** Values of the prompt's `{variables}`. */
  values: Record<string, string | number | boolean>;
  tools: ToolRunner;
}

export interface ReplyToolsListener {
  /** The tools of a reply have finished; returns whether the reply may continue with their results. */
  onToolsDone(reply: AgentReply): boolean;
  /** A transfer failed and the caller is with the agent again; the history says why. */
  onCallerReturned(): void;
  end(end: CallEnd): void;
}

/** Runs the tools that the model calls in a reply: the agent's own, `end_call` and transfers. */
export interface ReplyTools {
  readonly transfers: TransferController;
  /** Running tools; a transfer counts until its outcome is known. */
  readonly running: number;
  /**
   * Runs the called tools. Results stay in the history even if the caller interrupts meanwhile. Resolves to one message per
   * call, or null when the model is not to continue; null at once when there is nothing to run.
   */
  run(reply: AgentReply, calls: ToolCall[]): Promise<ChatMessage[] | null> | null;
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
    onHold: () => void running++,
    onCallerReturned: () => {
      running--;
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

  async function runTool(reply: AgentReply, call: ToolCall): Promise<ChatMessage> {
    if (call.name === TRANSFER_TOOL && agent.call.transfer_enabled) return refuseTransfer(call);
    const { name, args, url, pre_call_message } = tools.announce(call);
    context.report('tool.call', name, { data: { name, args, ...(url === null ? {} : { url }) } });
    if (pre_call_message !== '') reply.sayAside(pre_call_message);
    // Some model servers restart their call ids in every response.
    const run = await tools.run({ ...call, id: `${reply.id} ${call.id}` });
    context.addToolRun(call, run.result);
    const { level, latency_ms, status, result } = run;
    if (!closed) {
      context.report('tool.result', `${name} answered`, { level, latency_ms, data: { name, status, result } });
    }
    return toolMessage(call, result);
  }

  function refuseTransfer(call: ToolCall): ChatMessage {
    const result = transfers.refusalReason(call);
    context.report('tool.call', TRANSFER_TOOL, { data: { name: TRANSFER_TOOL, args: {} } });
    context.addToolRun(call, result);
    const data = { name: TRANSFER_TOOL, status: 0, result };
    context.report('tool.result', `${TRANSFER_TOOL} answered`, { level: 'warning', latency_ms: 0, data });
    return toolMessage(call, result);
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
      return Promise.all(others.map((call) => runTool(reply, call))).then((results) => {
        running -= others.length;
        return listener.onToolsDone(reply) && !reply.hangUpAfter && !reply.transferAfter ? results : null;
      });
    },
    close() {
      closed = true;
      transfers.close();
    },
  };
}

function toolMessage({ id, name }: ToolCall, content: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, name, content };
}
