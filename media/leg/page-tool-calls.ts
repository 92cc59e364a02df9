import type { Clock } from '../../shared/clock.ts';
import type { PageToolCall } from './leg.ts';

/** The tools that the other end of a call was asked to run and has not answered. */
export interface PageToolCalls {
  ask(call: PageToolCall): void;
  /** Takes the call with this id out; false where none waits for an answer. */
  answered(id: string): boolean;
  /** Asks again, with what is left of each time-out: the other end has come back over a new connection. */
  askAgain(): void;
}

/** `send` has a call with what is left of its time-out. */
export function createPageToolCalls(clock: Pick<Clock, 'now'>, send: (call: PageToolCall) => void): PageToolCalls {
  const waiting = new Map<string, { call: PageToolCall; untilMs: number }>();
  return {
    ask(call) {
      waiting.set(call.id, { call, untilMs: clock.now() + call.timeoutMs });
      send(call);
    },
    answered: (id) => waiting.delete(id),
    askAgain() {
      const nowMs = clock.now();
      for (const [id, { call, untilMs }] of waiting) {
        if (untilMs > nowMs) send({ ...call, timeoutMs: untilMs - nowMs });
        else waiting.delete(id);
      }
    },
  };
}
