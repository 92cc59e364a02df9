import { describe, expect, test } from 'vitest';
import type { SafeFetch } from '../../../shared/safe-fetch.ts';
import { createHarness } from '../../support/harness.ts';

const TOOL = {
  name: 'find_table',
  description: 'Finds a free table.',
  url: 'https://api.example.com/tables',
  pre_call_message: 'One moment please.',
  parameters: { type: 'object', properties: { people: { type: 'integer' } } },
};

/** An agent with a tool that answers after `toolMs`; the model asks for it once, and then says what it found. */
function withTool({ toolMs = 1_000, status = 200, pre = 'One moment please.' } = {}) {
  const fetched: string[] = [];
  const holder: { stage?: ReturnType<typeof createHarness> } = {};
  const safeFetch: SafeFetch = async (url) => {
    fetched.push(url);
    await new Promise<void>((resolve) => holder.stage!.clock.after(toolMs, resolve));
    const body = '{"free":true}';
    return { status, headers: { 'content-type': 'application/json' }, body, bytes: body.length, truncated: false };
  };
  const stage = createHarness({
    tools: [{ ...TOOL, pre_call_message: pre }],
    safeFetch,
    answer: (request) =>
      request.messages.some((message) => message.role === 'tool')
        ? 'There is a free table for you.'
        : { tool: 'find_table', toolArguments: '{"people":2}' },
  });
  holder.stage = stage;
  return { stage, fetched };
}

describe('a tool', () => {
  test('is announced, run, told and answered from', async () => {
    const { stage, fetched } = withTool();
    stage.say('a table for two', 1_000);
    await stage.clock.advance(9_000);
    expect(fetched).toHaveLength(1);
    expect(stage.types()).toEqual([
      'user.turn',
      'llm.first_token',
      'tool.call',
      'tts.first_audio',
      'tool.result',
      'agent.reply',
    ]);
    expect(stage.told.find((event) => event.type === 'tool.call')!.data).toEqual({
      name: 'find_table',
      args: { people: 2 },
      url: TOOL.url,
    });
    expect(stage.told.find((event) => event.type === 'tool.result')).toMatchObject({
      level: 'info',
      data: { name: 'find_table', status: 200, result: '{"free":true}' },
    });
    expect(stage.transcript().at(-1)).toBe('agent: One moment please. There is a free table for you.');
  });

  test('is known to the model in later turns, once', async () => {
    const { stage } = withTool();
    stage.say('a table for two', 1_000);
    await stage.clock.advance(9_000);
    stage.say('thank you', 600);
    await stage.clock.advance(4_000);
    const { messages } = stage.requests.at(-1)!;
    expect(messages.filter((message) => message.role === 'tool')).toHaveLength(1);
  });

  test('that fails is a warning, and words for the model', async () => {
    const { stage } = withTool({ status: 503 });
    stage.say('a table for two', 1_000);
    await stage.clock.advance(9_000);
    expect(stage.told.find((event) => event.type === 'tool.result')).toMatchObject({
      level: 'warning',
      data: { status: 503 },
    });
    expect(stage.transcript().at(-1)).toContain('There is a free table for you.');
  });

  test('runs once although the caller talks over what is said meanwhile, and its result is not lost', async () => {
    const { stage, fetched } = withTool({ toolMs: 4_000 });
    stage.say('a table for two', 1_000);
    await stage.clock.advance(2_000);
    stage.say('wait make it three', 900);
    await stage.clock.advance(12_000);
    expect(fetched).toHaveLength(1);
    expect(stage.types()).toContain('interrupted');
    const { messages } = stage.requests.at(-1)!;
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'wait make it three' });
    expect(messages.filter((message) => message.role === 'tool')).toHaveLength(1);
    expect(stage.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
  });

  test('what is said while it runs silently waits for it, and is answered together', async () => {
    const { stage, fetched } = withTool({ toolMs: 3_000, pre: '' });
    stage.say('a table for two', 1_000);
    await stage.clock.advance(2_000);
    stage.say('by the window please', 900);
    await stage.clock.advance(10_000);
    expect(fetched).toHaveLength(1);
    expect(stage.requests.at(-1)!.messages.at(-1)).toEqual({ role: 'user', content: 'by the window please' });
    expect(stage.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
  });

  test('that takes long is no silence of the caller', async () => {
    const { stage } = withTool({ toolMs: 7_000, pre: '' });
    stage.say('a table for two', 1_000);
    await stage.clock.advance(8_500);
    expect(stage.types()).not.toContain('user.online_check');
    expect(stage.ends).toEqual([]);
  });
});
