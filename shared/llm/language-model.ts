/**
 * The port to language models; both programs talk to models through it. An adapter is one file beside this one.
 * Retries, deadlines and fallback are the caller's: an adapter tries once and tells how it went.
 */

export type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string }
  | { role: 'assistant'; content: string; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; name: string; content: string };

export interface ToolCall {
  id: string;
  name: string;
  /** The arguments as the model wrote them: JSON text, possibly broken. */
  arguments: string;
  /** What the provider wants back beside the call in the history; opaque, and nothing to any other provider. */
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
  temperature: number;
  max_tokens: number;
}

/** What a model streams. Reasoning is dropped by the adapter; it is never spoken. */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; call: ToolCall }
  | { type: 'usage'; input_tokens: number; output_tokens: number }
  | { type: 'finish'; reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other' };

export type LanguageModelFailure = 'auth' | 'bad_request' | 'capacity' | 'unavailable' | 'timeout';

/**
 * Thrown from the stream. `capacity` is the provider's 429, or that it says inside a stream to be overloaded;
 * `unavailable` its 5xx or a broken connection.
 */
export class LanguageModelError extends Error {
  readonly kind: LanguageModelFailure;
  /** Of HTTP; 0 where there was none. */
  readonly status: number;
  /** How long the provider asks to be left alone, in milliseconds; null when it does not say. */
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
  /**
   * Starts one completion. The parts arrive in order; `tool_call` parts are whole. Ends after `finish`, throws
   * LanguageModelError on failure, and ends quietly when `signal` aborts. Where the provider reports no usage an
   * estimate (characters / 4) is given.
   */
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatPart>;
  /** Opens the connection ahead of the first use; never throws. */
  warm(): Promise<void>;
}
