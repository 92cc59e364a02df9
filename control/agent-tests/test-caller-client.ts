import type { Bus } from '../../shared/bus/bus.ts';
import type { CommandReply, Session, TestTurn, TestTurnReply, TestTurnResult } from '../../shared/bus/messages.ts';
import { type Clock, pause, type Timer } from '../../shared/clock.ts';

/** The synthesized caller of a run, at one of the media engines. */
export interface TestCallerClient {
  /** Does this next, and resolves when it is done. @throws TestCallError */
  take(turn: Pick<TestTurn, 'text' | 'interruption' | 'hangs_up'>): Promise<TurnOutcome>;
  /** Ends the call where it is not over; resolves when the line is closed. Never rejects. */
  hangUp(): Promise<void>;
}

export interface TurnOutcome {
  /** Absent when the line was closed before. */
  result: TestTurnResult | undefined;
  over: boolean;
}

export interface TestCallerOptions {
  bus: Pick<Bus, 'sendHangUp' | 'testCalls'>;
  session: Session;
  language: string;
  background_noise: string;
  clock: Clock;
  signal: AbortSignal;
}

/** The call could not be made, or broke off without the agent having ended it. */
export class TestCallError extends Error {}

/** Engines may be full, or about to take over from others. */
const START_DEADLINE_MS = 30_000;
const START_RETRY_MS = 1_000;
const START_TIMEOUT_MS = 5_000;
/** Longer than an engine takes to reply that a turn is not done. */
const TURN_TIMEOUT_MS = 6_000;
/** The caller hangs up when it is told nothing for 15 seconds. */
const KEEP_ALIVE_MS = 5_000;

/** Starts a caller at an engine that has headroom. @throws TestCallError */
export async function startTestCaller(options: TestCallerOptions): Promise<TestCallerClient> {
  const { bus, session, language, background_noise, clock, signal } = options;
  const { testCalls } = bus;
  const { call_id } = session;
  const engineId = await start();
  let last: TestTurn = { call_id, turn: -1, text: '', interruption: '', hangs_up: false };
  let over = false;
  let keepAlive: Timer | null = null;

  /** Resolves with the id of the engine. */
  async function start(): Promise<string> {
    const deadlineMs = clock.now() + START_DEADLINE_MS;
    for (;;) {
      signal.throwIfAborted();
      const { done, detail, engine_id } = await testCalls
        .start({ session, language, background_noise }, START_TIMEOUT_MS)
        .catch((): CommandReply => ({ done: false, detail: 'no media engine answers' }));
      if (done) return engine_id ?? '';
      if (clock.now() >= deadlineMs) throw new TestCallError(detail);
      await pause(clock, START_RETRY_MS);
    }
  }

  async function send(turn: TestTurn): Promise<TestTurnReply> {
    try {
      return await testCalls.sendTurn(turn, TURN_TIMEOUT_MS, engineId);
    } catch {
      throw new TestCallError('the media engine is lost');
    }
  }

  /** Repeats the last turn, which is done, while it is decided what the next one is. */
  function stayAlive(): void {
    keepAlive = clock.after(KEEP_ALIVE_MS, () => {
      void testCalls.sendTurn(last, TURN_TIMEOUT_MS, engineId).catch(() => {});
      stayAlive();
    });
  }

  async function take(turn: Pick<TestTurn, 'text' | 'interruption' | 'hangs_up'>): Promise<TurnOutcome> {
    if (over) return { result: undefined, over };
    keepAlive?.cancel();
    last = { call_id, turn: last.turn + 1, ...turn };
    for (;;) {
      const reply = await send(last);
      if (reply.failed !== '') throw new TestCallError(reply.failed);
      ({ over } = reply);
      if (reply.done) {
        if (!over) stayAlive();
        return { result: reply.result, over };
      }
      signal.throwIfAborted();
    }
  }

  return {
    take,
    async hangUp() {
      keepAlive?.cancel();
      if (over) return;
      over = true;
      await bus
        .sendHangUp({ call_id, hangup_by: 'service', hangup_reason: 'canceled' }, TURN_TIMEOUT_MS, engineId)
        .catch(() => {});
      // Answered when the line is closed: the run may be begun again at once, with the same call.
      const close = { ...last, turn: last.turn + 1, text: '' };
      await testCalls.sendTurn(close, TURN_TIMEOUT_MS, engineId).catch(() => {});
    },
  };
}
