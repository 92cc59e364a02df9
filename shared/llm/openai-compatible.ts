import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../clock.ts';
import { errorText, type Logger } from '../log.ts';
import { createCompletionReader, errorCode, failureOfStatus, parseJson, record } from './completion-chunks.ts';
import { createEventStreamReader } from './event-stream.ts';
import { type Exchange, hasIdleConnection, openExchange } from './http-exchange.ts';
import {
  type ChatMessage,
  type ChatPart,
  type ChatRequest,
  type LanguageModel,
  LanguageModelError,
} from './language-model.ts';
import { estimateTokens, requestCharacters } from './token-estimate.ts';

export interface OpenAiCompatibleOptions {
  /** The provider's name as in `LLM_PROVIDERS`; decides the small differences below. */
  provider: string;
  /** Up to and without `/chat/completions`, for example `https://api.openai.com/v1`. */
  baseUrl: string;
  /** Empty for a server that asks for none. */
  apiKey: string;
  model: string;
  log: Logger;
  clock?: Clock;
}

/**
 * Any server that speaks OpenAI's chat completions (`POST <baseUrl>/chat/completions`, server-sent events).
 * The parts come straight from the bytes; the request leaves with the first `next()`.
 */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): LanguageModel {
  const { provider, apiKey, model, log, clock = systemClock } = options;
  const base = options.baseUrl.replace(/\/+$/, '');
  const quirks = QUIRKS[provider] ?? {};

  function headers(): Record<string, string> {
    const given: Record<string, string> = { 'user-agent': 'antiphon' };
    if (apiKey !== '' && quirks.keyHeader) given[quirks.keyHeader] = apiKey;
    else if (apiKey !== '') given.authorization = `Bearer ${apiKey}`;
    return given;
  }

  function body(request: ChatRequest): string {
    const reasoning = provider === 'openai' || provider === 'azure' ? reasoningEffort(model) : null;
    return JSON.stringify({
      model,
      messages: request.messages.map((message) => wireMessage(message, quirks.nineCharacterIds === true)),
      ...(request.tools.length > 0 && {
        tools: request.tools.map((tool) => ({ type: 'function', function: tool })),
      }),
      [quirks.maxTokensField ?? 'max_tokens']: request.max_tokens,
      // Models that reason refuse any temperature but their own.
      ...(reasoning === null ? { temperature: request.temperature } : { reasoning_effort: reasoning }),
      stream: true,
      ...(quirks.streamOptions !== null && { stream_options: quirks.streamOptions ?? { include_usage: true } }),
    });
  }

  async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatPart> {
    if (signal.aborted) return;
    const exchange = openExchange(
      { url: `${base}/chat/completions`, method: 'POST', headers: headers(), body: body(request) },
      clock,
    );
    const abort = () => exchange.abort();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const response = await exchange.response();
      if (response === null) return;
      if (response.status !== 200) {
        const said = record(parseJson((await exchange.wholeBody()).toString()));
        if (signal.aborted) return;
        throw refused(response.status, said.error ?? said);
      }
      yield* readParts(request, response.contentType, exchange, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LanguageModelError) throw error;
      throw new LanguageModelError('unavailable', `${provider}: ${errorText(error)}`);
    } finally {
      signal.removeEventListener('abort', abort);
      exchange.leave();
    }
  }

  async function* readParts(
    request: ChatRequest,
    contentType: string,
    exchange: Exchange,
    signal: AbortSignal,
  ): AsyncGenerator<ChatPart> {
    const reader = createCompletionReader(provider);
    if (contentType.includes('application/json')) {
      // Asked for a stream, some servers answer in one piece, and some with an error under status 200.
      const whole = (await exchange.wholeBody()).toString();
      if (signal.aborted) return;
      yield* reader.read(whole);
    } else {
      const events = createEventStreamReader();
      let usageDeadline: number | null = null;
      while (!reader.done() && (reader.finish() === null || reader.usage() === null)) {
        // Once the model has said why it stops, only the count of tokens is still to come: a short wait.
        if (reader.finish() !== null) usageDeadline ??= clock.now() + USAGE_WAIT_MS;
        const bytes = await exchange.next(usageDeadline === null ? null : usageDeadline - clock.now());
        if (signal.aborted) return;
        const arrived = bytes === null ? events.end() : events.push(bytes);
        for (const data of arrived) {
          for (const part of reader.read(data)) {
            yield part;
            if (signal.aborted) return;
          }
        }
        if (bytes === null) break;
      }
    }
    if (reader.finish() === null && !reader.done()) {
      throw new LanguageModelError('unavailable', `${provider}: the answer was cut`);
    }
    const finished = reader.finish() ?? { type: 'finish', reason: 'other' };
    exchange.complete();
    yield* reader.rest();
    yield reader.usage() ?? {
      type: 'usage',
      input_tokens: estimateTokens(requestCharacters(request)),
      output_tokens: estimateTokens(reader.characters()),
    };
    yield finished;
  }

  function refused(status: number, error: unknown): LanguageModelError {
    const code = errorCode(error);
    // The provider's sentence may quote what was sent: for debugging only.
    log.debug({ provider, status, said: record(error).message }, 'the language model refused a request');
    return new LanguageModelError(
      failureOfStatus(status),
      `${provider} answered ${status}${code && ` (${code})`}`,
      status,
    );
  }

  return {
    provider,
    model,
    stream,
    async warm() {
      try {
        if (hasIdleConnection(base)) return;
        // One model's description is a short answer everywhere, unlike the list; after a HEAD Node may drop the connection.
        const url = `${base}/models/${encodeURIComponent(model)}`;
        const exchange = openExchange({ url, method: 'GET', headers: headers(), body: '' }, clock);
        const deadline = clock.after(WARM_DEADLINE_MS, () => exchange.abort());
        try {
          // Whatever it answers, the connection now stands; once read to its end, it is free for the first question.
          if ((await exchange.response()) !== null) await exchange.wholeBody();
        } finally {
          deadline.cancel();
          exchange.leave();
        }
      } catch (error) {
        log.debug(
          { provider, error: errorText(error) },
          'the connection to the language model could not be opened early',
        );
      }
    },
  };
}

