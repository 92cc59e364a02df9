import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type {
  CommandReply,
  LiveOrderRequest,
  Session,
  TestSession,
  TransferOutcome,
} from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { createKnowledge, type Knowledge } from '../../shared/reply/knowledge.ts';
import { type BookCallback, createBookCallback } from '../../shared/reply/reschedule-tool.ts';
import { scriptedResult } from '../../shared/reply/scripted-tools.ts';
import { TRANSFER_TOOL } from '../../shared/transfer.ts';
import type { TransferClient } from './transfer.ts';

/** One call's client of control over the bus: its requests, and the commands it receives. */
export interface ControlClient {
  readonly knowledge: Knowledge;
  readonly transfers: TransferClient;
  /** Undefined where the agent books no callbacks. */
  readonly bookCallback: BookCallback | undefined;
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
  agent: AgentConfig;
  /** Deadline of a knowledge search. */
  knowledgeDeadlineMs: number;
  clock: Clock;
  /** Of the agent's voice; left out: of an agent that names none. */
  language?: string;
}

/** Control asks the carrier first, which has a deadline of ten seconds. */
const TRANSFER_REPLY_DEADLINE_MS = 15_000;

export function createControlClient(options: ControlClientOptions): ControlClient {
  const { bus, session, agent, knowledgeDeadlineMs, clock, language } = options;
  const { call_id, knowledge } = session;
  const subscriptions: { stop(): void }[] = [];
  return {
    knowledge: createKnowledge({
      inline: knowledge?.text ?? '',
      search: knowledge?.search ? (query, withinMs) => bus.searchKnowledge({ call_id, ...query }, withinMs) : null,
      deadlineMs: knowledgeDeadlineMs,
      clock,
      ...(language === undefined ? {} : { language }),
    }),
    transfers: session.test
      ? scriptedTransfers(session.test)
      : { start: (request) => bus.startTransfer({ call_id, ...request }, TRANSFER_REPLY_DEADLINE_MS) },
    bookCallback: createBookCallback(bus, call_id, agent.call),
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
