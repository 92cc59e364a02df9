import { expect, test } from 'vitest';
import type { AgentReply } from '../../../media/call/agent-reply.ts';
import { createCallerSpeech } from '../../../media/call/caller-speech.ts';
import { createEchoFilter } from '../../../media/call/echo-filter.ts';
import type { Playout } from '../../../media/playout/playout.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

const TEXT = 'So that is a table for two people tomorrow at seven';

function open() {
  const clock = createVirtualClock();
  const asked: unknown[] = [];
  const reply = {
    id: 'r1',
    audible: true,
    spokenText: {
      playedOut: (...position: unknown[]) => {
        asked.push(position);
        return TEXT;
      },
      fullText: () => TEXT,
    },
  } as unknown as AgentReply;
  const cursors = { generatedMs: 4_000, sentMs: 1_100, playedOutMs: 1_000, complete: true };
  const playout = { cursors: (id: string) => (id === 'r1' ? cursors : null) } as unknown as Playout;
  const filter = createEchoFilter(clock, playout);
  const text = (turn: number, words: string, type: 'partial' | 'final' = 'partial', speaking = true) =>
    filter.filter({ type, turn, text: words }, speaking ? reply : null).text;
  return { clock, asked, reply, filter, text };
}

test('words are compared with those up to half a second ahead of what was played out', () => {
  const { asked, text } = open();
  expect(text(0, 'a table for two')).toBe('');
  expect(text(0, 'make it eight please')).toBe('make it eight please');
  expect(asked[0]).toEqual([1_500, 4_000, true]);
});

test('a reply that is not audible has no echo', () => {
  const { filter, reply } = open();
  const silent = { ...reply, audible: false } as AgentReply;
  expect(filter.filter({ type: 'partial', turn: 0, text: 'a table for two' }, silent).text).toBe('a table for two');
});

test('after the reply a turn that began as an echo stays one, for two seconds', async () => {
  const { clock, filter, reply, text } = open();
  text(3, 'a table for two');
  filter.onReplyFinished(reply);
  await clock.advance(1_999);
  expect(text(3, 'for two people tomorrow', 'final', false)).toBe('');
  expect(text(4, 'for two people tomorrow', 'final', false)).toBe('for two people tomorrow');
  await clock.advance(1);
  expect(text(3, 'for two people tomorrow', 'final', false)).toBe('for two people tomorrow');
});

test('a line that echoed in two turns is known to echo', () => {
  const { filter, reply, text } = open();
  text(1, 'a table for two', 'final');
  expect(filter.isActive).toBe(false);
  text(1, 'people tomorrow at seven', 'final');
  expect(filter.isActive).toBe(false);
  text(2, 'a table for two', 'final');
  expect(filter.isActive).toBe(true);
  filter.onReplyFinished(reply);
  expect(text(5, 'for two people tomorrow', 'final', false)).toBe('');
});

test('while an echo is being transcribed, speech does not pause the agent; one word is not sure to be one', () => {
  const { filter, text } = open();
  text(1, 'a table for two');
  expect(filter.isActive).toBe(true);
  text(1, 'a table for two', 'final');
  expect(filter.isActive).toBe(false);
  expect(text(2, 'tomorrow')).toBe('');
  expect(filter.isActive).toBe(false);
});

test('an echo of a turn that goes on is a partial without words', () => {
  const { filter, reply } = open();
  const event = { turn: 1, text: 'a table for two' };
  expect(filter.filter({ ...event, type: 'turn_started' }, reply)).toEqual({ type: 'partial', turn: 1, text: '' });
  expect(filter.filter({ ...event, type: 'turn_ended' }, reply)).toEqual({ type: 'turn_ended', turn: 1, text: '' });
});

test('a voice is likely noise after three seconds, and noise does not pause the agent until it ends', () => {
  let nowMs = 0;
  const callerClock = { now: () => nowMs };
  const playout = { cursors: () => null } as unknown as Playout;
  const speech = createCallerSpeech({ clock: createVirtualClock(), callerClock, playout });
  const windows = (probability: number, count: number) => {
    for (let window = 0; window < count; window++) {
      nowMs += 32;
      speech.onWindow(probability, nowMs, 1);
    }
  };
  expect(speech.isLikelyNoise(99_999)).toBe(false);
  windows(0.9, 10);
  expect([speech.startedMs, speech.longestUnbrokenMs]).toEqual([0, 320]);
  expect([speech.isLikelyNoise(2_999), speech.isLikelyNoise(3_000)]).toEqual([false, true]);
  expect(speech.shouldPauseAgent('')).toBe(true);
  speech.markAsNoise();
  expect(speech.shouldPauseAgent('')).toBe(false);
  windows(0, 10);
  expect([speech.isLikelyNoise(nowMs), speech.longestUnbrokenMs]).toEqual([false, 320]);
  windows(0.9, 8);
  expect([speech.shouldPauseAgent(''), speech.longestUnbrokenMs]).toEqual([true, 256]);
});
