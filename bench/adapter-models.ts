import { once } from 'node:events';
import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import { z } from 'zod';
import { startAnthropicSimulator } from '../fixtures/simulators/anthropic.ts';
import { startGoogleSimulator } from '../fixtures/simulators/google.ts';
import type { ModelSimulator, ModelSimulatorTiming, ScriptedAnswer } from '../fixtures/simulators/model-server.ts';
import { type OpenAiSimulatorOptions, startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { hasIdleConnection } from '../shared/llm/http-exchange.ts';
import type { ChatRequest, LanguageModel } from '../shared/llm/language-model.ts';
import { createLanguageModel } from '../shared/llm/models.ts';
import { createLogger } from '../shared/log.ts';
import { DEFAULT_LLM_MODEL, LLM_PROVIDERS, type LlmProvider } from '../shared/providers/registry.ts';
import { LANGUAGE_MODEL_SETTINGS, type LanguageModelSettings } from '../shared/providers/settings.ts';

/**
 * Measures the overhead of the language model adapters. Out: from the call of the adapter until the simulator has the whole
 * request. In: from the simulator's write of the first token until the adapter emits it. Both sides run in this process on one
 * clock; loopback and the simulator's own work are included. What they take is the last row, the same request and response
 * through Node's client alone.
 */
export interface ModelOverhead {
  provider: LlmProvider | 'none: HTTP alone';
  outMs: number[];
  inMs: number[];
}

type Start = (script: ModelSimulatorTiming & { answer(): ScriptedAnswer }) => Promise<ModelSimulator>;

const openai =
  (flavour: OpenAiSimulatorOptions['flavour']): Start =>
  (script) =>
    startOpenAiSimulator({ ...script, flavour });

const SIMULATORS: Record<LlmProvider, [Start, key: keyof LanguageModelSettings, url: keyof LanguageModelSettings]> = {
  openai: [openai('openai'), 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: [startAnthropicSimulator, 'ANTHROPIC_API_KEY', 'ANTHROPIC_URL'],
  google: [startGoogleSimulator, 'GOOGLE_API_KEY', 'GOOGLE_URL'],
  azure: [openai('azure'), 'AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_URL'],
  groq: [openai('groq'), 'GROQ_API_KEY', 'GROQ_URL'],
  mistral: [openai('mistral'), 'MISTRAL_API_KEY', 'MISTRAL_URL'],
  custom: [openai('local'), 'LLM_API_KEY', 'LLM_BASE_URL'],
};

const WARM_UP_ROUNDS = 50;

/** Measures every adapter with `rounds` replies each, for a long prompt, twenty turns and four tools. */
export async function measureModels(rounds = 400): Promise<ModelOverhead[]> {
  const measured: ModelOverhead[] = [];
  for (const provider of LLM_PROVIDERS) measured.push(await measure(provider, rounds));
  return [...measured, await measureHttpAlone(rounds)];
}

const SCRIPT = { answer: () => ({ text: 'Good morning.' }), firstTokenMs: 1, tokenIntervalMs: 1 };

async function measureHttpAlone(rounds: number): Promise<ModelOverhead> {
  const simulator = await startOpenAiSimulator(SCRIPT);
  const agent = new Agent({ keepAlive: true });
  const result: ModelOverhead = { provider: 'none: HTTP alone', outMs: [], inMs: [] };
  try {
    for await (const _ of modelOf('openai', simulator).stream(REQUEST, new AbortController().signal));
    const { body, path } = simulator.requests[0]!;
    const text = JSON.stringify(body);
    const headers = {
      ...{ authorization: `Bearer ${simulator.apiKey}`, 'content-type': 'application/json' },
      ...{ 'content-length': String(Buffer.byteLength(text)), accept: 'text/event-stream' },
    };
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
      const askedMs = performance.now();
      const sent = sendRequest(new URL(path, simulator.url), { method: 'POST', agent, headers });
      sent.end(text);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      const asked = simulator.requests.at(-1)!;
      let firstPartMs: number | null = null;
      response.on('data', () => {
        if (asked.firstTokenMs !== null) firstPartMs ??= performance.now();
      });
      await once(response, 'end');
      if (response.statusCode !== 200 || firstPartMs === null) throw new Error('no answer came');
      if (round < WARM_UP_ROUNDS) continue;
      result.outMs.push(asked.arrivedMs - askedMs);
      result.inMs.push(firstPartMs - asked.firstTokenMs!);
    }
  } finally {
    agent.destroy();
    await simulator.close();
  }
  return result;
}

function modelOf(provider: LlmProvider, simulator: ModelSimulator): LanguageModel {
  const [, key, url] = SIMULATORS[provider];
  const settings = z.object(LANGUAGE_MODEL_SETTINGS).parse({ [key]: simulator.apiKey, [url]: simulator.url });
  return createLanguageModel(provider, DEFAULT_LLM_MODEL[provider], settings, createLogger('bench', 'silent'));
}

async function measure(provider: LlmProvider, rounds: number): Promise<ModelOverhead> {
  const simulator = await SIMULATORS[provider][0](SCRIPT);
  const model = modelOf(provider, simulator);
  const result: ModelOverhead = { provider, outMs: [], inMs: [] };
  try {
    await model.warm();
    for (let round = 0; round < WARM_UP_ROUNDS + rounds; round++) {
      while (!hasIdleConnection(simulator.url)) await nextTick();
      const { outMs, inMs } = await answerOnce(model, simulator);
      if (round < WARM_UP_ROUNDS) continue;
      result.outMs.push(outMs);
      result.inMs.push(inMs);
    }
  } finally {
    await simulator.close();
  }
  return result;
}

async function answerOnce(model: LanguageModel, simulator: ModelSimulator): Promise<{ outMs: number; inMs: number }> {
  let firstPartMs: number | null = null;
  const askedMs = performance.now();
  for await (const part of model.stream(REQUEST, new AbortController().signal)) {
    if (part.type === 'text') firstPartMs ??= performance.now();
  }
  const seen = simulator.requests.at(-1)!;
  if (firstPartMs === null || seen.firstTokenMs === null) throw new Error('no answer came');
  return { outMs: seen.arrivedMs - askedMs, inMs: firstPartMs - seen.firstTokenMs };
}

const REQUEST: ChatRequest = {
  messages: [
    { role: 'system', content: 'You answer the telephone of a restaurant, politely and briefly. '.repeat(60) },
    ...Array.from({ length: 20 }, (_, turn) => ({
      role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `This is what was said in turn ${turn}, and it is about as long as a sentence is. आपका स्वागत है।`,
    })),
    { role: 'user', content: 'And is there a table by the window?' },
  ],
  tools: ['find_table', 'book_table', 'cancel_table', 'end_call'].map((name) => ({
    name,
    description: 'Does what its name says, as soon as everything it needs is known.',
    parameters: {
      type: 'object',
      properties: {
        day: { type: 'string', description: 'the day, as a date' },
        guests: { type: 'integer', minimum: 1, maximum: 20 },
        seats: { type: 'array', items: { type: 'string', enum: ['window', 'garden', 'inside'] } },
      },
      required: ['day'],
    },
  })),
  temperature: 0.4,
  max_tokens: 300,
};
