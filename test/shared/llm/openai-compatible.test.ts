import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenAiSimulator, startOpenAiSimulator } from '../../../fixtures/simulators/openai.ts';
import type { RequestBody } from '../../../fixtures/simulators/openai-request.ts';
import { hasIdleConnection } from '../../../shared/llm/http-exchange.ts';
import type { ChatPart, ChatRequest, LanguageModelError } from '../../../shared/llm/language-model.ts';
import { createOpenAiCompatible } from '../../../shared/llm/openai-compatible.ts';
import { createLogger } from '../../../shared/log.ts';
import { until } from '../../support/until.ts';

const log = createLogger('test', 'silent');
const request: ChatRequest = {
  messages: [{ role: 'user', content: 'hello' }],
  tools: [],
  temperature: 0.4,
  max_tokens: 50,
};
const never = new AbortController().signal;

let simulator: OpenAiSimulator | null = null;
let server: Server | null = null;

afterEach(async () => {
  await simulator?.close();
  simulator = null;
  const open = server;
  server = null;
  if (open) {
    const closed = new Promise((resolve) => open.close(resolve));
    open.closeAllConnections();
    await closed;
  }
});

async function simulate(options: Partial<Parameters<typeof startOpenAiSimulator>[0]> = {}, provider = 'openai') {
  simulator = await startOpenAiSimulator({ answer: () => ({ text: 'Good morning.' }), firstTokenMs: 0, ...options });
  return model(simulator.url, provider, simulator.apiKey);
}

function model(baseUrl: string, provider = 'custom', apiKey = '') {
  return createOpenAiCompatible({ provider, baseUrl, apiKey, model: 'gpt-4.1-mini', log });
}

