import { describe, expect, test } from 'vitest';
import type { SafeFetch } from '../../../shared/safe-fetch.ts';
import { createHarness } from '../../support/harness.ts';

/** Texts that no voice makes a sound of: a real one gives none, and is then taken for broken. */

const SILENT = ['...', '…', '?', '👍', '—'];
const lastOf = (stage: ReturnType<typeof createHarness>) => stage.requests.at(-1)!.messages.slice(-2);

describe('a model that answers with', () => {
  test.each(SILENT)('%s is asked for words', async (text) => {
    let asked = 0;
    const stage = createHarness({ answer: () => (++asked === 1 ? text : 'Your table is booked.') });
    stage.say('book a table', 1_000);
    await stage.clock.advance(8_000);
    expect(lastOf(stage)).toMatchObject([{ role: 'assistant', content: text }, { role: 'system' }]);
    expect(stage.spoken.map((piece) => piece.text)).toEqual(['Your table is booked.']);
    expect(stage.types()).not.toContain('error');
    expect(stage.transcript()).toEqual(['user: book a table', 'agent: Your table is booked.']);
  });

  test.each(SILENT)('%s twice is heard as nothing, and the next turn is answered', async (text) => {
    const stage = createHarness({
      answer: ({ messages }) => (/hello/.test(String(messages.at(-1)!.content)) ? 'Yes.' : text),
    });
    stage.say('book a table', 1_000);
    await stage.clock.advance(8_000);
    expect(stage.told.find(({ type }) => type === 'error')?.message).toBe('the language model answered nothing');
    stage.say('hello there', 700);
    await stage.clock.advance(8_000);
    expect([stage.spoken.map((piece) => piece.text), stage.ends]).toEqual([['Yes.'], []]);
  });

  test('nothing after its tool is asked again, knowing what the tool found', async () => {
    const safeFetch: SafeFetch = async () => {
      const headers = { 'content-type': 'application/json' };
      return { status: 200, headers, body: '{"free":true}', bytes: 13, truncated: false };
    };
    let found = 0;
    const stage = createHarness({
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
    stage.say('a table for two', 1_000);
    await stage.clock.advance(9_000);
    expect(stage.transcript().at(-1)).toBe('agent: One moment please. There is a free table.');
  });
});

test('a goodbye that cannot be spoken ends the call without it', async () => {
  const stage = createHarness({
    call: { hangup_message: '👋' },
    answer: () => ({ tool: 'end_call' }),
    closesAtEnd: true,
  });
  stage.say('goodbye then', 800);
  await stage.clock.advance(8_000);
  expect(stage.ends).toEqual([{ hangup_by: 'agent', hangup_reason: 'agent ended the call' }]);
});
