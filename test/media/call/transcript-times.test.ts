import { expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

/** When each line of the transcript was said, and the mean latency of the call's replies. */

const START_MS = Date.UTC(2026, 0, 5, 6, 30);

test('a caller’s line has the time at which the speech ended, an agent’s the time of its first frame', async () => {
  const harness = createHarness({ welcome: 'Welcome to the Lotus Garden.' });
  harness.conversation.start();
  await harness.clock.advance(5_000);
  const speechEndMs = harness.clock.now() + 1_200;
  harness.say('a table for two', 1_200);
  await harness.clock.advance(8_000);
  const lines = harness.emitted.flatMap(({ transcript }) => transcript ?? []);
  expect(lines.map(({ role, text }) => `${role}: ${text}`)).toEqual([
    'agent: Welcome to the Lotus Garden.',
    'user: a table for two',
    'agent: Yes of course.',
  ]);
  const atMs = lines.map((line) => line.at_ms - START_MS);
  const firstAudio = harness.emitted.filter(({ type }) => type === 'tts.first_audio').map((event) => event.atMs);
  expect([atMs[0], atMs[2]]).toEqual(firstAudio);
  // Voice activity is known in windows of 32 ms.
  expect(Math.abs(atMs[1]! - speechEndMs)).toBeLessThanOrEqual(32);
});

test('a reply that is interrupted has the time at which it began', async () => {
  const harness = createHarness({ answer: () => 'We have a table at seven, and another one at half past eight.' });
  harness.say('a table for two', 1_000);
  await harness.clock.advance(3_000);
  harness.say('no, later please', 1_200);
  await harness.clock.advance(6_000);
  const [first] = harness.emitted.flatMap(({ transcript }) => transcript ?? []).filter(({ role }) => role === 'agent');
  const began = harness.emitted.find(({ type }) => type === 'tts.first_audio')!;
  expect(first).toMatchObject({ interrupted: true, at_ms: START_MS + began.atMs });
});

test('the mean latency is that of the answers: neither the welcome counts, nor a reply without audio', async () => {
  const harness = createHarness({ welcome: 'Welcome.' });
  expect(harness.conversation.averageFirstAudioMs()).toBeNull();
  harness.conversation.start();
  await harness.clock.advance(4_000);
  expect(harness.conversation.averageFirstAudioMs()).toBeNull();
  for (const words of ['a table', 'for two', 'at eight']) {
    harness.say(words, 1_000);
    await harness.clock.advance(6_000);
  }
  // The caller leaves before the last answer has a sound.
  harness.say('thank you', 1_000);
  await harness.clock.advance(1_300);
  const latencies = harness.emitted
    .filter(({ type, data }) => type === 'tts.first_audio' && !data?.welcome)
    .map(({ latency_ms }) => latency_ms!);
  expect(latencies).toHaveLength(3);
  const mean = latencies.reduce((sum, ms) => sum + ms, 0) / 3;
  expect(harness.conversation.averageFirstAudioMs()).toBe(Math.round(mean));
});
