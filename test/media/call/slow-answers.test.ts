import { describe, expect, test } from 'vitest';
import { createHarness, type HarnessOptions } from '../../support/harness.ts';

const TOOL = { name: 'find_table', description: 'Finds a free table.', url: 'https://api.example.com/tables' };
const CALL = { filler_after_ms: 1_000, filler_phrases: ['Hold on.', 'Nearly there.'] };
const slowModel = (firstTokenMs: number, more: HarnessOptions = {}) =>
  createHarness({ call: CALL, firstTokenMs, answer: () => 'We have a table for two.', ...more });

/** The model calls the tool, and then says what it found. */
const slowTool = (afterMs: number, tool: object = {}, more: HarnessOptions = {}) =>
  createHarness({
    ...{ call: CALL, tools: [{ ...TOOL, ...tool }], toolAnswer: { afterMs } },
    answer: ({ messages }) =>
      messages.at(-1)?.role === 'tool' ? 'There is one.' : { tool: 'find_table', toolArguments: '{}' },
    ...more,
  });

describe('while the model is slow', () => {
  test('the agent says a phrase, which is in the transcript and not in the history', async () => {
    const harness = slowModel(3_000);
    harness.say('a table please', 800);
    await harness.clock.advance(9_000);
    expect(harness.transcript().at(-1)).toBe('agent: Hold on. We have a table for two.');
    harness.say('thank you very much', 800);
    await harness.clock.advance(1_200);
    expect(harness.requests.at(-1)!.messages.find(({ role }) => role === 'assistant')).toMatchObject({
      content: 'We have a table for two.',
    });
  });

  test('its first audio is marked as such', async () => {
    const harness = slowModel(3_000);
    harness.say('a table please', 800);
    await harness.clock.advance(9_000);
    expect(harness.emitted.find(({ type }) => type === 'tts.first_audio')!.data).toMatchObject({ filler: true });
  });

  test('the next phrase is another one', async () => {
    const harness = slowModel(3_000);
    for (const words of ['a table please', 'for two of us']) {
      harness.say(words, 800);
      await harness.clock.advance(9_000);
    }
    expect(harness.transcript().at(-1)).toBe('agent: Nearly there. We have a table for two.');
  });

  test('one phrase is said, however long it takes', async () => {
    const harness = slowModel(5_500);
    harness.say('a table please', 800);
    await harness.clock.advance(12_000);
    expect(harness.transcript().at(-1)).toBe('agent: Hold on. We have a table for two.');
  });

  test.each([
    ['a model in time', { firstTokenMs: 500 }, CALL],
    ['an agent without it', { firstTokenMs: 3_000 }, {}],
  ])('nothing is said by %s', async (_, more, call) => {
    const harness = slowModel(more.firstTokenMs, { call });
    harness.say('a table please', 800);
    await harness.clock.advance(9_000);
    expect(harness.transcript().at(-1)).toBe('agent: We have a table for two.');
  });

  test('the phrases are those of the language', async () => {
    const harness = slowModel(3_000, { language: 'de', call: { filler_after_ms: 1_000 } });
    harness.say('einen Tisch bitte', 800);
    await harness.clock.advance(9_000);
    expect(harness.transcript().at(-1)).toMatch(/^agent: Einen Moment, bitte\./);
  });

  test('a model that then fails for good ends the call as one without a phrase does', async () => {
    const harness = slowModel(3_000, { answer: () => ({ fail: 'wrong key', failKind: 'auth' }) });
    harness.say('a table please', 800);
    await harness.clock.advance(9_000);
    expect(harness.ends).toMatchObject([{ hangup_reason: 'error: llm' }]);
  });

  test('nothing is said over a caller who speaks again', async () => {
    const harness = slowModel(3_000);
    harness.say('a table please', 800);
    await harness.clock.advance(1_500);
    harness.say('for two of us on Sunday evening', 4_000);
    await harness.clock.advance(4_000);
    expect(JSON.stringify(harness.spoken)).not.toContain('Hold on.');
  });
});

