import { describe, expect, it } from 'vitest';
import { createCompletionReader } from '../../../shared/llm/completion-chunks.ts';

type Fragment = { index?: number; id?: string; name?: string; arguments?: unknown };

const chunk = (delta: unknown, finish_reason: string | null = null) =>
  JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason }] });

const tools = (...fragments: Fragment[]) =>
  chunk({
    tool_calls: fragments.map(({ index, id, name, arguments: text }) => ({
      index,
      id,
      function: { name, arguments: text },
    })),
  });

function read(...chunks: string[]) {
  const reader = createCompletionReader('test');
  const parts = [...chunks.flatMap((data) => reader.read(data)), ...reader.rest()];
  return { reader, parts, text: parts.map((part) => (part.type === 'text' ? part.text : '')).join('') };
}

describe('text', () => {
  it('leaves out the role, empty deltas and chunks without choices', () => {
    const { parts } = read(
      JSON.stringify({ choices: [], prompt_filter_results: [{}] }),
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Hel' }),
      JSON.stringify({ id: 'x' }),
      JSON.stringify({ choices: [{ index: 0, finish_reason: null }] }),
      chunk({ content: null }),
      chunk({ content: 'lo' }),
    );
    expect(parts).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
    ]);
  });

  it('takes lists of parts, refusals and whole messages', () => {
    const message = JSON.stringify({ choices: [{ index: 0, message: { content: ' whole' }, finish_reason: 'stop' }] });
    expect(
      read(
        chunk({
          content: [
            { type: 'thinking', thinking: [] },
            { type: 'text', text: 'part' },
          ],
        }),
        chunk({ refusal: ' no' }),
        message,
      ).text,
    ).toBe('part no whole');
  });

  it('survives what is no chunk at all', () => {
    const odd = [
      '',
      'null',
      '[]',
      '7',
      'nonsense',
      '{"choices":{}}',
      '{"choices":[null,7]}',
      '{"choices":[{"delta":7}]}',
    ];
    expect(read(...odd, chunk({ content: 7, tool_calls: 'x' })).parts).toEqual([]);
  });

  it('drops reasoning beside the text', () => {
    expect(read(chunk({ reasoning_content: 'hm' }), chunk({ reasoning: 'hm' }), chunk({ content: 'Hi' })).text).toBe(
      'Hi',
    );
  });

  it.each([
    [['<think>hm', 'm</th', 'ink>\n\nHi'], 'Hi'],
    [['\n<thi', 'nk>a</think>Hi'], 'Hi'],
    [['<', 'b>Hi'], '<b>Hi'],
    [['Hi <think>'], 'Hi <think>'],
    [['<think>never ends'], ''],
    [['<thi'], '<thi'],
  ])('drops thoughts inside the text: %j', (deltas, expected) => {
    expect(read(...deltas.map((content) => chunk({ content }))).text).toBe(expected);
  });
});

describe('tool calls', () => {
  const calls = (...chunks: string[]) =>
    read(...chunks).parts.flatMap((part) => (part.type === 'tool_call' ? [part.call] : []));

  it('are put together from interleaved fragments', () => {
    expect(
      calls(
        tools({ index: 0, id: 'a', name: 'one', arguments: '' }),
        tools({ index: 1, id: 'b', name: 'two', arguments: '{' }),
        tools({ index: 0, arguments: '{"x":' }, { index: 1, arguments: '}' }),
        tools({ index: 0, arguments: '1}' }),
      ),
    ).toEqual([
      { id: 'a', name: 'one', arguments: '{"x":1}' },
      { id: 'b', name: 'two', arguments: '{}' },
    ]);
  });

  it('begin anew with a new id at the same index', () => {
    expect(
      calls(
        tools({ index: 0, id: 'a', name: 'one', arguments: '{}' }),
        tools({ index: 0, id: 'b', name: 'two', arguments: '{"y"' }),
        tools({ index: 0, arguments: ':2}' }),
      ),
    ).toEqual([
      { id: 'a', name: 'one', arguments: '{}' },
      { id: 'b', name: 'two', arguments: '{"y":2}' },
    ]);
  });

  it('may come whole, without index, id or arguments, or with arguments as an object', () => {
    const [first, second] = calls(tools({ name: 'one' }), chunk({}, 'tool_calls'), tools());
    expect(first).toEqual({ id: expect.stringMatching(/^call_/), name: 'one', arguments: '{}' });
    expect(second).toBeUndefined();
    expect(calls(tools({ id: 'a', name: 'one', arguments: { x: 1 } }))[0]?.arguments).toBe('{"x":1}');
  });

  it('are not given out without a name', () => {
    expect(calls(tools({ index: 0, id: 'a', arguments: '{}' }))).toEqual([]);
  });

  it('come with the finish, not later', () => {
    const reader = createCompletionReader('test');
    reader.read(tools({ index: 0, id: 'a', name: 'one', arguments: '{}' }));
    expect(reader.read(chunk({}, 'tool_calls'))).toMatchObject([{ type: 'tool_call' }]);
    expect(reader.finish()).toEqual({ type: 'finish', reason: 'tool_calls' });
  });
});

describe('the end', () => {
  it('reports the last usage, wherever it comes', () => {
    const counted = (usage: unknown) => JSON.stringify({ choices: [], usage });
    expect(read(counted(null)).reader.usage()).toBeNull();
    expect(
      read(
        counted({ prompt_tokens: 9, completion_tokens: 1 }),
        counted({ prompt_tokens: 9, completion_tokens: 4 }),
      ).reader.usage(),
    ).toEqual({ type: 'usage', input_tokens: 9, output_tokens: 4 });
    expect(read(JSON.stringify({ x_groq: { usage: { prompt_tokens: 1 } } })).reader.usage()?.input_tokens).toBe(1);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['function_call', 'tool_calls'],
    ['content_filter', 'content_filter'],
    ['eos', 'other'],
  ])('%s is %s', (reason, expected) => {
    expect(read(chunk({}, reason)).reader.finish()?.reason).toBe(expected);
  });

  it('knows [DONE]', () => {
    expect(read('[DONE]').reader.done()).toBe(true);
  });
});

describe('errors in the stream', () => {
  it.each([
    [{ message: 'm', code: 'rate_limit_exceeded' }, 'capacity'],
    [{ message: 'm', type: 'insufficient_quota' }, 'auth'],
    [{ message: 'm', code: 429 }, 'capacity'],
    [{ message: 'm', code: 502 }, 'unavailable'],
    [{ message: 'm', code: '401' }, 'auth'],
    [{ message: 'm', code: 'invalid_api_key' }, 'auth'],
    [{ message: 'm', code: 'context_length_exceeded' }, 'bad_request'],
    [{ message: 'm', type: 'server_error', code: null }, 'unavailable'],
    ['busy', 'unavailable'],
  ])('%j is %s', (error, kind) => {
    expect(() => read(JSON.stringify({ error }))).toThrow(
      expect.objectContaining({ name: 'LanguageModelError', kind }),
    );
  });

  it('may be a finish reason', () => {
    expect(() => read(chunk({}, 'error'))).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  });

  it('do not quote the conversation', () => {
    const error = { message: 'your input "secret words" is too long', code: 'too_long' };
    expect(() => read(JSON.stringify({ error }))).toThrow('test broke off its answer (too_long)');
  });
});
