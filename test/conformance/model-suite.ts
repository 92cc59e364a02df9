import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelSimulator, ModelSimulatorTiming, ScriptedAnswer } from '../../fixtures/simulators/model-server.ts';
import { hasIdleConnection } from '../../shared/llm/http-exchange.ts';
import type {
  ChatMessage,
  ChatPart,
  ChatRequest,
  LanguageModel,
  LanguageModelError,
  ToolCall,
} from '../../shared/llm/language-model.ts';
import { LANGUAGE_MODEL_SETTINGS, type LanguageModelSettings } from '../../shared/llm/model-settings.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import { createLogger } from '../../shared/log.ts';
import { DEFAULT_LLM_MODEL, type LlmProvider } from '../../shared/providers.ts';
import { until } from '../support/until.ts';

/** Everything the suite needs to know of a provider. */
export interface ModelUnderTest {
  provider: LlmProvider;
  key: keyof LanguageModelSettings;
  url: keyof LanguageModelSettings;
  start(script: ModelSimulatorTiming & { answer(): ScriptedAnswer }): Promise<ModelSimulator>;
  /** Settings beside the key and the address. */
  settings?: Partial<LanguageModelSettings>;
  model?: string;
}

const log = createLogger('test', 'silent');
const never = new AbortController().signal;
const ODD = '“Fünf” — नमस्ते, आप कैसे हैं? 🙂👩‍👩‍👧 {"a":[1]} \\n <b>&amp;</b> data: [DONE]';

const question: ChatRequest = {
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello?' },
  ],
  tools: [],
  temperature: 0.4,
  max_tokens: 200,
};

/** A schema with what providers trip over: references, choices, empty objects, constants, closed objects. */
const bookTable = {
  name: 'book_table',
  description: 'Books a table.',
  parameters: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    $defs: { guest: { type: 'object', properties: { name: { type: 'string', minLength: 1 } }, required: ['name'] } },
    properties: {
      day: { type: 'string', enum: ['Monday', 'मंगलवार'], description: 'which day' },
      when: { type: 'string', format: 'time' },
      count: { type: ['integer', 'null'], minimum: 1, exclusiveMaximum: 20 },
      size: { enum: [2, 4], type: 'integer' },
      kind: { const: 'table' },
      guests: { type: 'array', items: { $ref: '#/$defs/guest' } },
      place: { anyOf: [{ type: 'string' }, { type: 'object', properties: { floor: { type: 'number' } } }] },
      notes: { oneOf: [{ type: 'string' }, { type: 'null' }], description: 'wishes' },
      more: { type: 'object' },
      tags: { type: 'array' },
    },
    required: ['day', 'nothing'],
  },
};
const endCall = {
  name: 'end_call',
  description: 'Ends the call.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
};

