import type { AgentConfig } from '../../shared/agent.ts';
import type { Bus } from '../../shared/bus/bus.ts';
import type { Session, TransferOutcome } from '../../shared/bus/messages.ts';
import type { CallEnd } from '../../shared/call.ts';
import type { Clock } from '../../shared/clock.ts';
import { createKnowledge, type Knowledge } from '../../shared/reply/knowledge.ts';
import { type BookCallback, createBookCallback } from '../../shared/reply/reschedule-tool.ts';
import type { TransferClient } from './transfer.ts';

/** One call's client of control over the bus: its requests, and the commands it receives. */
export interface ControlClient {
  readonly knowledge: Knowledge;
  readonly transfers: TransferClient;
  /** Undefined where the agent books no callbacks. */
  readonly bookCallback: BookCallback | undefined;
  /** Serves commands to hang up; `end` returns false when the call is already ending. */
  serveCommands(end: (end: CallEnd) => boolean): void;
  /** Serves outcomes of transfers where the agent transfers; `onOutcome` returns false when that transfer is not active. */
  serveTransferOutcomes(onOutcome: (outcome: TransferOutcome) => boolean): void;
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
}

/** Control asks the carrier first, which has a deadline of ten seconds. */
const TRANSFER_REPLY_DEADLINE_MS = 15_000;

export function createControlClient(options: ControlClientOptions): ControlClient {
  const { bus, session, agent, knowledgeDeadlineMs, clock } = options;
  const { call_id, knowledge } = session;
  const subscriptions: { stop(): void }[] = [];
  return {
    knowledge: createKnowledge({
      inline: knowledge?.text ?? '',
      search: knowledge?.search ? (query, withinMs) => bus.searchKnowledge({ call_id, ...query }, withinMs) : null,
      deadlineMs: knowledgeDeadlineMs,
      clock,
    }),
    transfers: { start: (request) => bus.startTransfer({ call_id, ...request }, TRANSFER_REPLY_DEADLINE_MS) },
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
      if (!agent.call.transfer_enabled) return;
      subscriptions.push(
        bus.serveTransferOutcomes(call_id, (outcome) => {
          const done = onOutcome(outcome);
          return { done, detail: done ? '' : 'this transfer is not active' };
        }),
      );
    },
    close() {
      for (const subscription of subscriptions) subscription.stop();
    },
  };
}
