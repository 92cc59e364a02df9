/**
 * The interface to language models, used by both programs. An adapter is one file beside this one. It tries once; retries,
 * deadlines and fallbacks are the caller's.
 */

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; name: string; content: string };

export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them: JSON text, possibly invalid. */
  arguments: string;
  /** Opaque data that this provider wants back with the call in the history. */
  signature?: string;
}

export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>;
}

export interface ChatRequest {
  messages: ChatMessage[];
  tools: ToolDefinition[];
  /** `none`: the model is to answer without calling one of the tools, which the messages may hold calls of. */
  tool_choice?: 'none';
  temperature: number;
  max_tokens: number;
  /** The reply of the call that the answer is for; left out where it is not said. A model that speaks itself needs it. */
  reply_id?: string;
}

/** What a model streams, without its reasoning, which the adapter drops. */
export type ChatPart =
  /** `voiced`: the model says these words itself, as audio of its reply. */
  | { type: 'text'; text: string; voiced?: boolean }
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'usage'; input_tokens: number; output_tokens: number }
  | { type: 'finish'; reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other' };

export type LanguageModelFailure = 'auth' | 'bad_request' | 'capacity' | 'unavailable' | 'timeout';

/**
 * Thrown from the stream. `capacity`: status 429, or an overload reported inside a stream; `unavailable`: status 5xx or a broken
 * connection.
 */
export class LanguageModelError extends Error {
  readonly kind: LanguageModelFailure;
  /** HTTP status; 0 without a response. */
  readonly status: number;
  /** The provider's Retry-After in milliseconds; null without one. */
  readonly retryAfterMs: number | null;
  constructor(kind: LanguageModelFailure, message: string, status = 0, retryAfterMs: number | null = null) {
    super(message);
    this.name = 'LanguageModelError';
    this.kind = kind;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

export interface LanguageModel {
  readonly provider: string;
  readonly model: string;
  /** Tokens of a request and its answer at most; no limit that is known where left out. */
  readonly contextTokens?: number;
  /**
   * Starts one completion. The parts arrive in order; `tool_call` parts are whole. Ends after `finish`, throws
   * LanguageModelError on failure, and ends without an error when `signal` aborts. Usage is estimated (characters / 4) where the
   * provider reports none.
   */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
  /** Opens the connection before the first request; never throws. */
  warm(): Promise<void>;
}