/** The rules of `shared/llm/language-model.ts`, kept by every adapter. */
export function modelConformance(name: string, under: ModelUnderTest): void {
  describe(`language model: ${name}`, () => {
    let simulator: ModelSimulator;
    let answer: ScriptedAnswer;
    let model: LanguageModel;
    const running: ModelSimulator[] = [];

    beforeEach(async () => {
      answer = { text: 'Good morning. How can I help you?' };
      await begin();
    });
    afterEach(async () => {
      for (const each of running.splice(0)) await each.close();
    });

    async function begin(timing: ModelSimulatorTiming = {}) {
      simulator = await under.start({ answer: () => answer, firstTokenMs: 0, ...timing });
      running.push(simulator);
      model = create();
    }

    function create(over: { key?: string; url?: string; model?: string } = {}) {
      const settings = z.object(LANGUAGE_MODEL_SETTINGS).parse({
        ...under.settings,
        [under.key]: over.key ?? simulator.apiKey,
        [under.url]: over.url ?? simulator.url,
      });
      const named = over.model ?? under.model ?? DEFAULT_LLM_MODEL[under.provider];
      return createLanguageModel(under.provider, named, settings, log);
    }

    const ask = (request: Partial<ChatRequest> = {}) => collect(model.stream({ ...question, ...request }, never));
    const completions = () => simulator.requests.filter((request) => request.body !== null);

    /** What came until the failure, and the failure. */
    async function failing(asked: LanguageModel, request: Partial<ChatRequest> = {}) {
      const parts: ChatPart[] = [];
      try {
        for await (const part of asked.stream({ ...question, ...request }, never)) parts.push(part);
      } catch (error) {
        expect((error as Error).name).toBe('LanguageModelError');
        return { parts, error: error as LanguageModelError };
      }
      return expect.fail(`no failure but ${JSON.stringify(parts)}`);
    }

    test('streams text in order, then usage, then why it stopped', async () => {
      const parts = await ask();
      expect(textOf(parts)).toBe(answer.text);
      expect(parts.filter((part) => part.type === 'text').length).toBeGreaterThan(1);
      expect(parts.slice(-2)).toEqual([
        { type: 'usage', input_tokens: expect.any(Number), output_tokens: expect.any(Number) },
        { type: 'finish', reason: 'stop' },
      ]);
      const usage = parts.at(-2) as Extract<ChatPart, { type: 'usage' }>;
      expect(usage.input_tokens).toBeGreaterThan(3);
      expect(usage.output_tokens).toBeGreaterThan(3);
      expect(parts.filter((part) => part.type === 'usage' || part.type === 'finish')).toHaveLength(2);
    });

    test.each([1, 2, 3, 7, 64])('reads an answer in pieces of %i bytes', async (pieceBytes) => {
      await begin({ writeBytes: pieceBytes });
      answer = { text: ODD, toolCalls: [{ name: 'end_call', arguments: { why: ODD } }] };
      const parts = await ask({ tools: [endCall] });
      expect(textOf(parts)).toBe(ODD);
      expect(callsOf(parts).map((call) => JSON.parse(call.arguments))).toEqual([{ why: ODD }]);
    });

    test('takes odd text to the model as it is', async () => {
      await ask({ messages: [{ role: 'user', content: ODD }] });
      expect(strings(completions()[0]!.body)).toContain(ODD);
    });

    test('gives tool calls whole, after the words, several at once too', async () => {
      answer = {
        text: 'One moment.',
        toolCalls: [
          { name: 'book_table', arguments: { day: 'मंगलवार', guests: [{ name: 'O"Neil' }] } },
          { name: 'book_table', arguments: { day: 'Monday' } },
          { name: 'end_call', arguments: {} },
        ],
      };
      const parts = await ask({ tools: [bookTable, endCall] });
      const calls = callsOf(parts);
      expect(calls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual(
        answer.toolCalls!.map((call) => [call.name, call.arguments]),
      );
      expect(new Set(calls.map((call) => call.id)).size).toBe(3);
      for (const call of calls) expect(call.id).not.toBe('');
      expect(textOf(parts)).toBe('One moment.');
      expect(parts.findLastIndex((part) => part.type === 'text')).toBeLessThan(
        parts.findIndex((part) => part.type === 'tool_call'),
      );
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    });

    test('takes the results of its calls back', async () => {
      answer = {
        toolCalls: [
          { name: 'book_table', arguments: { day: 'Monday' } },
          { name: 'end_call', arguments: {} },
        ],
      };
      const tools = [bookTable, endCall];
      const tool_calls = callsOf(await ask({ tools }));
      answer = { text: 'Booked.' };
      const messages: ChatMessage[] = [
        ...question.messages,
        { role: 'assistant', content: 'One moment.', tool_calls },
        ...tool_calls.map((call, at): ChatMessage => {
          return { role: 'tool', tool_call_id: call.id, name: call.name, content: `result ${at}` };
        }),
      ];
      expect(textOf(await ask({ tools, messages }))).toBe('Booked.');
      const sent = strings(completions()[1]!.body);
      for (const text of ['One moment.', 'book_table', 'result 0', 'result 1']) expect(sent).toContain(text);
    });

    test('takes any conversation a call can leave behind', async () => {
      const call = (id: string): ToolCall => ({ id, name: 'end_call', arguments: '{"why":"' });
      const ran = (id: string): ChatMessage[] => [
        { role: 'assistant', content: '', tool_calls: [call(id)] },
        { role: 'tool', tool_call_id: id, name: 'end_call', content: '' },
      ];
      const conversations: ChatMessage[][] = [
        [{ role: 'system', content: 'Greet.' }],
        [{ role: 'user', content: 'Hi' }],
        // The agent spoke first, and speaks again.
        [
          { role: 'system', content: 'Be short.' },
          { role: 'assistant', content: 'Welcome!' },
          { role: 'assistant', content: 'Are you there? ' },
        ],
        // Tools of another provider ran twice, nothing was heard of the answers, and knowledge came before the last words.
        [
          { role: 'system', content: 'Be short.' },
          { role: 'system', content: '' },
          ...ran('functions.end_call:0'),
          ...ran('call_1f0c8a77a0f94c1e'),
          { role: 'user', content: 'Hello' },
          { role: 'user', content: 'there' },
          { role: 'assistant', content: 'Yes —' },
          ...ran('toolu_01'),
          { role: 'system', content: 'It opens at nine.' },
          { role: 'user', content: 'When?' },
        ],
        [{ role: 'user', content: 'Hi' }, ...ran('abcdefghi')],
      ];
      for (const messages of conversations) {
        expect(textOf(await ask({ messages, tools: [endCall] }))).toBe(answer.text);
      }
      expect(strings(completions()[3]!.body).join()).toContain('It opens at nine.');
    });

    test('takes the highest temperature and the shortest answer', async () => {
      // Long enough to leave no room for thoughts either.
      answer = { text: 'word '.repeat(1_200) };
      const parts = await ask({ temperature: 2, max_tokens: 3 });
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
      expect(answer.text!.startsWith(textOf(parts))).toBe(true);
    });

    test('says when a filter stopped it', async () => {
      answer = { text: 'I', filtered: true };
      expect((await ask()).at(-1)).toEqual({ type: 'finish', reason: 'content_filter' });
    });

    test('says nothing when there is nothing to say', async () => {
      answer = { text: '' };
      expect((await ask()).map((part) => part.type)).toEqual(['usage', 'finish']);
    });

    test('skips what it cannot know', async () => {
      simulator.setMode('odd');
      answer = { text: answer.text!, toolCalls: [{ name: 'end_call', arguments: { a: 1 } }] };
      const parts = await ask({ tools: [endCall] });
      expect(textOf(parts)).toBe(answer.text);
      expect(callsOf(parts)).toMatchObject([{ name: 'end_call', arguments: '{"a":1}' }]);
    });

    test('keeps one connection, opened ahead', async () => {
      const idle = () => hasIdleConnection(simulator.url);
      await model.warm();
      await until(idle, 'an idle connection');
      await model.warm();
      expect(simulator.requests).toHaveLength(1);
      expect(completions()).toEqual([]);
      expect(simulator.requests[0]!.status).not.toBe(401);
      for (let turn = 0; turn < 10; turn++) {
        expect(textOf(await ask())).toBe(answer.text);
        await until(idle, 'an idle connection');
      }
      expect(simulator.requests.map((request) => request.connection)).toEqual(Array(11).fill(1));
    });

    test('serves several at once, each its own answer', async () => {
      const all = await Promise.all(Array.from({ length: 5 }, () => ask()));
      for (const parts of all) expect(textOf(parts)).toBe(answer.text);
    });

    test.each([
      ['full', { kind: 'capacity', status: 429, retryAfterMs: 2_000 }],
      ['overloaded', { kind: 'unavailable' }],
      ['broken', { kind: 'unavailable', status: 500 }],
    ] as const)('tells that the provider is %s', async (mode, expected) => {
      simulator.setMode(mode);
      const { parts, error } = await failing(model);
      expect(error).toMatchObject(expected);
      expect(parts).toEqual([]);
      simulator.setMode('normal');
      expect(textOf(await ask())).toBe(answer.text);
    });

    test('tells a wrong key and an unknown model, without the words of the caller', async () => {
      expect((await failing(create({ key: 'wrong' }))).error).toMatchObject({ kind: 'auth' });
      expect((await failing(create({ key: 'two\nlines' }))).error).toMatchObject({ kind: 'bad_request' });
      const messages: ChatMessage[] = [{ role: 'user', content: 'my secret' }];
      const { error } = await failing(create({ model: 'no-such-model' }), { messages });
      expect(error).toMatchObject({ kind: 'bad_request', status: 404 });
      expect(error.message).not.toContain('secret');
    });

    test('tells that nobody is there', async () => {
      const lost = create({ url: 'http://127.0.0.1:1' });
      expect((await failing(lost)).error).toMatchObject({ kind: 'unavailable' });
      await lost.warm();
    });

    test.each([
      ['cut', ['unavailable']],
      ['error in stream', ['unavailable', 'capacity']],
    ] as const)('gives the words before a break, then fails (%s)', async (mode, kinds) => {
      simulator.setMode(mode);
      answer = { text: 'One two three four.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      const { parts, error } = await failing(model, { tools: [endCall] });
      expect(kinds).toContain(error.kind);
      expect(textOf(parts)).toMatch(/^One two/);
      expect(parts.every((part) => part.type === 'text')).toBe(true);
    });

    test('ends quietly when aborted before an answer, and the server sees it', async () => {
      simulator.setMode('silent');
      const abort = new AbortController();
      const parts = collect(model.stream(question, abort.signal));
      await until(() => completions().length === 1);
      abort.abort();
      expect(await parts).toEqual([]);
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('gives nothing for keep-alives, and ends when aborted', async () => {
      simulator.setMode('pings only');
      const abort = new AbortController();
      const heard: ChatPart[] = [];
      const over = (async () => {
        for await (const part of model.stream(question, abort.signal)) heard.push(part);
      })();
      await until(() => completions().length === 1);
      await new Promise((resolve) => setTimeout(resolve, 100));
      abort.abort();
      await over;
      expect(heard).toEqual([]);
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('gives nothing more once aborted in the middle, and the server stops', async () => {
      await begin({ tokenIntervalMs: 20 });
      answer = { text: 'word '.repeat(150) };
      const abort = new AbortController();
      const heard: ChatPart[] = [];
      for await (const part of model.stream({ ...question, max_tokens: 4_000 }, abort.signal)) {
        heard.push(part);
        if (heard.length === 2) abort.abort();
      }
      expect(heard).toHaveLength(2);
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('stops the server when its reader walks away', async () => {
      await begin({ tokenIntervalMs: 20 });
      answer = { text: 'word '.repeat(150) };
      for await (const _ of model.stream({ ...question, max_tokens: 4_000 }, never)) break;
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('sends nothing when aborted beforehand', async () => {
      expect(await collect(model.stream(question, AbortSignal.abort()))).toEqual([]);
      expect(simulator.requests).toEqual([]);
    });
  });
}

async function collect(parts: AsyncIterable<ChatPart>): Promise<ChatPart[]> {
  const all: ChatPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

function textOf(parts: readonly ChatPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function callsOf(parts: readonly ChatPart[]): ToolCall[] {
  return parts.flatMap((part) => (part.type === 'tool_call' ? [part.call] : []));
}

/** Every text in a body, wherever it stands. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
