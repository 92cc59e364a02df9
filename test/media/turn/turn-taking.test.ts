import { expect, it } from 'vitest';
import {
  LONG_SILENCE_MS,
  MISSED_AFTER_MS,
  observeVoices,
  skipVoices,
  startTurnTaking,
  type TurnTaking,
} from '../../../media/turn/turn-taking.ts';

const TICK_MS = 20;

interface Voices {
  callerSpeaks: boolean;
  reply: { id: string; paused: boolean; interruptible: boolean } | null;
}

const observe = (state: TurnTaking, nowMs: number, { callerSpeaks, reply }: Voices) =>
  observeVoices(state, nowMs, callerSpeaks, reply, ({ interruptible }) => interruptible);

/** What lasts so long, as ticks of 20 ms. */
function heard(...parts: [ms: number, what: Voices][]) {
  const state = startTurnTaking();
  let nowMs = 0;
  observe(state, nowMs, parts[0]![1]);
  for (const [ms, what] of parts) {
    for (const end = nowMs + ms; nowMs < end; ) {
      nowMs += TICK_MS;
      observe(state, nowMs, what);
    }
  }
  return state.figures;
}

const reply = { id: 'r1', paused: false, interruptible: true };
const agent = { callerSpeaks: false, reply };
const caller = { callerSpeaks: true, reply: null };
const both = { callerSpeaks: true, reply };
const paused = { callerSpeaks: true, reply: { ...reply, paused: true } };
const nobody = { callerSpeaks: false, reply: null };
const none = { talk_over_ms: 0, missed_interruptions: 0, false_interruptions: 0, long_silences: 0 };

it('counts nothing where each waits for the other', () => {
  expect(heard([1_000, agent], [800, nobody], [2_000, caller], [900, nobody], [1_000, agent])).toEqual(none);
});

it('adds up what both speak at once', () => {
  expect(heard([1_000, agent], [300, both], [1_000, agent], [200, both])).toEqual({ ...none, talk_over_ms: 500 });
});

it('counts an interruption as missed when the agent speaks on, once', () => {
  const figures = heard([1_000, agent], [MISSED_AFTER_MS + 3_000, both]);
  expect(figures).toMatchObject({ missed_interruptions: 1, talk_over_ms: MISSED_AFTER_MS + 3_000 });
});

it('counts none as missed where the reply cannot be interrupted', () => {
  const uninterruptible = { callerSpeaks: true, reply: { ...reply, interruptible: false } };
  expect(heard([5_000, uninterruptible]).missed_interruptions).toBe(0);
});

it('counts an interruption as false when the same reply goes on', () => {
  expect(heard([1_000, agent], [400, paused], [1_000, agent]).false_interruptions).toBe(1);
  expect(heard([1_000, agent], [400, paused], [1_000, caller]).false_interruptions).toBe(0);
});

it('counts a long silence once, and not a shorter one', () => {
  expect(heard([LONG_SILENCE_MS + 10_000, nobody], [100, agent]).long_silences).toBe(1);
  expect(heard([LONG_SILENCE_MS - TICK_MS, nobody], [100, agent], [1_000, nobody]).long_silences).toBe(0);
});

it('skips what is not to be counted', () => {
  const state = startTurnTaking();
  observe(state, 0, nobody);
  skipVoices(state, 60_000);
  observe(state, 60_020, nobody);
  expect(state.figures).toEqual(none);
});
