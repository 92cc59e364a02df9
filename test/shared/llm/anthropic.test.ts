import { afterEach, describe, expect, it } from 'vitest';
import { type AnthropicSimulator, startAnthropicSimulator } from '../../../fixtures/simulators/anthropic.ts';
import { createAnthropic } from '../../../shared/llm/anthropic.ts';
import { createAnthropicReader } from '../../../shared/llm/anthropic-events.ts';
import type { ChatMessage, ChatPart, ChatRequest } from '../../../shared/llm/language-model.ts';
import { createLogger } from '../../../shared/log.ts';

const log = createLogger('test', 'silent');
const CACHE = { cache_control: { type: 'ephemeral' } };

let simulator: AnthropicSimulator | null = null;
afterEach(async () => {
  await simulator?.close();
  simulator = null;
});

/** What the strict server was asked, and what it answered. */
async function asked(messages: ChatMessage[], more: Partial<ChatRequest> = {}, model = 'claude-haiku-4-5') {
  simulator = await startAnthropicSimulator({ answer: () => ({ text: 'Yes.' }), firstTokenMs: 0, models: [model] });
  const llm = createAnthropic({ baseUrl: `${simulator.url}/`, apiKey: simulator.apiKey, model, log });
  const request = { messages, tools: [], temperature: 0.4, max_tokens: 50, ...more };
  const parts: ChatPart[] = [];
  for await (const part of llm.stream(request, new AbortController().signal)) parts.push(part);
  return { body: simulator.requests[0]!.body! as unknown as Record<string, unknown>, parts };
}

const hello: ChatMessage = { role: 'user', content: 'Hello' };

describe('a request', () => {
  it('has the system apart, roles in turns, results first, and marks what stays the same', async () => {
    const { body } = await asked(
      [
        { role: 'system', content: 'Be short.' },
        { role: 'assistant', content: 'Welcome.' },
        hello,
        { role: 'user', content: 'there' },
        { role: 'assistant', content: 'A moment.', tool_calls: [{ id: 'a.b', name: 'f', arguments: '{"x":1}' }] },
        { role: 'tool', tool_call_id: 'a.b', name: 'f', content: 'found' },
        { role: 'user', content: 'Well?' },
      ],
      { tools: [{ name: 'f', description: 'finds', parameters: { properties: {}, anyOf: [] } }] },
    );
    expect(body).toEqual({
      model: 'claude-haiku-4-5',
      max_tokens: 50,
      temperature: 0.4,
      stream: true,
      system: [{ type: 'text', text: 'Be short.', ...CACHE }],
      tools: [{ name: 'f', description: 'finds', input_schema: { type: 'object', properties: {} } }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: '(The call begins.)' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Welcome.' }] },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'text', text: 'there' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'A moment.' },
            { type: 'tool_use', id: 'a_b', name: 'f', input: { x: 1 } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a_b', content: 'found' },
            { type: 'text', text: 'Well?', ...CACHE },
          ],
        },
      ],
    });
  });

  it('marks no conversation behind knowledge of the turn, which nobody will ask for again', async () => {
    const { body } = await asked([
      { role: 'system', content: 'Be short.' },
      { role: 'system', content: 'Open at nine.' },
      hello,
      { role: 'assistant', content: 'Yes?' },
      { role: 'system', content: 'Closed on Monday.' },
      hello,
    ]);
    expect(body.system).toEqual([
      { type: 'text', text: 'Be short.\n\nOpen at nine.', ...CACHE },
      { type: 'text', text: 'Closed on Monday.' },
    ]);
    expect(JSON.stringify(body.messages)).not.toContain('cache_control');
  });

  it.each<[string, object, string[]]>([
    ['claude-3-5-haiku-20241022', { temperature: 1, max_tokens: 50 }, ['thinking', 'output_config']],
    ['claude-opus-4-20250514', { temperature: 1 }, ['thinking']],
    ['claude-sonnet-4-6', { temperature: 1 }, ['thinking']],
    ['claude-opus-4-8', { max_tokens: 50 }, ['temperature', 'thinking']],
    ['claude-opus-5', { thinking: { type: 'disabled' } }, ['temperature']],
    ['claude-sonnet-5', { thinking: { type: 'disabled' } }, ['temperature']],
    ['claude-haiku-5-5', { thinking: { type: 'disabled' } }, ['temperature']],
    ['claude-sonnet-5-5', { thinking: { type: 'between_tools' } }, ['temperature']],
    ['claude-opus-5-5', { output_config: { effort: 'low' }, max_tokens: 1_074 }, ['temperature', 'thinking']],
    ['claude-fable-5-1', { output_config: { effort: 'low' } }, ['temperature', 'thinking']],
    ['claude-mythos-preview', { output_config: { effort: 'low' } }, ['temperature', 'thinking']],
  ])('to %s keeps it from thinking as far as it can be', async (model, expected, missing) => {
    const { body } = await asked([hello], { temperature: 1.7 }, model);
    expect(body).toMatchObject(expected);
    for (const field of missing) expect(body).not.toHaveProperty(field);
  });
});

describe('an answer', () => {
  it('counts what the cache held as input', async () => {
    const { parts } = await asked([{ role: 'system', content: 'x'.repeat(4_000) }, hello]);
    expect(parts.at(-2)).toMatchObject({ type: 'usage', output_tokens: 2 });
    expect((parts.at(-2) as { input_tokens: number }).input_tokens).toBeGreaterThan(1_000);
  });

  const read = (...events: object[]) => {
    const reader = createAnthropicReader('anthropic');
    const parts = events.flatMap((event) => reader.read(JSON.stringify(event)));
    return { reader, parts };
  };

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['pause_turn', 'other'],
    ['novelty', 'other'],
  ])('stopped for %s is %s', (stop_reason, reason) => {
    const { reader } = read({ type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 1 } });
    expect(reader.finish()).toEqual({ type: 'finish', reason });
  });

  it.each([
    ['overloaded_error', 'capacity'],
    ['rate_limit_error', 'capacity'],
    ['authentication_error', 'auth'],
    ['billing_error', 'auth'],
    ['invalid_request_error', 'bad_request'],
    ['timeout_error', 'timeout'],
    ['api_error', 'unavailable'],
    ['novelty', 'unavailable'],
  ])('broken off by %s is %s', (type, kind) => {
    expect(() => read({ type: 'error', error: { type, message: 'secret' } })).toThrowError(
      expect.objectContaining({ kind, message: `anthropic broke off its answer (${type})` }),
    );
  });

  it('survives what is no event at all', () => {
    const reader = createAnthropicReader('anthropic');
    for (const data of [
      '',
      'null',
      '[]',
      '7',
      '{"type":1}',
      '{"type":"message_start"}',
      '{"type":"content_block_delta"}',
    ]) {
      expect(reader.read(data)).toEqual([]);
    }
    expect(reader.usage()).toBeNull();
    expect(reader.rest()).toEqual([]);
  });

  it('accepts a call without fragments, and none without a name', () => {
    const start = (index: number, block: object) => ({ type: 'content_block_start', index, content_block: block });
    const { reader } = read(
      start(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }),
      start(1, { type: 'tool_use', id: 'b', name: 'g', input: { whole: true } }),
      start(2, { type: 'tool_use', id: 'c' }),
    );
    expect(reader.rest()).toEqual([
      { type: 'tool_call', call: { id: 'a', name: 'f', arguments: '{}' } },
      { type: 'tool_call', call: { id: 'b', name: 'g', arguments: '{"whole":true}' } },
    ]);
  });
});
