import type { AgentConfig } from '../../shared/agent.ts';
import type { HandoffAgent, OpenHandoffReply } from '../../shared/bus/messages.ts';
import { HANDOFF_TOOL, MAX_HANDOFFS } from '../../shared/handoff.ts';
import type { ToolCall } from '../../shared/llm/language-model.ts';
import { type HandoffRequest, parseHandoffRequest } from '../../shared/reply/handoff-tool.ts';
import type { AgentParts } from './agent-parts.ts';
import type { CallScope } from './call-scope.ts';
import type { ChatContext } from './chat-context.ts';

/** Handoffs as requests to control. */
export interface HandoffClient {
  /** The agent that the call is to go on with, or why it cannot. Rejects when control does not reply in time. */
  open(agentId: string): Promise<OpenHandoffReply>;
  /** Makes ready what this agent brings along. Throws ProviderError where this engine has no language model for it. */
  enter(agent: HandoffAgent): AgentParts;
}

export interface HandoffOptions {
  /** The agent that speaks now. */
  readonly agent: Pick<AgentConfig, 'call'>;
  scope: CallScope;
  /** Missing where no agent can be asked for. */
  handoffClient?: HandoffClient | undefined;
}

export interface HandoffListener {
  /** The caller waits from now on, until one of the next two. */
  onBegin(): void;
  /** This agent goes on; the history says so. */
  onAgent(parts: AgentParts, request: HandoffRequest): void;
  /** The agent goes on itself; the history says why. */
  onRefused(): void;
}

/** A handoff whose agent is asked for while the one before says its last words. */
export interface PreparedHandoff extends HandoffRequest {
  opened: Promise<OpenHandoffReply>;
}

/** Lets another agent go on with the call, one handoff at a time: control gives its settings while this one says its last words. */
export interface Handoffs {
  /** A handoff is under way. */
  readonly active: boolean;
  /** Returns the handoff with its agent asked for, or the reason for the model why it is not possible. */
  prepare(call: ToolCall): PreparedHandoff | string;
  /** Returns the reason for the model why this call was not prepared; asks for no agent. */
  refusalReason(call: ToolCall): string;
  /** Carries it out, once the agent's last words were played out and its tools have finished. */
  begin(prepared: PreparedHandoff, toolsDone: Promise<unknown>): void;
  close(): void;
}

const ONE_AT_A_TIME = 'One handoff at a time.';
const NO_ANSWER: OpenHandoffReply = { refused: 'the service did not answer' };

export function createHandoffs(
  options: HandoffOptions,
  context: Pick<ChatContext, 'report' | 'addToolRound'>,
  listener: HandoffListener,
): Handoffs {
  let active: PreparedHandoff | null = null;
  let closed = false;
  let count = 0;

  /** The handoff that is asked for, or the reason for the model why it is not possible. */
  function requested(call: ToolCall): HandoffRequest | string {
    const request = parseHandoffRequest(call, options.agent.call);
    if (typeof request === 'string') return request;
    if (!options.handoffClient) return 'No other agent can take over in this call.';
    if (active) return ONE_AT_A_TIME;
    return count < MAX_HANDOFFS ? request : `The call was handed over ${MAX_HANDOFFS} times already: go on yourself.`;
  }

  /** What the agent brings along, or why it cannot go on. */
  function enter({ refused, agent }: OpenHandoffReply): AgentParts | string {
    if (!agent) return refused;
    try {
      return options.handoffClient!.enter(agent);
    } catch {
      return 'its language model is not available';
    }
  }

  function finish(prepared: PreparedHandoff, reply: OpenHandoffReply): void {
    if (closed || active !== prepared) return;
    active = null;
    const { call, handoff, reason } = prepared;
    const round = context.addToolRound([call]);
    const parts = enter(reply);
    if (typeof parts === 'string') {
      const result = `${handoff.name} cannot go on with the call: ${parts}. You are still with the caller.`;
      round.addResult(call, result);
      const data = { name: HANDOFF_TOOL, status: 0, result };
      context.report('tool.result', `${HANDOFF_TOOL} answered`, { level: 'warning', data });
      listener.onRefused();
      return;
    }
    count++;
    const because = reason === '' ? '' : ` The reason: ${reason}`;
    round.addResult(call, `${YOU_GO_ON}${because}`);
    const data = { agent_id: handoff.agent_id, name: handoff.name, reason };
    context.report('agent.handoff', `${handoff.name} goes on`, { data });
    listener.onAgent(parts, prepared);
  }

  return {
    get active() {
      return active !== null;
    },
    prepare(call) {
      const request = requested(call);
      if (typeof request === 'string') return request;
      const opened = options.handoffClient!.open(request.handoff.agent_id).catch(() => NO_ANSWER);
      return { ...request, opened };
    },
    refusalReason(call) {
      const request = requested(call);
      return typeof request === 'string' ? request : ONE_AT_A_TIME;
    },
    begin(prepared, toolsDone) {
      if (closed || active) return;
      active = prepared;
      listener.onBegin();
      const onOpened = options.scope.guard((reply: OpenHandoffReply) => finish(prepared, reply));
      void toolsDone.then(() => prepared.opened).then(onOpened);
    },
    close() {
      closed = true;
      active = null;
    },
  };
}

const YOU_GO_ON =
  'You are another agent of the same team now, and the caller is with you. Go on with the conversation where it is; do not begin it anew.';
