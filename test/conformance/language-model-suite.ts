import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { SIMULATOR_SEED } from '../../fixtures/simulators/draws.ts';
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
import { createLanguageModel } from '../../shared/llm/models.ts';
import { createLogger } from '../../shared/log.ts';
import { DEFAULT_LLM_MODEL, type LlmProvider } from '../../shared/providers/registry.ts';
import { LANGUAGE_MODEL_SETTINGS, type LanguageModelSettings } from '../../shared/providers/settings.ts';
import { until } from '../support/until.ts';

/** What the suite needs of a provider. */
export interface LanguageModelUnderTest {
  provider: LlmProvider;
  key: keyof LanguageModelSettings;
  url: keyof LanguageModelSettings;
  start(script: ModelSimulatorTiming & { answer(): ScriptedAnswer }): Promise<ModelSimulator>;
  /** Settings other than the key and the address. */
  settings?: Partial<LanguageModelSettings>;
  model?: string;
  /** Answers in which the model calls a tool that it was not to call are refused. */
  refusesForbiddenCalls?: true;
  /** It refuses with `capacity` when it is overloaded, instead of `unavailable`. */
  overloaded?: 'capacity';
}

const log = createLogger('test', 'silent');
const never = new AbortController().signal;
const UNUSUAL = '“Fünf” — नमस्ते, आप कैसे हैं? 🙂👩‍👩‍👧 {"a":[1]} \\n <b>&amp;</b> data: [DONE]';

const question: ChatRequest = {
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello?' },
  ],
  tools: [],
  temperature: 0.4,
  max_tokens: 200,
};

/** A schema with what some providers reject: references, unions, empty objects, constants, closed objects. */
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
      notes: { oneOf: [{ type: 'string' }, { type: 'null' }], description: 'special requests' },
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

