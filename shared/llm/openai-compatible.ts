import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { createCompletionReader } from './completion-chunks.ts';
import type { ChatMessage, ChatRequest, LanguageModel } from './language-model.ts';
import { type Dialect, dialectOf } from './openai-dialects.ts';
import { createStreamedModel } from './streamed-model.ts';
import { THINKING_TOKENS } from './token-estimate.ts';

export interface OpenAiCompatibleOptions {
  /** The provider's name; selects the dialect of `openai-dialects.ts`. */
  provider: string;
  /**
   * Up to and without `/chat/completions`, for example `https://api.openai.com/v1`; for Azure up to and without `/openai`,
   * for example `https://my-resource.openai.azure.com`.
   */
  baseUrl: string;
  /** Empty for a server without authentication. */
  apiKey: string;
  /** For Azure the name of the deployment. */
  model: string;
  /** Azure's `api-version`; ignored for others. */
  apiVersion?: string;
  log: Logger;
  clock?: Clock;
}

/** Any server with OpenAI's chat completions API (API reference, "Create chat completion", streamed). */
export function createOpenAiCompatible(options: OpenAiCompatibleOptions): LanguageModel {
  const { provider, apiKey, model, apiVersion = '', log, clock } = options;
  const dialect = dialectOf(provider, apiVersion);
  const address = (template: string) =>
    template
      .replace('{base}', () => options.baseUrl.replace(/\/+$/, ''))
      .replace('{model}', () => encodeURIComponent(model))
      .replace('{version}', () => encodeURIComponent(apiVersion));
  const key = dialect.keyHeader === null ? { authorization: `Bearer ${apiKey}` } : { [dialect.keyHeader]: apiKey };
  const thinking = dialect.minimalThinking(model);
  const thinks = thinking !== null && thinking.reasoning_effort !== 'none';
  const takesTemperature = thinking === null || dialect.thinkingModelsTakeTemperature;

  const body = (request: ChatRequest) => ({
    model,
    messages: dialect.order(request.messages).map((message) => requestMessage(message, dialect)),
    ...requestTools(request, dialect),
    [dialect.maxTokensField]: request.max_tokens + (thinks ? THINKING_TOKENS : 0),
    ...(takesTemperature && { temperature: Math.min(request.temperature, dialect.maxTemperature) }),
    ...thinking,
    stream: true,
    ...(dialect.streamOptions !== null && { stream_options: dialect.streamOptions }),
  });

  return createStreamedModel({
    provider,
    model,
    log,
    ...(clock && { clock }),
    protocol: {
      headers: apiKey === '' ? {} : key,
      url: address(dialect.completions),
      warmUrl: address(dialect.description),
      body,
      reader: () => createCompletionReader(provider),
    },
  });
}

function requestTools({ tools, tool_choice }: ChatRequest, { takesToolChoice }: Dialect) {
  if (tools.length === 0 || (tool_choice && !takesToolChoice)) return {};
  return { tools: tools.map((tool) => ({ type: 'function', function: tool })), ...(tool_choice && { tool_choice }) };
}

function requestMessage(message: ChatMessage, { callId }: Dialect): unknown {
  const wireId = (id: string) =>
    callId === null || callId.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9);
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
