import { once } from 'node:events';
import { Agent, type IncomingMessage, request as sendRequest } from 'node:http';
import { z } from 'zod';
import { startAnthropicSimulator } from '../fixtures/simulators/anthropic.ts';
import { startGoogleSimulator } from '../fixtures/simulators/google.ts';
import type { ModelSimulator } from '../fixtures/simulators/model-server.ts';
import { type OpenAiSimulatorOptions, startOpenAiSimulator } from '../fixtures/simulators/openai.ts';
import { hasIdleConnection } from '../shared/llm/http-exchange.ts';
import type { ChatRequest } from '../shared/llm/language-model.ts';
import { createLanguageModel } from '../shared/llm/models.ts';
import { createLogger } from '../shared/log.ts';
import { DEFAULT_LLM_MODEL, LLM_PROVIDERS, type LlmProvider } from '../shared/providers/registry.ts';
import { LANGUAGE_MODEL_SETTINGS, type LanguageModelSettings } from '../shared/providers/settings.ts';
import { measureRounds, nowMs, type Overhead, type ProviderEnd } from './adapter-provider.ts';
import { waitFor } from './wait-for.ts';

/**
 * Measures the overhead of the language model adapters. Out: from the call of the adapter until the simulator has the whole
 * request. In: from the simulator's write of the first token until the adapter emits it. The simulator runs on a thread of its
 * own; loopback is included. What that takes is the last row, the same request and response through Node's client alone.
 */
export interface ModelOverhead extends Overhead {
  provider: LlmProvider | 'none: HTTP alone';
}

type Start = () => Promise<ModelSimulator>;

const SCRIPT = { answer: () => ({ text: 'Good morning.' }), firstTokenMs: 1, tokenIntervalMs: 1 };
const openai =
  (flavour: OpenAiSimulatorOptions['flavour']): Start =>
  () =>
    startOpenAiSimulator({ ...SCRIPT, flavour });

const SIMULATORS: Record<LlmProvider, [Start, key: keyof LanguageModelSettings, url: keyof LanguageModelSettings]> = {
  openai: [openai('openai'), 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: [() => startAnthropicSimulator(SCRIPT), 'ANTHROPIC_API_KEY', 'ANTHROPIC_URL'],
  google: [() => startGoogleSimulator(SCRIPT), 'GOOGLE_API_KEY', 'GOOGLE_URL'],
  azure: [openai('azure'), 'AZURE_OPENAI_API_KEY', 'AZURE_OPENAI_URL'],
  groq: [openai('groq'), 'GROQ_API_KEY', 'GROQ_URL'],
  mistral: [openai('mistral'), 'MISTRAL_API_KEY', 'MISTRAL_URL'],
  custom: [openai('local'), 'LLM_API_KEY', 'LLM_BASE_URL'],
};

/** The providers, for their threads. */
export const MODEL_PROVIDERS = Object.fromEntries(
  Object.entries(SIMULATORS).map(([provider, [start]]) => [provider, async () => endOf(await start())]),
);

/** The simulator answers by itself; its own clock has another origin. */
function endOf({ url, apiKey, requests, close }: ModelSimulator): ProviderEnd {
  const originMs = nowMs() - performance.now();
  let answered = requests.length;
  return {
    url,
    apiKey,
    close,
    async answer() {
      await waitFor(() => requests.at(-1)?.firstTokenMs != null && requests.length > answered, 'no request came');
      answered = requests.length;
      const { arrivedMs, firstTokenMs } = requests.at(-1)!;
      return { arrivedMs: originMs + arrivedMs, writtenMs: originMs + firstTokenMs! };
    },
  };
}

/** Measures every adapter with `rounds` replies each, for a long prompt, twenty turns and four tools. */
export async function measureModels(rounds = 400): Promise<ModelOverhead[]> {
  const measured: ModelOverhead[] = [];
  for (const provider of LLM_PROVIDERS) measured.push(await measureModel(provider, rounds));
  return [...measured, await measureHttpAlone(rounds)];
}

async function measureModel(provider: LlmProvider, rounds: number): Promise<ModelOverhead> {
  const overhead = await measureRounds('model', provider, rounds, async ({ url, apiKey }, received) => {
    const [, key, urlSetting] = SIMULATORS[provider];
    const settings = z.object(LANGUAGE_MODEL_SETTINGS).parse({ [key]: apiKey, [urlSetting]: url });
    const log = createLogger('bench', 'silent');
    const model = createLanguageModel(provider, DEFAULT_LLM_MODEL[provider], settings, log);
    await model.warm();
    return {
      ready: () => waitFor(() => hasIdleConnection(url), `${provider}: no connection`),
      async ask() {
        for await (const { type } of model.stream(REQUEST, new AbortController().signal))
          if (type === 'text') received();
      },
    };
  });
  return { provider, ...overhead };
}

async function measureHttpAlone(rounds: number): Promise<ModelOverhead> {
  const agent = new Agent({ keepAlive: true });
  const { tools = [], ...rest } = REQUEST;
  const functions = tools.map((tool) => ({ type: 'function', function: tool }));
  const text = JSON.stringify({ model: DEFAULT_LLM_MODEL.openai, stream: true, tools: functions, ...rest });
  const overhead = await measureRounds('model', 'openai', rounds, async ({ url, apiKey }, received) => {
    const headers = {
      ...{ authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...{ 'content-length': String(Buffer.byteLength(text)), accept: 'text/event-stream' },
    };
    return {
      async ask() {
        const sent = sendRequest(new URL('/v1/chat/completions', url), { method: 'POST', agent, headers });
        sent.end(text);
        const [response] = (await once(sent, 'response')) as [IncomingMessage];
        if (response.statusCode !== 200) throw new Error(`the simulator refused with ${response.statusCode}`);
        response.on('data', received);
        await once(response, 'end');
      },
      close: async () => agent.destroy(),
    };
  });
  return { provider: 'none: HTTP alone', ...overhead };
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
