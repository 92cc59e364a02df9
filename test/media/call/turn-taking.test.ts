import { expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

/** What a conversation counts of how caller and agent took their turns. */

const LONG = 'We have a table at seven, and another one at half past eight, by the window if you like.';

test('words that interrupt the agent are talked over it for a moment', async () => {
  const harness = createHarness({ answer: () => LONG });
  harness.say('a table for two', 1_000);
  await harness.clock.advance(3_000);
  harness.say('no, later please', 1_200);
  await harness.clock.advance(3_000);
  const { talk_over_ms, ...counts } = harness.conversation.turnTaking;
  expect(talk_over_ms).toBeGreaterThan(0);
  expect(talk_over_ms).toBeLessThan(1_200);
  expect(counts).toEqual({ missed_interruptions: 0, false_interruptions: 0, long_silences: 0 });
});

test('words over a reply that cannot be interrupted are no missed interruption', async () => {
  const harness = createHarness({ answer: () => LONG, call: { allow_interruptions: false } });
  harness.say('a table for two', 1_000);
  await harness.clock.advance(3_000);
  harness.say('no, later please, at half past nine', 2_500);
  await harness.clock.advance(2_600);
  const { talk_over_ms, missed_interruptions } = harness.conversation.turnTaking;
  expect(talk_over_ms).toBeGreaterThan(2_000);
  expect(missed_interruptions).toBe(0);
});

test('a caller who says nothing after the welcome leaves a long silence', async () => {
  const harness = createHarness({ welcome: 'Welcome.' });
  harness.conversation.start();
  await harness.clock.advance(9_000);
  expect(harness.conversation.turnTaking).toMatchObject({ talk_over_ms: 0, long_silences: 1 });
});

test('a voice without words that stops the agent for a moment is a false interruption', async () => {
  const harness = createHarness({ answer: () => LONG });
  harness.say('a table for two', 1_000);
  await harness.clock.advance(3_000);
  const startMs = harness.clock.now();
  harness.speech.push({ startMs, endMs: startMs + 600 });
  await harness.clock.advance(4_000);
  expect(harness.conversation.turnTaking).toMatchObject({ missed_interruptions: 0, false_interruptions: 1 });
});
