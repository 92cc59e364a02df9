import { beforeEach, describe, expect, it } from 'vitest';
import { createTestCaller, type TestCaller } from '../../../media/test-caller/test-caller.ts';
import type { VadListener } from '../../../media/turn/vad.ts';
import type { TestTurn } from '../../../shared/bus/messages.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const TICK_MS = 20;

let clock: VirtualClock;
let caller: TestCaller;
let said: string[];
let hungUp: boolean;
let over: boolean;
/** The line: until when either side speaks. */
let agentUntilMs: number;
let callerUntilMs: number;

beforeEach(() => {
  clock = createVirtualClock();
  [said, hungUp, over, agentUntilMs, callerUntilMs] = [[], false, false, 0, 0];
  const hangUp = () => {
    hungUp = true;
  };
  let hear: VadListener = () => {};
  caller = createTestCaller({
    line: { tick: () => new Uint8Array(160), hangUp },
    voice: {
      say(text) {
        said.push(text);
        callerUntilMs = clock.now() + 1_000;
      },
      next: () => null,
      get saying() {
        return clock.now() < callerUntilMs;
      },
      get audible() {
        return clock.now() < callerUntilMs;
      },
      usage: () => [],
      close: async () => {},
    },
    background: null,
    vad: {
      stats: {} as never,
      open(listener) {
        hear = listener;
        return { push: () => {}, close: () => {} };
      },
    },
    mediaClock: {
      subscribe(onTick) {
        let stopped = false;
        const tick = () => {
          if (stopped) return;
          if (clock.now() < agentUntilMs) hear(0.9, clock.now(), 0);
          onTick(clock.now());
          clock.after(TICK_MS, tick);
        };
        clock.after(TICK_MS, tick);
        return () => {
          stopped = true;
        };
      },
    },
    clock,
    onOver() {
      over = true;
    },
  });
});

const turn = (number: number, more: Partial<TestTurn> = {}): TestTurn => ({
  ...{ call_id: 'c', turn: number, text: 'Two people.', interruption: '', hangs_up: false },
  ...more,
});

/** Takes the turn as control does: again and again until it is done. */
async function take(next: TestTurn, during: () => void = () => {}) {
  for (;;) {
    const reply = caller.take(next);
    during();
    during = () => {};
    await clock.advance(3_000);
    const { done, ...rest } = await reply;
    if (done) return rest;
  }
}

const agentSpeaks = (fromMs: number, ms: number) =>
  clock.after(fromMs, () => {
    agentUntilMs = clock.now() + ms;
  });

describe("a test's caller", () => {
  it('says its text once, however often the turn is asked for, and is done when the agent has finished', async () => {
    const reply = await take(turn(0), () => agentSpeaks(2_000, 5_000));
    expect(reply).toMatchObject({ over: false, failed: '', result: { agent_spoke: true, talk_over_ms: 0 } });
    expect(said).toEqual(['Two people.']);
  });

  it('counts what the agent said before a turn without words was asked for, once', async () => {
    agentSpeaks(0, 500);
    await clock.advance(5_000);
    const silent = { text: '' };
    expect((await take(turn(0, silent))).result).toMatchObject({ agent_spoke: true });
    expect((await take(turn(1, silent))).result).toMatchObject({ agent_spoke: false });
  });

  it('takes nothing for an answer that came before its own words', async () => {
    agentSpeaks(0, 500);
    await clock.advance(5_000);
    expect((await take(turn(0))).result).toMatchObject({ agent_spoke: false });
  });

  it('is done with an agent that does not answer', async () => {
    expect(await take(turn(0))).toMatchObject({ over: false, result: { agent_spoke: false } });
  });

  it('interrupts the agent, and measures when it is silent', async () => {
    const { result } = await take(turn(0, { interruption: 'Wait.' }), () => {
      agentSpeaks(1_500, 1_800);
      agentSpeaks(5_000, 500);
    });
    expect(said).toEqual(['Two people.', 'Wait.']);
    // It begins 1.2 s after the agent, which stops 0.6 s later, within a tick.
    expect(result!.stopped_after_ms).toBeGreaterThanOrEqual(560);
    expect(result!.stopped_after_ms).toBeLessThanOrEqual(620);
    expect(result!.agent_spoke).toBe(true);
  });

  it('does not interrupt a short reply', async () => {
    const { result } = await take(turn(0, { interruption: 'Wait.' }), () => agentSpeaks(1_500, 600));
    expect(said).toEqual(['Two people.']);
    expect(result!.interrupted_at_ms).toBeUndefined();
  });

  it('measures an agent that speaks into the caller', async () => {
    const { result } = await take(turn(0), () => agentSpeaks(500, 1_000));
    expect(result!.talk_over_ms).toBeGreaterThan(450);
  });

  it('hangs up after its last words, and says so when it is asked again', async () => {
    expect(await take(turn(0, { hangs_up: true }))).toMatchObject({ over: true, failed: '' });
    expect(hungUp).toBe(true);
    expect(await caller.take(turn(1))).toMatchObject({ done: true, over: true });
  });

  it('reports a line that was closed in the middle of a turn, and a voice that failed', async () => {
    const reply = caller.take(turn(0));
    caller.end('the voice failed', 'no credentials');
    expect(await reply).toMatchObject({ done: true, over: true, failed: 'no credentials' });
  });

  it('hangs up when control is dead', async () => {
    await take(turn(0), () => agentSpeaks(1_500, 500));
    await clock.advance(11_000);
    expect(hungUp).toBe(false);
    await clock.advance(2_000);
    expect(hungUp).toBe(true);
    await clock.advance(15_000);
    expect(over).toBe(true);
  });
});
