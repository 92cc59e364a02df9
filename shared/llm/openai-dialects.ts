import type { ChatMessage } from './language-model.ts';
import { CALLER_SILENT, NOTHING_PLAYED, splitConversation } from './message-order.ts';

/** How servers with OpenAI's chat completions API differ. */
export interface Dialect {
  /** `{base}`, `{model}` and `{version}` are filled in. */
  completions: string;
  /** A URL with a short response, to open the connection; after a HEAD Node may drop it. */
  description: string;
  /** The header for the key; null: `Authorization: Bearer`. */
  keyHeader: string | null;
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Null: the server rejects the field. */
  streamOptions: Record<string, boolean> | null;
  /** Higher temperatures are rejected. */
  maxTemperature: number;
  /** Fields for minimal reasoning; null for a model that does not reason. */
  minimalThinking(model: string): Record<string, string | boolean> | null;
  /** False: reasoning models reject any temperature but their own. */
  thinkingModelsTakeTemperature: boolean;
  /** False: servers may ignore the choice, so a model that is to call no tool is offered none. */
  takesToolChoice: boolean;
  /** Tool call ids the server accepts: the history may have calls of other providers. */
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
  takesToolChoice: false,
  callId: null,
  order: (messages) => messages,
};

const OPENAI: Dialect = {
  ...COMMON,
  maxTokensField: 'max_completion_tokens',
  // By default every chunk is padded against traffic analysis.
  streamOptions: { include_usage: true, include_obfuscation: false },
  minimalThinking: openAiThinking,
  thinkingModelsTakeTemperature: false,
  takesToolChoice: true,
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
  groq: { ...COMMON, maxTokensField: 'max_completion_tokens', minimalThinking: groqThinking, takesToolChoice: true },
  // Unknown fields are rejected with 422.
  mistral: {
    ...COMMON,
    streamOptions: null,
    maxTemperature: 1.5,
    takesToolChoice: true,
    callId: /^[a-zA-Z0-9]{9}$/,
    order: mistralOrder,
  },
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

/** Minimal reasoning of OpenAI's models. */
function openAiThinking(model: string): Record<string, string> | null {
  if (/^o\d/.test(model)) return { reasoning_effort: 'low' };
  const version = /^gpt-(\d+)(?:\.(\d+))?(?!.*chat)/.exec(model);
  if (version === null || Number(version[1]) < 5) return null;
  return { reasoning_effort: Number(version[1]) === 5 && version[2] === undefined ? 'minimal' : 'none' };
}

/** Groq documentation, "Reasoning". Other models reject these fields. */
function groqThinking(model: string): Record<string, string | boolean> | null {
  if (/gpt-oss/.test(model)) return { reasoning_effort: 'low', include_reasoning: false };
  return /qwen-?3/.test(model) ? { reasoning_effort: 'none' } : null;
}

/**
 * Mistral's order of messages (mistral-common, its request validator): system first, an assistant message after a tool's, and a
 * user or tool message last.
 */
function mistralOrder(messages: ChatMessage[]): ChatMessage[] {
  const { preamble, turnContext, turns } = splitConversation(messages);
  const system = [preamble, turnContext].filter((words) => words !== '').join('\n\n');
  const ordered: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  for (const turn of turns) {
    if (turn.role === 'user' && ordered.at(-1)?.role === 'tool') {
      ordered.push({ role: 'assistant', content: NOTHING_PLAYED });
    }
    ordered.push(turn);
  }
  const last = ordered.at(-1)?.role;
  if (last !== 'user' && last !== 'tool') ordered.push({ role: 'user', content: CALLER_SILENT });
  return ordered;
}
