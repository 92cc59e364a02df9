import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type {
  CommandReply,
  HandoffAgent,
  LiveOrderRequest,
  OpenHandoffReply,
  Session,
  TestSession,
  TransferOutcome,
} from '../../shared/bus/messages.ts';
import { createRequestKey } from '../../shared/bus/seal-for-engine.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { HANDOFF_IN_TEST } from '../../shared/handoff.ts';
import type { Logger } from '../../shared/log.ts';
import { createKnowledge, type Knowledge } from '../../shared/reply/knowledge.ts';
import { type BookCallback, createBookCallback } from '../../shared/reply/reschedule-tool.ts';
import { scriptedResult } from '../../shared/reply/scripted-tools.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import { requestTransfer } from './request-transfer.ts';
import { withHeaders } from './sealed-headers.ts';
import type { TransferClient } from './transfer.ts';

/** One call's client of control over the bus: its requests, and the commands it receives. */
export interface ControlClient {
  /** That of an agent: the one that the call began with, or one that it was handed to. */
  knowledgeOf(agent: Pick<HandoffAgent, 'knowledge'> & { agent_id?: string }, language: string): Knowledge;
  readonly transfers: TransferClient;
  /** Asks for the agent that the call is to go on with, which the one before names. Rejects when control does not reply in time. */
  openHandoff(fromAgentId: string, agentId: string): Promise<OpenHandoffReply>;
  /** Undefined where the agent books no callbacks. */
  callbacksOf(agent: AgentConfig): BookCallback | undefined;
  /** Serves commands to hang up; `end` returns false when the call is already ending. */
  serveCommands(end: (end: CallEnd) => boolean): void;
  /** Serves outcomes of transfers; `onOutcome` returns false when that transfer is not active. */
  serveTransferOutcomes(onOutcome: (outcome: TransferOutcome) => boolean): void;
  /** Serves orders to pause and resume the recording, where there is one; `set` returns false when the call is ending. */
  serveRecordingOrders(records: boolean, set: (paused: boolean) => boolean): void;
  /** Serves what people and programs order in the call. */
  serveLiveOrders(carryOut: (order: LiveOrderRequest) => CommandReply): void;
  /** Stops serving. */
  close(): void;
}

export interface ControlClientOptions {
  bus: Bus;
  session: Session;
  /** Deadline of a knowledge search. */
  knowledgeDeadlineMs: number;
  clock: Clock;
  log: Logger;
}

const HANDOFF_REPLY_DEADLINE_MS = 5_000;

export function createControlClient(options: ControlClientOptions): ControlClient {
  const { bus, session, knowledgeDeadlineMs, clock, log } = options;
  const { call_id } = session;
  const subscriptions: { stop(): void }[] = [];
  return {
    knowledgeOf: ({ knowledge, ...asking }, language) =>
      createKnowledge({
        inline: knowledge?.text ?? '',
        search: knowledge?.search
          ? (query, withinMs) => bus.searchKnowledge({ call_id, ...query, ...asking }, withinMs)
          : null,
        ...{ deadlineMs: knowledgeDeadlineMs, clock, language },
      }),
    async openHandoff(from_agent_id, agent_id) {
      if (session.test) return { refused: HANDOFF_IN_TEST };
      const key = createRequestKey();
      const request = { call_id, from_agent_id, agent_id, public_key: key.publicKey };
      const { refused, agent } = await bus.openHandoff(request, HANDOFF_REPLY_DEADLINE_MS);
      return { refused, agent: agent && withHeaders(agent, call_id, key, log) };
    },
    transfers: session.test
      ? scriptedTransfers(session.test)
      : { start: (request) => requestTransfer({ call_id, ...request }, { bus, clock }) },
    callbacksOf: (agent) => createBookCallback(bus, call_id, agent.call),
    serveCommands(end) {
      subscriptions.push(
        bus.serveCommands(call_id, ({ hangup_by, hangup_reason }) => {
          const done = end({ hangup_by, hangup_reason });
          return { done, detail: done ? '' : 'the call is already ending' };
        }),
      );
    },
    serveTransferOutcomes(onOutcome) {
      subscriptions.push(
        bus.serveTransferOutcomes(call_id, (outcome) => {
          const done = onOutcome(outcome);
          return { done, detail: done ? '' : 'this transfer is not active' };
        }),
      );
    },
    serveRecordingOrders(records, set) {
      if (!records) return;
      subscriptions.push(
        bus.serveRecordingOrders(call_id, ({ paused }) => {
          const done = set(paused);
          return { done, detail: done ? '' : 'the call is already ending' };
        }),
      );
    },
    serveLiveOrders(carryOut) {
      subscriptions.push(bus.serveLiveOrders(call_id, carryOut));
    },
    close() {
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}

/** In a test nobody is called: the transfer takes place, unless the test gives a result, with which the caller returns. */
function scriptedTransfers({ tool_results_json }: TestSession): TransferClient {
  const result = scriptedResult(JSON.parse(tool_results_json), TRANSFER_TOOL);
  return { start: async () => ({ accepted: result === null, message: result ?? '' }) };
}
