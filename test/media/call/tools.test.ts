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

/** An agent with a tool that responds after `toolMs`; the model calls it once and then says what it found. */
function withTool({ toolMs = 1_000, status = 200, pre = 'One moment please.' } = {}) {
  const fetched: string[] = [];
  const holder: { harness?: ReturnType<typeof createHarness> } = {};
  const safeFetch: SafeFetch = async (url) => {
    fetched.push(url);
    await new Promise<void>((resolve) => holder.harness!.clock.after(toolMs, resolve));
    const body = '{"free":true}';
    return { status, headers: { 'content-type': 'application/json' }, body, bytes: body.length, truncated: false };
  };
  const harness = createHarness({
    tools: [{ ...TOOL, pre_call_message: pre }],
    safeFetch,
    answer: (request) =>
      request.messages.some((message) => message.role === 'tool')
        ? 'There is a free table for you.'
        : { tool: 'find_table', toolArguments: '{"people":2}' },
  });
  holder.harness = harness;
  return { harness, fetched };
}

describe('a tool', () => {
  test('is announced, run and reported, and its result is used in the reply', async () => {
    const { harness, fetched } = withTool();
    harness.say('a table for two', 1_000);
    await harness.clock.advance(9_000);
    expect(fetched).toHaveLength(1);
    expect(harness.types()).toEqual([
      'user.turn',
      'llm.first_token',
      'tool.call',
      'tts.first_audio',
      'tool.result',
      'agent.reply',
    ]);
    expect(harness.emitted.find((event) => event.type === 'tool.call')!.data).toEqual({
      name: 'find_table',
      args: { people: 2 },
      url: TOOL.url,
    });
    expect(harness.emitted.find((event) => event.type === 'tool.result')).toMatchObject({
      level: 'info',
      data: { name: 'find_table', status: 200, result: '{"free":true}' },
    });
    expect(harness.transcript().at(-1)).toBe('agent: One moment please. There is a free table for you.');
  });

  test('is in the history of later turns, once', async () => {
    const { harness } = withTool();
    harness.say('a table for two', 1_000);
    await harness.clock.advance(9_000);
    harness.say('thank you', 600);
    await harness.clock.advance(4_000);
    const { messages } = harness.requests.at(-1)!;
    expect(messages.filter((message) => message.role === 'tool')).toHaveLength(1);
  });

  test('that fails is a warning in the timeline and a text for the model', async () => {
    const { harness } = withTool({ status: 503 });
    harness.say('a table for two', 1_000);
    await harness.clock.advance(9_000);
    expect(harness.emitted.find((event) => event.type === 'tool.result')).toMatchObject({
      level: 'warning',
      data: { status: 503 },
    });
    expect(harness.transcript().at(-1)).toContain('There is a free table for you.');
  });

  test('runs once although the caller interrupts meanwhile, and its result is in the history', async () => {
    const { harness, fetched } = withTool({ toolMs: 4_000 });
    harness.say('a table for two', 1_000);
    await harness.clock.advance(2_000);
    harness.say('wait make it three', 900);
    await harness.clock.advance(12_000);
    expect(fetched).toHaveLength(1);
    expect(harness.types()).toContain('interrupted');
    const { messages } = harness.requests.at(-1)!;
    expect(messages.at(-1)).toEqual({ role: 'user', content: 'wait make it three' });
    expect(messages.filter((message) => message.role === 'tool')).toHaveLength(1);
    expect(harness.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
  });

  test('delays the reply to what is said while it runs, which gets one reply with its result', async () => {
    const { harness, fetched } = withTool({ toolMs: 3_000, pre: '' });
    harness.say('a table for two', 1_000);
    await harness.clock.advance(2_000);
    harness.say('by the window please', 900);
    await harness.clock.advance(10_000);
    expect(fetched).toHaveLength(1);
    expect(harness.requests.at(-1)!.messages.at(-1)).toEqual({ role: 'user', content: 'by the window please' });
    expect(harness.types().filter((type) => type === 'agent.reply')).toHaveLength(1);
  });

  test("that takes long does not count as the caller's silence", async () => {
    const { harness } = withTool({ toolMs: 7_000, pre: '' });
    harness.say('a table for two', 1_000);
    await harness.clock.advance(8_500);
    expect(harness.types()).not.toContain('user.online_check');
    expect(harness.ends).toEqual([]);
  });
});

describe('tools of a server', () => {
  test('are offered once they are listed, and run as others do', async () => {
    const definition = { name: 'find_order', description: 'Finds an order.', parameters: { type: 'object' } };
    const called: string[] = [];
    let listed = false;
    const harness = createHarness({
      remoteTools: {
        definitions: () => (listed ? [definition] : []),
        find: (name) => (name === 'find_order' ? { parameters: {}, url: 'https://mcp.example.com/' } : undefined),
        async call(name, args) {
          called.push(`${name} ${args}`);
          return { status: 200, latency_ms: 40, result: 'sent yesterday', error: null };
        },
        close() {},
      },
      answer: ({ messages, tools }) => {
        if (messages.at(-1)?.role === 'tool') return 'It was sent yesterday.';
        const isOffered = tools.some(({ name }) => name === 'find_order');
        return isOffered ? { tool: 'find_order', toolArguments: '{"id":7}' } : 'Which order is it?';
      },
    });
    harness.say('where is my order', 1_000);
    await harness.clock.advance(6_000);
    expect(harness.transcript().at(-1)).toBe('agent: Which order is it?');
    listed = true;
    harness.say('number seven please', 1_000);
    await harness.clock.advance(6_000);
    expect(harness.transcript().at(-1)).toBe('agent: It was sent yesterday.');
    expect(called).toEqual(['find_order {"id":7}']);
    expect(harness.emitted.find(({ type }) => type === 'tool.result')!.data).toMatchObject({
      name: 'find_order',
      status: 200,
    });
  });
});
