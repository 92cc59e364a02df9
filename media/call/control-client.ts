import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session, TransferOutcome } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { createKnowledge, type Knowledge } from '../reply/knowledge.ts';
import { type BookCallback, createBookCallback } from '../reply/reschedule-tool.ts';
import type { TransferClient } from './transfer.ts';

/** One call's line to control, over the bus: what the call asks for, and what it is told to do. */
export interface ControlClient {
  readonly knowledge: Knowledge;
  readonly transfers: TransferClient;
  /** Undefined where the agent books no call backs. */
  readonly bookCallback: BookCallback | undefined;
  /** Takes orders to hang up; `end` is false when the call is already ending. */
  serveCommands(end: (end: CallEnd) => boolean): void;
  /** Takes how transfers went, where there are any; `take` is false when none such is under way. */
  serveTransferOutcomes(take: (outcome: TransferOutcome) => boolean): void;
  /** Nothing is taken any more. */
  close(): void;
}

export interface ControlClientOptions {
  bus: Bus;
  session: Session;
  agent: AgentConfig;
  /** A search takes no longer. */
  knowledgeDeadlineMs: number;
  clock: Clock;
}

/** Control asks the carrier first, which has ten seconds. */
const TRANSFER_REPLY_DEADLINE_MS = 15_000;

export function createControlClient(options: ControlClientOptions): ControlClient {
  const { bus, session, agent, knowledgeDeadlineMs, clock } = options;
  const { call_id, knowledge } = session;
  const served: { stop(): void }[] = [];
  return {
    knowledge: createKnowledge({
      inline: knowledge?.text ?? '',
      search: knowledge?.search
        ? (question, withinMs) => bus.searchKnowledge({ call_id, ...question }, withinMs)
        : null,
      deadlineMs: knowledgeDeadlineMs,
      clock,
    }),
    transfers: { start: (request) => bus.startTransfer({ call_id, ...request }, TRANSFER_REPLY_DEADLINE_MS) },
    bookCallback: createBookCallback(bus, call_id, agent.call),
    serveCommands(end) {
      const orders = bus.serveCommands(call_id, ({ hangup_by, hangup_reason }) => {
        const done = end({ hangup_by, hangup_reason });
        return { done, detail: done ? '' : 'the call is already ending' };
      });
      served.push(orders);
    },
    serveTransferOutcomes(take) {
      if (!agent.call.transfer_enabled) return;
      const outcomes = bus.serveTransferOutcomes(call_id, (outcome) => {
        const done = take(outcome);
        return { done, detail: done ? '' : 'no such transfer is under way' };
      });
      served.push(outcomes);
    },
    close() {
      for (const each of served) each.stop();
    },
  };
}
