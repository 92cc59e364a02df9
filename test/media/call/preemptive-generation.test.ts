import { expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

/** A caller whose turn has an eager end at 1.1 s and ends at 1.4 s, with these words. */
async function generatedPreemptively(eager: string, last: string, options: Parameters<typeof createHarness>[0] = {}) {
  const harness = createHarness({ answer: () => 'Yes of course.', ...options });
  const emit = (type: 'turn_started' | 'turn_eager_end' | 'turn_resumed' | 'turn_ended', text: string) =>
    harness.conversation.onTranscriberEvent({ type, turn: 0, text });
  harness.speak(1000);
  await harness.clock.advance(200);
  emit('turn_started', 'a');
  await harness.clock.advance(900);
  emit('turn_eager_end', eager);
  await harness.clock.advance(300);
  return { harness, emit, end: () => emit('turn_ended', last) };
}

test('the model is asked on the eager end, and nothing is played before the turn ends', async () => {
  const { harness } = await generatedPreemptively('a table please', 'a table please', {
    firstTokenMs: 50,
    firstAudioMs: 50,
  });
  await harness.clock.advance(2000);
  expect(harness.requests).toHaveLength(1);
  expect(harness.playedFrames).toEqual([]);
  expect(harness.emitted).toEqual([]);
});

test('with the same words apart from case and punctuation, the preemptive reply is played at once', async () => {
  const { harness, end } = await generatedPreemptively('a table please', 'A table, please.', {
    firstTokenMs: 50,
    firstAudioMs: 50,
  });
  const endedMs = harness.clock.now();
  end();
  expect(harness.playedFrames[0]).toBe(endedMs);
  await harness.clock.advance(5000);
  expect(harness.requests).toHaveLength(1);
  expect(harness.types()).toEqual(['user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
  expect(harness.transcript()).toEqual(['user: A table, please.', 'agent: Yes of course.']);
});

test('with other words, the preemptive reply is dropped and the turn gets another', async () => {
  const { harness, end } = await generatedPreemptively('a table', 'a table for two');
  end();
  await harness.clock.advance(5000);
  expect(harness.requests).toHaveLength(2);
  expect(harness.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: 'a table for two' });
  expect(harness.transcript()).toEqual(['user: a table for two', 'agent: Yes of course.']);
});

test('a caller who continues ends the preemptive reply', async () => {
  const { harness, emit, end } = await generatedPreemptively('a table', 'a table for two');
  emit('turn_resumed', 'a table for');
  await harness.clock.advance(3000);
  expect(harness.emitted).toEqual([]);
  end();
  await harness.clock.advance(5000);
  expect(harness.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
});

test('no tool runs in a preemptive reply', async () => {
  const { harness, end } = await generatedPreemptively('goodbye', 'goodbye', {
    answer: () => ({ text: 'Goodbye.', tool: 'end_call' }),
    firstTokenMs: 20,
  });
  expect(harness.types()).not.toContain('tool.call');
  end();
  await harness.clock.advance(4000);
  expect(harness.types()).toEqual(['user.turn', 'llm.first_token', 'tool.call', 'tts.first_audio', 'agent.reply']);
  expect(harness.ends).toHaveLength(1);
});

test('a preemptive reply that failed is retried when the turn ends', async () => {
  let asked = 0;
  const { harness, end } = await generatedPreemptively('a table', 'a table', {
    answer: () => (asked++ === 0 ? { fail: 'broken' } : 'Yes of course.'),
  });
  expect(harness.emitted).toEqual([]);
  end();
  await harness.clock.advance(5000);
  expect(harness.transcript()).toEqual(['user: a table', 'agent: Yes of course.']);
});

test('preemptive replies per turn are limited, and a long speech gets none', async () => {
  const { harness, emit } = await generatedPreemptively('one', 'one');
  for (const text of ['one two', 'one two three', 'one two three four', 'one two three four five']) {
    emit('turn_resumed', text);
    emit('turn_eager_end', text);
    await harness.clock.advance(20);
  }
  expect(harness.requests).toHaveLength(3);
  const long = createHarness();
  long.speak(12_000);
  await long.clock.advance(11_500);
  long.conversation.onTranscriberEvent({ type: 'turn_eager_end', turn: 0, text: 'a long story' });
  await long.clock.advance(500);
  expect(long.requests).toHaveLength(0);
});