interface Quirks {
  maxTokensField?: 'max_tokens' | 'max_completion_tokens';
  /** Null: the server refuses the field. */
  streamOptions?: Record<string, boolean> | null;
  keyHeader?: string;
  /** Mistral takes only tool-call ids of nine letters and digits. */
  nineCharacterIds?: boolean;
}

const QUIRKS: Record<string, Quirks> = {
  openai: {
    maxTokensField: 'max_completion_tokens',
    // Without it every chunk is padded against eavesdroppers who count bytes.
    streamOptions: { include_usage: true, include_obfuscation: false },
  },
  azure: { maxTokensField: 'max_completion_tokens', keyHeader: 'api-key' },
  groq: { maxTokensField: 'max_completion_tokens' },
  mistral: { streamOptions: null, nineCharacterIds: true },
};

/** The least thinking a reasoning model of OpenAI can be asked for; null for a model that does not reason. */
function reasoningEffort(model: string): string | null {
  if (/^o\d/.test(model)) return 'low';
  const version = /^gpt-(\d+)(?:\.(\d+))?(?!.*chat)/.exec(model);
  if (version === null || Number(version[1]) < 5) return null;
  return Number(version[1]) === 5 && version[2] === undefined ? 'minimal' : 'none';
}

function wireMessage(message: ChatMessage, nineCharacterIds: boolean): unknown {
  const wireId = (id: string) =>
    nineCharacterIds && !/^[a-zA-Z0-9]{9}$/.test(id) ? createHash('sha256').update(id).digest('hex').slice(0, 9) : id;
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: wireId(message.tool_call_id), content: message.content };
  }
  if (message.role !== 'assistant' || message.tool_calls === undefined || message.tool_calls.length === 0) {
    return { role: message.role, content: message.content };
  }
  const tool_calls = message.tool_calls.map((call) => ({
    id: wireId(call.id),
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  }));
  return { role: 'assistant', content: message.content === '' ? null : message.content, tool_calls };
}

/** How long the count of tokens may follow the last word. */
const USAGE_WAIT_MS = 150;
const WARM_DEADLINE_MS = 3_000;