describe('while a tool is slow', () => {
  test('the agent says a phrase, and the model gets its own words only', async () => {
    const harness = slowTool(4_000);
    harness.say('a table please', 800);
    await harness.clock.advance(9_000);
    expect(harness.transcript().at(-1)).toBe('agent: Hold on. There is one.');
    const called = harness.requests.at(-1)!.messages.find((message) => 'tool_calls' in message);
    expect(called).toMatchObject({ content: '' });
  });

  test('a phrase follows what the tool has said only once that was played out', async () => {
    const harness = slowTool(8_000, { pre_call_message: 'I am looking for a table by the window.' });
    harness.say('a table please', 800);
    await harness.clock.advance(14_000);
    const last = harness.transcript().at(-1);
    expect(last).toBe('agent: I am looking for a table by the window. Hold on. There is one.');
  });

  test('an interrupted phrase leaves in the transcript what was played out, and nothing in the history', async () => {
    const call = { ...CALL, interruption_min_words: 1, filler_phrases: ['Please wait while I look it up for you.'] };
    const harness = slowTool(9_000, {}, { call });
    harness.say('a table please', 800);
    await harness.clock.advance(2_800);
    harness.say('stop stop stop', 900);
    await harness.clock.advance(12_000);
    const line = harness.transcript().find((text) => text.startsWith('agent: Please'));
    expect(line).toMatch(/^agent: Please( \w+){0,6} —$/);
    const { messages } = harness.requests.at(-1)!;
    expect(JSON.stringify(messages)).not.toContain('Please wait');
  });
});

describe('the results of a tool', () => {
  const BODY = '{"order":{"id":"A7","items":[{"price":5}]},"secret":1}';
  const withResults = (results: object, more: HarnessOptions = {}) =>
    slowTool(200, { results }, { call: {}, toolAnswer: { afterMs: 200, body: BODY }, ...more });

  test('give the model the part at a path', async () => {
    const harness = withResults({ path: 'order.items' });
    harness.say('my order', 800);
    await harness.clock.advance(6_000);
    expect(harness.requests.at(-1)!.messages.at(-1)).toMatchObject({ role: 'tool', content: '[{"price":5}]' });
  });

  test('give variables their values, for the prompt and on the timeline', async () => {
    const harness = withResults(
      { variables: { order_id: 'order.id', none: 'order.none' } },
      { prompt: 'Order {order_id}' },
    );
    harness.say('my order', 800);
    await harness.clock.advance(6_000);
    const result = harness.emitted.find(({ type }) => type === 'tool.result')!;
    expect(result.data).toMatchObject({ variables: { order_id: 'A7' } });
    harness.say('thank you very much', 800);
    await harness.clock.advance(2_000);
    expect(harness.requests.at(-1)!.messages[0]!.content).toContain('Order A7');
  });

  test('are said without asking the model again, and are in the history as its words', async () => {
    const message = 'It costs {price} dollars.';
    const harness = withResults({ variables: { price: 'order.items[0].price' }, message });
    harness.say('my order', 800);
    await harness.clock.advance(6_000);
    expect(harness.transcript().at(-1)).toBe('agent: It costs 5 dollars.');
    expect(harness.requests).toHaveLength(1);
    harness.say('thank you very much', 800);
    await harness.clock.advance(2_000);
    const last = harness.requests
      .at(-1)!
      .messages.filter(({ role }) => role === 'assistant')
      .at(-1);
    expect(last).toMatchObject({ content: 'It costs 5 dollars.' });
  });

  test('of a tool that failed are said by the model', async () => {
    const toolAnswer = { afterMs: 200, status: 500, body: BODY };
    const harness = withResults({ message: 'Done.', variables: { order_id: 'order.id' } }, { toolAnswer });
    harness.say('my order', 800);
    await harness.clock.advance(6_000);
    expect(harness.transcript().at(-1)).toBe('agent: There is one.');
    expect(harness.emitted.find(({ type }) => type === 'tool.result')!.data).not.toHaveProperty('variables');
  });
});

test('a pronunciation is what is spoken, the word what was said', async () => {
  const pronunciations = [{ word: 'Siobhan', say: 'shivawn' }];
  const harness = createHarness({ pronunciations, answer: () => 'I am Siobhan, hello.' });
  harness.say('who are you', 800);
  await harness.clock.advance(6_000);
  expect(JSON.stringify(harness.spoken)).toContain('shivawn');
  expect(harness.transcript().at(-1)).toBe('agent: I am Siobhan, hello.');
});
