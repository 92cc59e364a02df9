import { describe, expect } from 'vitest';
import { MAX_STALL_WAIT_MS } from '../../media/turn/audio-clock.ts';
import type { Harness } from '../support/harness.ts';
import { agentSpeaking, scenario } from '../support/scenario.ts';

/** The network delivers nothing of the caller for a while and then all of it at once: that is not the caller's silence. */

const STALLS_MS = [300, 500, 1_000];
const LONG =
  'Let me read that back to you, a table for two people tomorrow evening at seven under your name, by the window.';

const turnMs = (harness: Harness, nth = 1) =>
  harness.emitted.filter(({ type }) => type === 'user.turn')[nth - 1]?.atMs ?? Number.NaN;

describe('a transcriber that only transcribes', () => {
  const words = { transcriber: 'words' as const, endpointing: 900 };

  for (const forMs of STALLS_MS) {
    scenario(`a stall of ${forMs} ms that begins in a pause does not split the sentence`, words, (s) => {
      s.caller('book a table', { at: 500, for: 1_000, transcriptAfter: 300 });
      s.caller('for two people', { at: 2_200, for: 1_000, transcriptAfter: 300 });
      s.stall({ at: 2_150, for: forMs });
      s.expect.transcript(['user: book a table for two people', 'agent: Yes of course.']);
      s.expect.requests(1);
    });

    scenario(`a stall of ${forMs} ms after the sentence does not delay the answer by more`, words, (s) => {
      s.caller('book a table for two', { at: 500, for: 1_000, transcriptAfter: 200 });
      s.stall({ at: 1_750, for: forMs });
      s.expect.transcript(['user: book a table for two', 'agent: Yes of course.']);
      s.expect.that('the answer', (harness) => expect(turnMs(harness)).toBeLessThanOrEqual(1_750 + forMs + 700));
    });
  }

  scenario('a pause inside the burst ends no turn, and a silence inside it does', words, (s) => {
    s.caller('book a table', { at: 500, for: 500, noInterims: true, transcriptAfter: 100 });
    s.caller('for two people', { at: 1_500, for: 500, noInterims: true, transcriptAfter: 100 });
    s.stall({ at: 1_000, for: 1_000 });
    s.caller('no for three', { at: 4_000, for: 800, transcriptAfter: 100 });
    s.stall({ at: 4_900, for: 1_000 });
    s.expect.that('two turns', (harness) => {
      expect(harness.transcript().filter((line) => line.startsWith('user: '))).toEqual([
        'user: book a table for two people',
        'user: no for three',
      ]);
      expect(turnMs(harness, 2)).toBeLessThanOrEqual(6_060);
    });
  });

  scenario('audio that does not come at all is silence after the longest wait', words, (s) => {
    s.caller('book a table for two', { at: 500, for: 1_000, transcriptAfter: 200 });
    s.stall({ at: 1_750, for: 8_000 });
    s.expect.that('the answer', (harness) => {
      expect(turnMs(harness)).toBeGreaterThan(1_500 + 900);
      expect(turnMs(harness)).toBeLessThanOrEqual(1_500 + 1.5 * 900 + MAX_STALL_WAIT_MS);
    });
  });
});

describe('a transcriber that detects turns', () => {
  for (const forMs of STALLS_MS) {
    scenario(`a dictated number is not split by a stall of ${forMs} ms in its pause`, {}, (s) => {
      s.caller('my number is nine eight seven', { at: 500, for: 1_500 });
      s.caller('six five four three two one zero', { at: 3_000, for: 1_500 });
      s.stall({ at: 2_900, for: forMs });
      s.expect.requests(1);
      s.expect.transcript([
        'user: my number is nine eight seven six five four three two one zero',
        'agent: Yes of course.',
      ]);
    });
  }

  scenario(
    'a number that is never finished is answered, with the longest wait, when nothing comes any more',
    {},
    (s) => {
      s.caller('my number is nine eight seven', { at: 500, for: 1_500 });
      s.stall({ at: 2_300, for: 10_000 });
      s.expect.that('the answer', (harness) => {
        expect(turnMs(harness)).toBeGreaterThan(3_200);
        expect(turnMs(harness)).toBeLessThanOrEqual(3_300 + MAX_STALL_WAIT_MS);
      });
    },
  );
});

describe('while the agent speaks', () => {
  for (const forMs of STALLS_MS) {
    scenario(`a short sound and a stall of ${forMs} ms do not pause it`, {}, (s) => {
      s.caller('book a table', { at: 500, for: 1_000 });
      s.model(LONG);
      s.noise({ at: agentSpeaking(1, 1_500), for: 120 });
      s.stall({ at: agentSpeaking(1, 1_600), for: forMs });
      s.expect.neverCleared();
      s.expect.count('interrupted', 0);
    });

    scenario(`a caller who interrupts is heard after a stall of ${forMs} ms`, {}, (s) => {
      s.caller('book a table', { at: 500, for: 1_000 });
      s.model(LONG);
      const but = s.caller('but make it eight', { at: agentSpeaking(1, 1_500), for: 1_200 });
      s.stall({ at: agentSpeaking(1, 1_600), for: forMs });
      s.expect.silentBy(but, 100 + forMs + 340, 200);
      s.expect.count('interrupted', 1);
    });
  }
});

describe('who is silent', () => {
  scenario(
    'the count of silence waits during a stall and loses nothing by it',
    { call: { hangup_after_silence_seconds: 7 } },
    (s) => {
      s.caller('book a table', { at: 500, for: 1_000 });
      s.stall({ at: 6_000, for: 1_000 });
      s.stall({ at: 8_000, for: 1_000 });
      s.expect.that('hung up after seven seconds of silence', (harness) => {
        const [said] = harness.emitted.filter(({ type }) => type === 'agent.reply');
        expect(harness.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'caller silent' }]);
        expect(said!.atMs).toBeLessThan(6_000);
      });
    },
  );
});
