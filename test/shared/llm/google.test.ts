import { afterEach, describe, expect, it } from 'vitest';
import {
  type GoogleSimulator,
  type GoogleSimulatorOptions,
  startGoogleSimulator,
} from '../../../fixtures/simulators/google.ts';
import { createGoogle } from '../../../shared/llm/google.ts';
import { createGoogleReader } from '../../../shared/llm/google-chunks.ts';
import type { ChatMessage, ChatPart, ChatRequest, ToolCall } from '../../../shared/llm/language-model.ts';
import { createLogger } from '../../../shared/log.ts';

const log = createLogger('test', 'silent');
const never = new AbortController().signal;

let simulator: GoogleSimulator | null = null;
afterEach(async () => {
  await simulator?.close();
  simulator = null;
});

async function start(model: string, toolCalls?: { name: string; arguments: Record<string, unknown> }[]) {
  const answer = () => ({ text: 'Yes.', ...(toolCalls && { toolCalls }) });
  simulator = await startGoogleSimulator({ answer, firstTokenMs: 0, models: [model] });
  return createGoogle({ baseUrl: simulator.url, apiKey: simulator.apiKey, model, log });
}

async function asked(messages: ChatMessage[], more: Partial<ChatRequest> = {}, model = 'gemini-2.5-flash') {
  const llm = await start(model);
  const parts: ChatPart[] = [];
  const request = { messages, tools: [], temperature: 0.4, max_tokens: 50, ...more };
  for await (const part of llm.stream(request, never)) parts.push(part);
  return simulator!.requests[0]!.body!;
}

const hello: ChatMessage = { role: 'user', content: 'Hello' };

describe('an error in the middle of an answer', () => {
  it.each<GoogleSimulatorOptions['streamError']>(['event', 'plain JSON'])(
    'says what it is (%s)',
    async (streamError) => {
      const answer = () => ({ text: 'word '.repeat(40) });
      simulator = await startGoogleSimulator({ answer, firstTokenMs: 0, models: ['gemini-2.5-flash'], streamError });
      simulator.setMode('error in stream');
      const { url, apiKey } = simulator;
      const llm = createGoogle({ baseUrl: url, apiKey, model: 'gemini-2.5-flash', log });
      const said: ChatPart[] = [];
      const all = (async () => {
        for await (const part of llm.stream({ messages: [hello], tools: [], temperature: 0, max_tokens: 400 }, never)) {
          said.push(part);
        }
      })();
      await expect(all).rejects.toMatchObject({ name: 'LanguageModelError', kind: 'capacity', status: 429 });
      expect(said).toMatchObject([{ type: 'text' }, { type: 'text' }]);
    },
  );
});

describe('a request', () => {
  it('has the system apart, roles in turns, and results named', async () => {
    const body = await asked(
      [
        { role: 'system', content: 'Be short.' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'f', arguments: '{"x":' }] },
        { role: 'tool', tool_call_id: 'a', name: 'f', content: 'found' },
        { role: 'assistant', content: 'It is there.' },
        { role: 'system', content: 'Open at nine.' },
        hello,
      ],
      { tools: [{ name: 'f', description: 'finds', parameters: { type: 'object', properties: {} } }] },
    );
    expect(body).toEqual({
      model: 'gemini-2.5-flash',
      systemInstruction: { parts: [{ text: 'Be short.' }, { text: 'Open at nine.' }] },
      contents: [
        { role: 'user', parts: [{ text: '(The call begins.)' }] },
        { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: 'a', name: 'f', response: { output: 'found' } } }] },
        { role: 'model', parts: [{ text: 'It is there.' }] },
        { role: 'user', parts: [{ text: 'Hello' }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'f', description: 'finds' }] }],
      generationConfig: { maxOutputTokens: 50, temperature: 0.4, thinkingConfig: { thinkingBudget: 0 } },
    });
  });

  it.each([
    ['gemini-2.0-flash', undefined, 50],
    ['gemma-3-27b-it', undefined, 50],
    ['gemini-1.5-flash-latest', undefined, 50],
    ['gemini-2.5-flash-lite', { thinkingBudget: 0 }, 50],
    ['gemini-2.5-pro', { thinkingBudget: 128 }, 1_074],
    ['gemini-3-flash-preview', { thinkingLevel: 'minimal' }, 1_074],
    ['gemini-3-pro-preview', { thinkingLevel: 'low' }, 1_074],
    ['gemini-3.5-flash-lite', { thinkingLevel: 'minimal' }, 1_074],
    ['gemini-3.7-flash', { thinkingLevel: 'low' }, 1_074],
    ['gemini-3.8-flash-lite', { thinkingLevel: 'minimal' }, 1_074],
    ['gemini-flash-latest', { thinkingLevel: 'low' }, 1_074],
    ['gemini-flash-lite-latest', { thinkingLevel: 'minimal' }, 1_074],
  ])('to %s keeps it from thinking as far as it can be', async (model, thinkingConfig, maxOutputTokens) => {
    const { generationConfig } = await asked([hello], {}, model);
    expect(generationConfig).toEqual({ temperature: 0.4, maxOutputTokens, ...(thinkingConfig && { thinkingConfig }) });
  });

  it('gives a signature back, and says so where there is none', async () => {
    const llm = await start('gemini-3-flash-preview', [
      { name: 'f', arguments: {} },
      { name: 'g', arguments: {} },
    ]);
    const request = { messages: [hello], tools: [], temperature: 0, max_tokens: 50 };
    const calls: ToolCall[] = [];
    for await (const part of llm.stream(request, never)) if (part.type === 'tool_call') calls.push(part.call);
    expect(calls.map((call) => call.signature)).toEqual([expect.any(String), undefined]);
    const results = (each: ToolCall[]): ChatMessage[] =>
      each.map((call) => ({ role: 'tool', tool_call_id: call.id, name: call.name, content: 'done' }));
    const foreign = [{ id: 'call_1', name: 'f', arguments: '{}' }];
    const messages: ChatMessage[] = [
      hello,
      { role: 'assistant', content: '', tool_calls: calls },
      ...results(calls),
      { role: 'assistant', content: '', tool_calls: foreign },
      ...results(foreign),
    ];
    for await (const _ of llm.stream({ ...request, messages }, never));
    const parts = simulator!.requests[1]!.body!.contents.flatMap((content) => content.parts);
    expect(parts.filter((part) => part.functionCall).map((part) => part.thoughtSignature)).toEqual([
      calls[0]!.signature,
      undefined,
      'skip_thought_signature_validator',
    ]);
  });
});