/** Tests the rules of `shared/llm/language-model.ts`, which every adapter keeps. */
export function languageModelConformance(name: string, subject: LanguageModelUnderTest): void {
  describe(`language model: ${name}, SIMULATOR_SEED=${SIMULATOR_SEED}`, () => {
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
      simulator = await subject.start({ answer: () => answer, firstTokenMs: 0, seed: SIMULATOR_SEED, ...timing });
      running.push(simulator);
      model = create();
    }

    function create(over: { key?: string; url?: string; model?: string } = {}) {
      const settings = z.object(LANGUAGE_MODEL_SETTINGS).parse({
        ...subject.settings,
        [subject.key]: over.key ?? simulator.apiKey,
        [subject.url]: over.url ?? simulator.url,
      });
      const named = over.model ?? subject.model ?? DEFAULT_LLM_MODEL[subject.provider];
      return createLanguageModel(subject.provider, named, settings, log);
    }

    const ask = (request: Partial<ChatRequest> = {}) => collect(model.stream({ ...question, ...request }, never));
    const completions = () => simulator.requests.filter((request) => request.body !== null);

    /** Returns the parts before the failure, and the failure. */
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
      answer = { text: 'Good morning. How can I help you? '.repeat(10) };
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

    test.each([1, 2, 3, 7, 64])('reads a response in chunks of %i bytes', async (writeBytes) => {
      await begin({ writeBytes });
      answer = { text: UNUSUAL, toolCalls: [{ name: 'end_call', arguments: { why: UNUSUAL } }] };
      const parts = await ask({ tools: [endCall] });
      expect(textOf(parts)).toBe(UNUSUAL);
      expect(callsOf(parts).map((call) => JSON.parse(call.arguments))).toEqual([{ why: UNUSUAL }]);
    });

    test('sends unusual text to the model unchanged', async () => {
      await ask({ messages: [{ role: 'user', content: UNUSUAL }] });
      expect(strings(completions()[0]!.body)).toContain(UNUSUAL);
    });

    test('emits complete tool calls after the text, also several at once', async () => {
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

    test('accepts the results of its tool calls', async () => {
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

    test('answers without a tool call when none may be made, also after calls', async () => {
      answer = { toolCalls: [{ name: 'end_call', arguments: {} }] };
      const tools = [endCall];
      const [call] = callsOf(await ask({ tools }));
      const messages: ChatMessage[] = [
        ...question.messages,
        { role: 'assistant', content: 'One moment.', tool_calls: [call!] },
        { role: 'tool', tool_call_id: call!.id, name: call!.name, content: 'done' },
      ];
      answer = { text: 'Booked.' };
      expect(textOf(await ask({ tools, messages, tool_choice: 'none' }))).toBe('Booked.');
      answer = { text: 'Booked.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      if (subject.refusesForbiddenCalls) {
        const { error } = await failing(model, { tools, messages, tool_choice: 'none' });
        expect(error).toMatchObject({ kind: 'bad_request' });
      } else {
        const parts = await ask({ tools, messages, tool_choice: 'none' });
        expect([textOf(parts), callsOf(parts)]).toEqual(['Booked.', []]);
      }
    });

    test('accepts every conversation that a call can produce', async () => {
      const call = (id: string): ToolCall => ({ id, name: 'end_call', arguments: '{"why":"' });
      const ran = (id: string): ChatMessage[] => [
        { role: 'assistant', content: '', tool_calls: [call(id)] },
        { role: 'tool', tool_call_id: id, name: 'end_call', content: '' },
      ];
      const conversations: ChatMessage[][] = [
        [{ role: 'system', content: 'Greet.' }],
        [{ role: 'user', content: 'Hi' }],
        // The agent speaks first, and then again.
        [
          { role: 'system', content: 'Be short.' },
          { role: 'assistant', content: 'Welcome!' },
          { role: 'assistant', content: 'Are you there? ' },
        ],
        // Tool calls of another provider, no text played out after them, and knowledge before the last user message.
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

    test('accepts the highest temperature and the shortest answer', async () => {
      // Long enough for models that reason first, too.
      answer = { text: 'word '.repeat(1_200) };
      const parts = await ask({ temperature: 2, max_tokens: 3 });
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
      expect(answer.text!.startsWith(textOf(parts))).toBe(true);
    });

    test('reports that a content filter stopped it', async () => {
      answer = { text: 'I', filtered: true };
      expect((await ask()).at(-1)).toEqual({ type: 'finish', reason: 'content_filter' });
    });

    test('emits no text for an empty answer', async () => {
      answer = { text: '' };
      expect((await ask()).map((part) => part.type)).toEqual(['usage', 'finish']);
    });

    test('ignores messages that it does not know', async () => {
      simulator.setMode('odd');
      answer = { text: answer.text!, toolCalls: [{ name: 'end_call', arguments: { a: 1 } }] };
      const parts = await ask({ tools: [endCall] });
      expect(textOf(parts)).toBe(answer.text);
      expect(callsOf(parts)).toMatchObject([{ name: 'end_call', arguments: '{"a":1}' }]);
    });

    test('keeps one connection, opened in advance', async () => {
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

    test('serves several requests at once, each with its own answer', async () => {
      const all = await Promise.all(Array.from({ length: 5 }, () => ask()));
      for (const parts of all) expect(textOf(parts)).toBe(answer.text);
    });

    test.each([
      ['full', { kind: 'capacity', status: 429, retryAfterMs: 2_000 }],
      ['overloaded', { kind: subject.overloaded ?? 'unavailable' }],
      ['no credit', { kind: 'auth' }],
      ['broken', { kind: 'unavailable', status: 500 }],
    ] as const)('reports that the account or provider is: %s', async (mode, expected) => {
      simulator.setMode(mode);
      const { parts, error } = await failing(model);
      expect(error).toMatchObject(expected);
      expect(parts).toEqual([]);
      simulator.setMode('normal');
      expect(textOf(await ask())).toBe(answer.text);
    });

    test("reports a wrong key and an unknown model, without the caller's words", async () => {
      expect((await failing(create({ key: 'wrong' }))).error).toMatchObject({ kind: 'auth' });
      expect((await failing(create({ key: 'two\nlines' }))).error).toMatchObject({ kind: 'bad_request' });
      const messages: ChatMessage[] = [{ role: 'user', content: 'my secret' }];
      const { error } = await failing(create({ model: 'no-such-model' }), { messages });
      expect(error).toMatchObject({ kind: 'bad_request', status: 404 });
      expect(error.message).not.toContain('secret');
    });

    test('reports an unreachable provider', async () => {
      const lost = create({ url: 'http://127.0.0.1:1' });
      expect((await failing(lost)).error).toMatchObject({ kind: 'unavailable' });
      await lost.warm();
    });

    test.each([
      ['cut', ['unavailable']],
      ['error in stream', ['unavailable', 'capacity']],
    ] as const)('emits the text before a break, then fails (%s)', async (mode, kinds) => {
      simulator.setMode(mode);
      answer = { text: 'One two three four.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      const { parts, error } = await failing(model, { tools: [endCall] });
      expect(kinds).toContain(error.kind);
      expect(textOf(parts)).toMatch(/^One two/);
      expect(parts.every((part) => part.type === 'text')).toBe(true);
    });

    test('ends without an error when aborted before a response, and closes the request', async () => {
      simulator.setMode('silent');
      const abort = new AbortController();
      const parts = collect(model.stream(question, abort.signal));
      await until(() => completions().length === 1);
      abort.abort();
      expect(await parts).toEqual([]);
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('emits nothing for keep-alives, and ends when aborted', async () => {
      simulator.setMode('pings only');
      const abort = new AbortController();
      const parts: ChatPart[] = [];
      const over = (async () => {
        for await (const part of model.stream(question, abort.signal)) parts.push(part);
      })();
      await until(() => completions()[0]?.pings === 3, 'the pings');
      abort.abort();
      await over;
      expect(parts).toEqual([]);
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('emits nothing after an abort, and closes the request', async () => {
      await begin({ tokenIntervalMs: 20 });
      answer = { text: 'word '.repeat(150) };
      const abort = new AbortController();
      const parts: ChatPart[] = [];
      for await (const part of model.stream({ ...question, max_tokens: 4_000 }, abort.signal)) {
        parts.push(part);
        if (parts.length === 2) abort.abort();
      }
      expect(parts).toHaveLength(2);
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('closes the request when the reader stops', async () => {
      await begin({ tokenIntervalMs: 20 });
      answer = { text: 'word '.repeat(150) };
      for await (const _ of model.stream({ ...question, max_tokens: 4_000 }, never)) break;
      await until(() => completions()[0]!.abortedMs !== null, 'the end of the request');
    });

    test('sends nothing when aborted before', async () => {
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

/** Returns every string in a body, at any depth. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
