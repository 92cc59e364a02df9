import { expect, test } from 'vitest';
import { createHarness } from '../../support/harness.ts';

/** A caller whose turn is told to be probably over at 1.1 s, and over at 1.4 s with these words. */
async function drafted(eager: string, last: string, options: Parameters<typeof createHarness>[0] = {}) {
  const stage = createHarness({ answer: () => 'Yes of course.', ...options });
  const tell = (type: 'turn_started' | 'turn_eager_end' | 'turn_resumed' | 'turn_ended', text: string) =>
    stage.conversation.onTranscriberEvent({ type, turn: 0, text });
  stage.voice(1000);
  await stage.clock.advance(200);
  tell('turn_started', 'a');
  await stage.clock.advance(900);
  tell('turn_eager_end', eager);
  await stage.clock.advance(300);
  return { stage, tell, end: () => tell('turn_ended', last) };
}

test('the model is asked on the eager end, and nothing leaves before the turn is over', async () => {
  const { stage } = await drafted('a table please', 'a table please', { firstTokenMs: 50, firstAudioMs: 50 });
  await stage.clock.advance(2000);
  expect(stage.requests).toHaveLength(1);
  expect(stage.heardFrames).toEqual([]);
  expect(stage.told).toEqual([]);
});

test('the same words but for case and punctuation: the draft is the reply, and sounds at once', async () => {
  const { stage, end } = await drafted('a table please', 'A table, please.', { firstTokenMs: 50, firstAudioMs: 50 });
  const endedMs = stage.clock.now();
  end();
  expect(stage.heardFrames[0]).toBe(endedMs);
  await stage.clock.advance(5000);
  expect(stage.requests).toHaveLength(1);
  expect(stage.types()).toEqual(['user.turn', 'llm.first_token', 'tts.first_audio', 'agent.reply']);
  expect(stage.transcript()).toEqual(['user: A table, please.', 'agent: Yes of course.']);
});

test('other words: the draft is thrown away and the turn answered as it was', async () => {
  const { stage, end } = await drafted('a table', 'a table for two');
  end();
  await stage.clock.advance(5000);
  expect(stage.requests).toHaveLength(2);
  expect(stage.requests[1]!.messages.at(-1)).toEqual({ role: 'user', content: 'a table for two' });
  expect(stage.transcript()).toEqual(['user: a table for two', 'agent: Yes of course.']);
});

test('a caller who goes on ends the draft', async () => {
  const { stage, tell, end } = await drafted('a table', 'a table for two');
  tell('turn_resumed', 'a table for');
  await stage.clock.advance(3000);
  expect(stage.told).toEqual([]);
  end();
  await stage.clock.advance(5000);
  expect(stage.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
});

test('no tool runs on a draft', async () => {
  const { stage, end } = await drafted('goodbye', 'goodbye', {
    answer: () => ({ text: 'Goodbye.', tool: 'end_call' }),
    firstTokenMs: 20,
  });
  expect(stage.types()).not.toContain('tool.call');
  end();
  await stage.clock.advance(4000);
  expect(stage.types()).toEqual(['user.turn', 'llm.first_token', 'tool.call', 'tts.first_audio', 'agent.reply']);
  expect(stage.ends).toHaveLength(1);
});

test('a draft that failed is tried again when the turn is over', async () => {
  let asked = 0;
  const { stage, end } = await drafted('a table', 'a table', {
    answer: () => (asked++ === 0 ? { fail: 'broken' } : 'Yes of course.'),
  });
  expect(stage.told).toEqual([]);
  end();
  await stage.clock.advance(5000);
  expect(stage.transcript()).toEqual(['user: a table', 'agent: Yes of course.']);
});

test('a turn has only so many drafts, and a long speech none', async () => {
  const { stage, tell } = await drafted('one', 'one');
  for (const text of ['one two', 'one two three', 'one two three four', 'one two three four five']) {
    tell('turn_resumed', text);
    tell('turn_eager_end', text);
    await stage.clock.advance(20);
  }
  expect(stage.requests).toHaveLength(3);
  const long = createHarness();
  long.voice(12_000);
  await long.clock.advance(11_500);
  long.conversation.onTranscriberEvent({ type: 'turn_eager_end', turn: 0, text: 'a long story' });
  await long.clock.advance(500);
  expect(long.requests).toHaveLength(0);
});
