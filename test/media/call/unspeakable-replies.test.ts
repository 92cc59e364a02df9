import { describe, expect, test } from 'vitest';
import type { SafeFetch } from '../../../shared/safe-fetch.ts';
import { createHarness } from '../../support/harness.ts';

/** Texts for which synthesizers return no audio, which would count as a failure. */

const SILENT = ['...', '…', '?', '👍', '—'];
const lastOf = (harness: ReturnType<typeof createHarness>) => harness.requests.at(-1)!.messages.slice(-2);

describe('a model that returns', () => {
  test.each(SILENT)('%s is asked again for words', async (text) => {
    let asked = 0;
    const harness = createHarness({ answer: () => (++asked === 1 ? text : 'Your table is booked.') });
    harness.say('book a table', 1_000);
    await harness.clock.advance(8_000);
    expect(lastOf(harness)).toMatchObject([{ role: 'assistant', content: text }, { role: 'system' }]);
    expect(harness.spoken.map((segment) => segment.text)).toEqual(['Your table is booked.']);
    expect(harness.types()).not.toContain('error');
    expect(harness.transcript()).toEqual(['user: book a table', 'agent: Your table is booked.']);
  });

  test.each(SILENT)('%s twice makes the agent say so, and the next turn gets a reply', async (text) => {
    const harness = createHarness({
      answer: ({ messages }) => (/hello/.test(String(messages.at(-1)!.content)) ? 'Yes.' : text),
    });
    harness.say('book a table', 1_000);
    await harness.clock.advance(8_000);
    expect(harness.emitted.find(({ type }) => type === 'error')?.message).toBe('the language model answered nothing');
    harness.say('hello there', 700);
    await harness.clock.advance(8_000);
    expect(harness.transcript().filter((line) => line.startsWith('agent'))).toEqual([
      'agent: Sorry, I did not catch that. Could you say it again?',
      'agent: Yes.',
    ]);
    expect(harness.ends).toEqual([]);
  });

  test('nothing after a tool call is asked again with the result', async () => {
    const safeFetch: SafeFetch = async () => {
      const headers = { 'content-type': 'application/json' };
      return { status: 200, headers, body: '{"free":true}', bytes: 13, truncated: false };
    };
    let found = 0;
    const harness = createHarness({
      tools: [
        {
          name: 'find_table',
          description: 'Finds a free table.',
          url: 'https://api.example.com/tables',
          pre_call_message: 'One moment please.',
          parameters: { type: 'object', properties: {} },
        },
      ],
      safeFetch,
      answer({ messages }) {
        if (!messages.some(({ role }) => role === 'tool')) return { tool: 'find_table', toolArguments: '{}' };
        return ++found === 1 ? '' : 'There is a free table.';
      },
    });
    harness.say('a table for two', 1_000);
    await harness.clock.advance(9_000);
    expect(harness.transcript().at(-1)).toBe('agent: One moment please. There is a free table.');
  });
});

test('a goodbye that cannot be spoken is skipped', async () => {
  const harness = createHarness({
    call: { hangup_message: '👋' },
    answer: () => ({ tool: 'end_call' }),
    closesAtEnd: true,
  });
  harness.say('goodbye then', 800);
  await harness.clock.advance(8_000);
  expect(harness.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'agent ended the call' }]);
});
