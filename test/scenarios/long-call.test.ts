import { expect, test } from 'vitest';
import type { ChatRequest } from '../../shared/llm/language-model.ts';
import { estimateTextTokens } from '../../shared/llm/token-estimate.ts';
import { createHarness } from '../support/harness.ts';

const CONTEXT_TOKENS = 8_000;
const TURN_MS = 24_000;
const TURNS = 300;
const PROMPT = 'You take orders. The house has twelve tables.';

const tokensOf = ({ messages, tools, max_tokens }: ChatRequest) =>
  estimateTextTokens(JSON.stringify(messages)) + estimateTextTokens(JSON.stringify(tools)) + max_tokens;

test('in a call of two hours every request fits into the context of the model, and the timeline says what is left out', async () => {
  const harness = createHarness({
    prompt: PROMPT,
    contextTokens: CONTEXT_TOKENS,
    call: { hangup_after_silence_seconds: 120 },
    tools: [{ name: 'find_table', description: 'Finds a free table.', url: 'https://api.example.com/tables' }],
    toolAnswer: { afterMs: 100, body: JSON.stringify({ tables: 'by the window '.repeat(10) }) },
    answer({ messages }) {
      const last = messages.at(-1)!;
      const wantsTool = last.role === 'user' && /number \d*[05] /.test(last.content);
      return wantsTool ? { text: '', tool: 'find_table' } : 'Certainly, I have written that down for you. What else?';
    },
  });
  harness.conversation.start();
  for (let turn = 1; turn <= TURNS; turn++) {
    harness.say(`this is order number ${turn} and I would like the same table as the last time`, 3_000);
    await harness.clock.advance(TURN_MS);
  }
  expect(harness.clock.now()).toBe(2 * 3_600_000);
  expect(harness.ends).toEqual([]);

  const cuts = harness.emitted.filter(({ type }) => type === 'llm.context');
  expect(cuts.length).toBeGreaterThan(2);
  expect(cuts.length).toBeLessThan(20);
  expect(cuts[0]).toMatchObject({ level: 'warning', data: { context_tokens: CONTEXT_TOKENS } });
  const leftOut = cuts.map(({ data }) => data!.left_out_lines as number);
  expect(leftOut).toEqual(leftOut.toSorted((a, b) => a - b));

  for (const request of harness.requests) {
    expect(tokensOf(request)).toBeLessThan(CONTEXT_TOKENS);
    const [system, first] = request.messages;
    expect(system).toMatchObject({ role: 'system', content: expect.stringContaining(PROMPT) });
    expect(first!.role).toBe('user');
    const called = request.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    );
    const answered = request.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
    expect(answered).toEqual(called);
  }
  const last = harness.requests.at(-1)!;
  const users = last.messages.filter(({ role }) => role === 'user');
  expect(users.length).toBeGreaterThan(10);
  expect(users.at(-1)!.content).toContain(`number ${TURNS} `);
  expect(last.messages[0]!.content).toContain('its beginning is left out');
  expect(harness.requests[0]!.messages[0]!.content).not.toContain('its beginning is left out');
  // The transcript is whole.
  expect(harness.transcript().filter((line) => line.startsWith('user: '))).toHaveLength(TURNS);
});
