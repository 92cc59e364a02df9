import { expect, test } from 'vitest';
import { createLiveTranscript } from '../../../media/call/live-transcript.ts';
import type { LiveTranscriptLine } from '../../../media/leg/leg.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function open() {
  const lines: string[] = [];
  const state = { playedOut: '' };
  const transcript = createLiveTranscript({
    leg: {
      transcript: ({ role, text, final }: LiveTranscriptLine) => void lines.push(`${role}${final ? '.' : ''} ${text}`),
    },
    clock: createVirtualClock(),
    agentPlayedOut: () => state.playedOut,
  })!;
  return { lines, state, transcript };
}
const line = (role: 'user' | 'agent', text: string) => ({ role, text, at_ms: 0, interrupted: false });

test('a leg without a transcript gets none', () => {
  expect(createLiveTranscript({ leg: {}, clock: createVirtualClock(), agentPlayedOut: () => '' })).toBeNull();
});

test("the caller's words are sent when they change, and again after they were final", () => {
  const { lines, transcript } = open();
  for (const text of ['', 'a', 'a', 'a table']) transcript.onCallerPartial(text);
  transcript.onLine(line('user', 'a table'));
  transcript.onCallerPartial('a table');
  expect(lines).toEqual(['user a', 'user a table', 'user. a table', 'user a table']);
});

test("the agent's words are sent every 200 ms when they change, and again after they were final", () => {
  const { lines, state, transcript } = open();
  transcript.tick(0);
  for (const [atMs, playedOut] of [
    [200, 'For'],
    [380, 'For how'],
    [399, 'For how many'],
    [400, 'For how many people'],
    [600, 'For how many people'],
    [800, ''],
  ] as const) {
    state.playedOut = playedOut;
    transcript.tick(atMs);
  }
  transcript.onLine(line('agent', 'For how many people'));
  state.playedOut = 'For how many people';
  transcript.tick(1_000);
  expect(lines).toEqual([
    'agent For',
    'agent For how many people',
    'agent. For how many people',
    'agent For how many people',
  ]);
});
