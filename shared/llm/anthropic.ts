import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { createAnthropicReader } from './anthropic-events.ts';
import type { ChatRequest, LanguageModel, ToolCall, ToolDefinition } from './language-model.ts';
import { parseJson, record } from './loose-json.ts';
import { CALL_BEGINS, CALLER_SILENT, type SplitConversation, splitConversation } from './message-order.ts';
import { createStreamedModel } from './streamed-model.ts';
import { THINKING_TOKENS } from './token-estimate.ts';

export interface AnthropicOptions {
  /** Up to and without `/v1`, for example `https://api.anthropic.com`. */
  baseUrl: string;
  apiKey: string;
  model: string;
  log: Logger;
  clock?: Clock;
}

/** Anthropic's Messages API (API reference, "Messages", "Streaming messages", "Prompt caching"). */
export function createAnthropic({ baseUrl, apiKey, model, log, clock }: AnthropicOptions): LanguageModel {
  const base = baseUrl.replace(/\/+$/, '');
  const { thinks, takesTemperature, fields } = traitsOf(model);

  function body(request: ChatRequest) {
    const { preamble, turnContext, turns } = splitConversation(request.messages);
    const messages = requestMessages(turns);
    const system: Block[] = [];
    if (preamble !== '') system.push({ type: 'text', text: preamble, cache_control: CACHE });
    if (turnContext !== '') system.push({ type: 'text', text: turnContext });
    // The cache matches prefixes: it is useless behind system text of this turn only.
    const last = messages.at(-1)!.content.at(-1)!;
    if (turnContext === '') last.cache_control = CACHE;
    return {
      model,
      max_tokens: request.max_tokens + (thinks ? THINKING_TOKENS : 0),
      ...(system.length > 0 && { system }),
      messages,
      // Without tools the API refuses messages that hold calls.
      ...(request.tools.length > 0 && { tools: request.tools.map(requestTool) }),
      ...(request.tools.length > 0 && request.tool_choice && { tool_choice: { type: 'none' } }),
      ...(takesTemperature && { temperature: Math.min(request.temperature, 1) }),
      ...fields,
      stream: true,
    };
  }

  return createStreamedModel({
    provider: 'anthropic',
    model,
    log,
    ...(clock && { clock }),
    protocol: {
      headers: { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' },
      url: `${base}/v1/messages`,
      warmUrl: `${base}/v1/models/${encodeURIComponent(model)}`,
      body,
      reader: () => createAnthropicReader('anthropic'),
    },
  });
}

type Block = { type: string; cache_control?: typeof CACHE } & Record<string, unknown>;
type RequestMessage = { role: 'user' | 'assistant'; content: Block[] };

/** Caches the prefix for five minutes after each use; a short prefix is not cached. */
const CACHE = { type: 'ephemeral' } as const;

/** The API wants alternating roles, the user's first and last, and no blank blocks. */
function requestMessages(turns: SplitConversation['turns']): RequestMessage[] {
  const messages: RequestMessage[] = [];
  const add = (role: RequestMessage['role'], blocks: Block[]) => {
    if (blocks.length === 0) return;
    if (messages.length === 0 && role === 'assistant') add('user', [{ type: 'text', text: CALL_BEGINS }]);
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: blocks });
  };
  for (const turn of turns) {
    const words: Block[] = turn.content.trim() === '' ? [] : [{ type: 'text', text: turn.content }];
    if (turn.role === 'tool') {
      const result = { type: 'tool_result', tool_use_id: requestToolCallId(turn.tool_call_id), content: turn.content };
      add('user', [result]);
    } else if (turn.role === 'user') add('user', words);
    else add('assistant', [...words, ...(turn.tool_calls ?? []).map(requestToolCall)]);
  }
  if (messages.at(-1)?.role !== 'user') add('user', [{ type: 'text', text: CALLER_SILENT }]);
  return messages;
}

function requestToolCall(call: ToolCall): Block {
  return {
    type: 'tool_use',
    id: requestToolCallId(call.id),
    name: call.name,
    input: record(parseJson(call.arguments)),
  };
}

/** Ids of other providers' calls may have characters that Anthropic rejects. */
function requestToolCallId(id: string): string {
  return id.replace(/[^a-zA-Z0-9_-]/g, '_');
}

/** The API takes schemas of objects only, without choices at the top. */
function requestTool({ name, description, parameters }: ToolDefinition) {
  const { anyOf, oneOf, allOf, ...schema } = parameters;
  return { name, description, input_schema: { ...schema, type: 'object' } };
}

interface Traits {
  /** Thinking cannot be disabled, so the answer's token limit has to include it. */
  thinks: boolean;
  takesTemperature: boolean;
  /** Fields of the request for the least thinking the model allows. */
  fields: Record<string, unknown>;
}

/**
 * The fields a model takes, by its name (Anthropic's migration guides). Models after 4.6 reject a temperature. Models after 4.8
 * think by default, and each family has its own minimum.
 */
function traitsOf(model: string): Traits {
  const named = /claude-([a-z]+)(?:-(\d+))?(?:-(\d{1,2})(?!\d))?/.exec(model);
  const family = named?.[1] ?? '';
  const always = family === 'fable' || family === 'mythos';
  const version = always ? 500 : Number(named?.[2] ?? 0) * 100 + Number(named?.[3] ?? 0);
  const traits = { thinks: false, takesTemperature: version <= 406, fields: {} };
  if (version < 500) return traits;
  if (family === 'haiku' || (version === 500 && (family === 'opus' || family === 'sonnet'))) {
    return { ...traits, fields: { thinking: { type: 'disabled' } } };
  }
  if (family === 'sonnet') return { ...traits, fields: { thinking: { type: 'between_tools' } } };
  return { ...traits, thinks: true, fields: { output_config: { effort: 'low' } } };
}