describe('an answer', () => {
  const read = (...chunks: unknown[]) => {
    const reader = createGoogleReader('google');
    return { reader, parts: chunks.flatMap((chunk) => reader.read(JSON.stringify(chunk))) };
  };
  const says = (parts: object[], finishReason?: string) => ({
    candidates: [{ content: { role: 'model', parts }, ...(finishReason && { finishReason }), index: 0 }],
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['LANGUAGE', 'other'],
    ['MALFORMED_FUNCTION_CALL', 'other'],
    ['NOVELTY', 'other'],
  ])('stopped for %s is %s', (finishReason, reason) => {
    expect(read(says([{ text: 'A' }], finishReason)).reader.finish()).toEqual({ type: 'finish', reason });
  });

  it('that was blocked is filtered, and has no words', () => {
    const { reader, parts } = read({
      promptFeedback: { blockReason: 'OTHER' },
      usageMetadata: { promptTokenCount: 9 },
    });
    expect(parts).toEqual([]);
    expect(reader.finish()).toEqual({ type: 'finish', reason: 'content_filter' });
    expect(reader.usage()).toEqual({ type: 'usage', input_tokens: 9, output_tokens: 0 });
  });

  it('with an unreadable call and no words is a failure', () => {
    expect(() => read(says([], 'MALFORMED_FUNCTION_CALL'))).toThrowError(
      expect.objectContaining({ kind: 'unavailable' }),
    );
  });

  it('counts thoughts as output', () => {
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, thoughtsTokenCount: 30 };
    expect(read({ ...says([{ text: 'A' }], 'STOP'), usageMetadata }).reader.usage()).toEqual({
      type: 'usage',
      input_tokens: 9,
      output_tokens: 34,
    });
  });

  it('may come as a list, and so may an error', () => {
    const reader = createGoogleReader('google');
    expect(reader.read(JSON.stringify([says([{ text: 'A' }]), says([{ text: 'B' }], 'STOP')]))).toHaveLength(2);
    expect(() => read([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }])).toThrowError(
      expect.objectContaining({ kind: 'capacity', status: 429 }),
    );
  });

  it('survives what is no chunk at all', () => {
    const { parts, reader } = read(
      null,
      7,
      [],
      {},
      { candidates: 1 },
      { candidates: [{ content: { parts: [null, {}] } }] },
    );
    expect(parts).toEqual([]);
    expect(reader.finish()).toBeNull();
  });

  it('has a call without a name left out', () => {
    const call = (name?: string) => ({ functionCall: { ...(name && { name }), args: { a: 1 } } });
    const { parts } = read(says([call(), call('f')], 'STOP'));
    expect(parts).toEqual([
      { type: 'tool_call', call: { id: expect.stringMatching(/^call_/), name: 'f', arguments: '{"a":1}' } },
    ]);
  });
});