/** A server that answers every request with what `respond` writes. */
async function odd(respond: (response: ServerResponse, count: number) => void): Promise<string> {
  let count = 0;
  server = createServer((incoming, response) => {
    incoming.resume();
    incoming.on('end', () => respond(response, ++count));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const sse = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const says = (content: string, finish_reason: string | null = null) =>
  data({ choices: [{ index: 0, delta: { content }, finish_reason }] });

/** The end of an answer may still be on its way when its last part is here. */
const connectionIsFree = (url: string) => until(() => hasIdleConnection(url), 'an idle connection');

async function collect(parts: AsyncIterable<ChatPart>): Promise<ChatPart[]> {
  const all: ChatPart[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

async function failure(parts: AsyncIterable<ChatPart>): Promise<LanguageModelError> {
  return collect(parts).then(
    (all) => expect.fail(`no failure but ${JSON.stringify(all)}`),
    (error: LanguageModelError) => {
      expect(error.name).toBe('LanguageModelError');
      return error;
    },
  );
}

describe('a completion', () => {
  it('is text, usage and finish', async () => {
    const parts = await collect((await simulate()).stream(request, never));
    expect(parts).toEqual([
      { type: 'text', text: 'Good' },
      { type: 'text', text: ' morning' },
      { type: 'text', text: '.' },
      { type: 'usage', input_tokens: expect.any(Number), output_tokens: 3 },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it('gives tool calls whole', async () => {
    const answer = () => ({ text: 'Bye.', toolCalls: [{ name: 'end_call', arguments: { why: 'done' } }] });
    const tools = [{ name: 'end_call', description: 'ends', parameters: { type: 'object' } }];
    const parts = await collect((await simulate({ answer })).stream({ ...request, tools }, never));
    expect(parts).toContainEqual({
      type: 'tool_call',
      call: { id: expect.stringMatching(/^call_/), name: 'end_call', arguments: '{"why":"done"}' },
    });
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });

  it('sends a history with tool calls in the shape the strict server takes', async () => {
    const messages: ChatRequest['messages'] = [
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'call_1', name: 'f', arguments: '{}' }] },
      { role: 'tool', tool_call_id: 'call_1', name: 'f', content: 'r' },
    ];
    await collect((await simulate()).stream({ ...request, messages }, never));
    expect(simulator!.requests[0]!.body!.messages).toEqual([
      { role: 'system', content: 's' },
      { role: 'user', content: 'u' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    ]);
  });

  it.each<[string, Partial<RequestBody>, string[]]>([
    [
      'openai',
      { max_completion_tokens: 50, stream_options: { include_usage: true, include_obfuscation: false } as object },
      ['max_tokens', 'tools'],
    ],
    ['custom', { max_tokens: 50, stream_options: { include_usage: true } }, ['max_completion_tokens']],
    ['mistral', { max_tokens: 50 }, ['stream_options']],
  ])('asks %s in its own way', async (provider, expected, missing) => {
    await collect((await simulate({}, provider)).stream(request, never));
    const body = simulator!.requests[0]!.body!;
    expect(body).toMatchObject({ model: 'gpt-4.1-mini', stream: true, temperature: 0.4, ...expected });
    for (const field of missing) expect(body).not.toHaveProperty(field);
  });

  it('estimates the tokens nobody counted', async () => {
    const url = await odd((response) => sse(response).end(`${says('12345678')}${says('', 'stop')}`));
    const parts = await collect(model(url).stream(request, never));
    expect(parts.at(-2)).toEqual({ type: 'usage', input_tokens: 2, output_tokens: 2 });
  });

  it('does not wait for a count that does not come', async () => {
    const url = await odd((response) => sse(response).write(`${says('Hi')}${says('', 'stop')}`));
    const parts = await collect(model(url).stream(request, never));
    expect(parts.map((part) => part.type)).toEqual(['text', 'usage', 'finish']);
  });

  it('takes a whole answer where a stream was asked for', async () => {
    const url = await odd((response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }));
    });
    expect((await collect(model(url).stream(request, never)))[0]).toEqual({ type: 'text', text: 'Hi' });
  });
});

describe('failures', () => {
  it.each([
    [400, 'bad_request'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'bad_request'],
    [408, 'timeout'],
    [422, 'bad_request'],
    [429, 'capacity'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [529, 'unavailable'],
  ])('%i is %s', async (status, kind) => {
    const url = await odd((response) =>
      response.writeHead(status).end('{"error":{"code":"the_code","message":"secret"}}'),
    );
    const error = await failure(model(url).stream(request, never));
    expect(error).toMatchObject({ kind, status, message: `custom answered ${status} (the_code)` });
  });

  it('of the simulated server have their kinds', async () => {
    const right = await simulate();
    const wrong = createOpenAiCompatible({
      provider: 'openai',
      baseUrl: simulator!.url,
      apiKey: 'no',
      model: 'default',
      log,
    });
    expect(await failure(wrong.stream(request, never))).toMatchObject({ kind: 'auth', status: 401 });
    for (const [mode, kind] of [
      ['full', 'capacity'],
      ['broken', 'unavailable'],
      ['cut', 'unavailable'],
      ['error in stream', 'unavailable'],
    ] as const) {
      simulator!.setMode(mode);
      expect(await failure(right.stream(request, never))).toMatchObject({ kind });
    }
  });

  it('on the way come after the words before them', async () => {
    const llm = await simulate();
    simulator!.setMode('error in stream');
    const parts: ChatPart[] = [];
    await expect(async () => {
      for await (const part of llm.stream(request, never)) parts.push(part);
    }).rejects.toMatchObject({ kind: 'unavailable' });
    expect(parts).toEqual([
      { type: 'text', text: 'Good' },
      { type: 'text', text: ' morning' },
    ]);
  });

  it('an answer that stops without a finish is cut', async () => {
    const url = await odd((response) => sse(response).end(says('Hi')));
    expect(await failure(model(url).stream(request, never))).toMatchObject({ kind: 'unavailable' });
  });

  it('nobody there, and no address', async () => {
    expect(await failure(model('http://127.0.0.1:9/v1').stream(request, never))).toMatchObject({ kind: 'unavailable' });
    expect(await failure(model('nowhere').stream(request, never))).toMatchObject({ kind: 'bad_request' });
    await model('nowhere').warm();
    await model('http://127.0.0.1:9/v1').warm();
  });
});

describe('aborting', () => {
  it('before the answer ends quietly and closes the request', async () => {
    const llm = await simulate();
    simulator!.setMode('silent');
    const controller = new AbortController();
    const parts = collect(llm.stream(request, controller.signal));
    await expect.poll(() => simulator!.requests[0]?.body).toBeTruthy();
    controller.abort();
    expect(await parts).toEqual([]);
    await expect.poll(() => simulator!.requests[0]!.abortedMs).not.toBeNull();
  });

  it('in the middle gives nothing more and closes the request', async () => {
    const llm = await simulate({ tokenIntervalMs: 30, answer: () => ({ text: 'word '.repeat(200) }) });
    const controller = new AbortController();
    const parts: ChatPart[] = [];
    for await (const part of llm.stream({ ...request, max_tokens: 500 }, controller.signal)) {
      parts.push(part);
      if (parts.length === 2) controller.abort();
    }
    expect(parts).toHaveLength(2);
    await expect.poll(() => simulator!.requests[0]!.abortedMs).not.toBeNull();
  });

  it('by walking away closes the request too', async () => {
    const llm = await simulate({ tokenIntervalMs: 30, answer: () => ({ text: 'word '.repeat(200) }) });
    for await (const _ of llm.stream({ ...request, max_tokens: 500 }, never)) break;
    await expect.poll(() => simulator!.requests[0]!.abortedMs).not.toBeNull();
  });

  it('beforehand sends nothing', async () => {
    expect(await collect((await simulate()).stream(request, AbortSignal.abort()))).toEqual([]);
    expect(simulator!.requests).toEqual([]);
  });
});

describe('the connection', () => {
  it('is opened in advance and reused', async () => {
    const llm = await simulate();
    await llm.warm();
    await connectionIsFree(simulator!.url);
    await llm.warm();
    expect(simulator!.requests.map((seen) => seen.path)).toEqual(['/v1/models/gpt-4.1-mini']);
    for (let turn = 0; turn < 3; turn++) {
      await collect(llm.stream(request, never));
      await connectionIsFree(simulator!.url);
    }
    expect(simulator!.requests.map((seen) => seen.connection)).toEqual([1, 1, 1, 1]);
  });

  it('that the server has dropped is replaced without a failure', async () => {
    const url = await odd((response, count) => {
      if (count === 2) return response.socket!.destroy();
      sse(response).end(`${says('Hi', 'stop')}data: [DONE]\n\n`);
    });
    const llm = model(url);
    await collect(llm.stream(request, never));
    await connectionIsFree(url);
    expect((await collect(llm.stream(request, never)))[0]).toEqual({ type: 'text', text: 'Hi' });
  });
});
