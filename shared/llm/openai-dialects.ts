import type { ChatMessage } from './language-model.ts';
import { CALLER_SILENT, NOTHING_HEARD, splitConversation } from './turn-order.ts';

/** In what the servers that speak OpenAI's chat completions differ: data, and a function where data does not reach. */
export interface Dialect {
  /** `{base}`, `{model}` and `{version}` are filled in. */
  completions: string;
  /** A short answer, unlike the list of all models; after a HEAD Node may drop the connection. */
  description: string;
  /** The header that carries the bare key; null: `Authorization: Bearer`. */
  keyHeader: string | null;
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Null: the server refuses the field. */
  streamOptions: Record<string, boolean> | null;
  /** Higher temperatures are refused. */
  maxTemperature: number;
  /** Fields that keep a model from thinking aloud or long; null for a model that does not think. */
  minimalThinking(model: string): Record<string, string | boolean> | null;
  /** Models that think refuse any temperature but their own. */
  thinkingModelsTakeTemperature: boolean;
  /** The id of a tool call as the server takes it: other providers' calls stand in the history too. */
  callId: RegExp | null;
  order(messages: ChatMessage[]): ChatMessage[];
}

const COMMON: Dialect = {
  completions: '{base}/chat/completions',
  description: '{base}/models/{model}',
  keyHeader: null,
  maxTokensField: 'max_tokens',
  streamOptions: { include_usage: true },
  maxTemperature: 2,
  minimalThinking: () => null,
  thinkingModelsTakeTemperature: true,
  callId: null,
  order: (messages) => messages,
};

const OPENAI: Dialect = {
  ...COMMON,
  maxTokensField: 'max_completion_tokens',
  // Without it every chunk is padded against eavesdroppers who count bytes.
  streamOptions: { include_usage: true, include_obfuscation: false },
  minimalThinking: openAiThinking,
  thinkingModelsTakeTemperature: false,
};

const AZURE: Dialect = {
  ...OPENAI,
  completions: '{base}/openai/deployments/{model}/chat/completions?api-version={version}',
  description: '{base}/openai/models/{model}?api-version={version}',
  keyHeader: 'api-key',
  streamOptions: { include_usage: true },
};

const DIALECTS: Record<string, Dialect> = {
  openai: OPENAI,
  azure: AZURE,
  groq: { ...COMMON, maxTokensField: 'max_completion_tokens', minimalThinking: groqThinking },
  // Fields it does not know are answered with 422.
  mistral: { ...COMMON, streamOptions: null, maxTemperature: 1.5, callId: /^[a-zA-Z0-9]{9}$/, order: mistralOrder },
};

/**
 * `version` is Azure's: a date (`2024-10-21`) or `v1`, the address without dates, where the deployment is named in the
 * body only.
 */
export function dialectOf(provider: string, version: string): Dialect {
  if (provider !== 'azure' || version !== 'v1') return DIALECTS[provider] ?? COMMON;
  return {
    ...AZURE,
    completions: '{base}/openai/v1/chat/completions',
    description: '{base}/openai/v1/models/{model}',
  };
}

/** The least thinking a reasoning model of OpenAI can be asked for. */
function openAiThinking(model: string): Record<string, string> | null {
  if (/^o\d/.test(model)) return { reasoning_effort: 'low' };
  const version = /^gpt-(\d+)(?:\.(\d+))?(?!.*chat)/.exec(model);
  if (version === null || Number(version[1]) < 5) return null;
  return { reasoning_effort: Number(version[1]) === 5 && version[2] === undefined ? 'minimal' : 'none' };
}

/** Groq documentation, "Reasoning". Other models refuse these fields. */
function groqThinking(model: string): Record<string, string | boolean> | null {
  if (/gpt-oss/.test(model)) return { reasoning_effort: 'low', include_reasoning: false };
  return /qwen-?3/.test(model) ? { reasoning_effort: 'none' } : null;
}

/**
 * Mistral's rules of order (mistral-common, its validator of requests): the system speaks before the agent does, the agent
 * after a tool, and the caller or a tool last.
 */
function mistralOrder(messages: ChatMessage[]): ChatMessage[] {
  const { preamble: lead, turnContext: late, turns } = splitConversation(messages);
  const system = [lead, late].filter((words) => words !== '').join('\n\n');
  const ordered: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  for (const turn of turns) {
    if (turn.role === 'user' && ordered.at(-1)?.role === 'tool') {
      ordered.push({ role: 'assistant', content: NOTHING_HEARD });
    }
    ordered.push(turn);
  }
  const last = ordered.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') ordered.push({ role: 'user', content: CALLER_SILENT });
  return ordered;
}
