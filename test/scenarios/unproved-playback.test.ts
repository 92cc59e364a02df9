import { describe, expect } from 'vitest';
import { MAX_MARK_DELAY_MS, MAX_UNCONFIRMED_MS } from '../../media/playout/playback-confirmation.ts';
import type { CarrierBehaviour } from '../support/fake-carrier.ts';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, scenario } from '../support/scenario.ts';

const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';
const MS_PER_CHARACTER = 60;
/** The caller's turn ends at 1.7 s, the agent speaks from 2.07 s on. */
const STALL = { stalls: [[3_000, 6_000]] } satisfies CarrierBehaviour;

const interruptedLine = (harness: Harness) =>
  harness
    .transcript()
    .find((line) => line.endsWith('—'))
    ?.slice('agent: '.length, -2) ?? '';

const provedMs = (harness: Harness, context = 1) => harness.carrier.proved.get(context) ?? 0;

/** The history of the next request, as the model gets it. */
const historyText = (harness: Harness) =>
  harness.requests
    .at(-1)!
    .messages.filter(({ role }) => role === 'assistant')
    .map(({ content }) => content.replace(/ —$/, ''))
    .join('');

describe('a downlink that stands still for 3 s during a reply', () => {
  for (const [name, line] of Object.entries<CarrierBehaviour>({
    'marks returned on a clear': {},
    'marks dropped on a clear': { onClear: 'dropped' },
    'a round trip of 300 ms': { networkMs: 150 },
    'marks out of order, twice, and with names of others': { marks: 'unkind' },
  })) {
    scenario(`then a barge-in: no word beyond what marks prove: ${name}`, { carrier: { ...STALL, ...line } }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: 5_200, for: 700 });
      s.expect.count('interrupted', 1);
      s.expect.that('in transcript, history and usage', (harness) => {
        const kept = interruptedLine(harness);
        expect(LONG.startsWith(`${kept} `)).toBe(true);
        const words = (harness.carrier.proved.get(1) ?? 0) / MS_PER_CHARACTER;
        expect(kept.length).toBeLessThanOrEqual(words);
        expect(kept.length).toBeGreaterThan(0);
        expect(historyText(harness)).toBe(kept);
        expect(harness.usage.tts_characters).toBe(kept.length + 'Yes of course.'.length);
      });
      s.expect.lastLine('agent: Yes of course.');
      s.expect.playedOnce(2);
    });
  }

  scenario(
    'stops the sender, and goes on where it stopped, without a word lost or said twice',
    { carrier: STALL },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.expect.that('what is sent meanwhile', (harness) => {
        const during = harness.sent.filter(({ atMs }) => atMs >= 3_000 && atMs < 6_000);
        expect(during.length * 20).toBeLessThanOrEqual(MAX_UNCONFIRMED_MS);
        expect(Math.max(...during.map(({ atMs }) => atMs))).toBeLessThan(3_400);
        // Not more lies at the carrier afterwards than before.
        const after = harness.sent.filter(({ atMs }) => atMs > 6_600);
        expect(Math.max(...after.map(({ atMs, playAtMs }) => playAtMs - atMs))).toBeLessThanOrEqual(140);
      });
      s.expect.playedOnce(1);
      s.expect.lastLine(`agent: ${LONG}`);
      s.expect.count('agent.reply', 1);
    },
  );

  scenario('ends no reply that was sent whole and not played', { carrier: { stalls: [[2_000, 8_000]] } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model('Yes.');
    s.expect.that('when it was played', (harness) => {
      const [reply] = harness.emitted.filter(({ type }) => type === 'agent.reply');
      expect(reply!.atMs).toBeGreaterThanOrEqual(8_000);
    });
    s.expect.transcript(['user: book a table', 'agent: Yes.']);
  });
});

describe('a line on which nothing is wrong', () => {
  for (const [name, carrier] of Object.entries<CarrierBehaviour>({
    'a round trip of 300 ms': { networkMs: 150 },
    'a round trip of 800 ms': { networkMs: 400 },
    'marks that wait 600 ms in a jitter buffer': { markDelayMs: 600 },
    both: { networkMs: 150, markDelayMs: 500 },
    'marks out of order, twice, and with names of others': { marks: 'unkind' },
    'no mark at all': { marks: 'never' },
  })) {
    scenario(`plays a reply in one piece: ${name}`, { carrier }, (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.expect.that('without a gap', (harness) => {
        expect(harness.played).toHaveLength(1);
      });
      s.expect.playedOnce(1);
      s.expect.lastLine(`agent: ${LONG}`);
    });
  }

  scenario('keeps the words up to the pause, whatever its round trip', { carrier: { networkMs: 150 } }, (s) => {
    s.caller('book a table', { at: 500, for: 1000 });
    s.model(LONG);
    s.noise({ at: agentSpeaking(1, 2_000), for: 500 });
    s.expect.playedOnce(1);
  });
});

describe('a carrier that stops returning marks', () => {
  scenario(
    'and reads nothing more: at most 400 ms and the delay of the line are sent',
    { carrier: { networkMs: 100, stalls: [[4_000, 100_000]] } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.expect.that('beyond the last mark', (harness) => {
        const sentMs = harness.sent.filter(({ atMs }) => atMs < 4_000).length * 20;
        expect(sentMs - provedMs(harness)).toBeLessThanOrEqual(MAX_UNCONFIRMED_MS + 200 + 20);
      });
    },
  );

  scenario(
    'though it reads and plays: the clock says how far it was played',
    { carrier: { marksStopAtMs: 3_000 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: agentSpeaking(1, 5_000), for: 700 });
      s.expect.that('about 5 s', (harness) => {
        const ms = interruptedLine(harness).length * MS_PER_CHARACTER;
        expect(ms).toBeGreaterThan(3_800);
        expect(ms).toBeLessThanOrEqual(5_500);
      });
      s.expect.lastLine('agent: Yes of course.');
    },
  );
});

describe('a call that begins in a stall', () => {
  scenario(
    'sends no more than is allowed for a line that is not known',
    { carrier: { stalls: [[0, 60_000]] } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1000 });
      s.model(LONG);
      s.caller('but make it eight', { at: agentSpeaking(1, 3_000), for: 700 });
      s.expect.that('and nothing counts as played out', (harness) => {
        expect(harness.playedFrames.length * 20).toBeLessThanOrEqual(MAX_UNCONFIRMED_MS + MAX_MARK_DELAY_MS);
        expect(harness.transcript().filter((line) => line.startsWith('agent'))).toEqual([]);
      });
    },
  );
});
