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
  /** `served`: by whom, where several models stand behind one. */
  | { type: 'usage'; input_tokens: number; output_tokens: number; served?: { provider: string; model: string } }
  | { type: 'finish'; reason: 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other' };

export type LanguageModelFailure = 'auth' | 'bad_request' | 'capacity' | 'unavailable' | 'timeout';

/** Thrown from the stream. `capacity` is the provider's 429, `unavailable` its 5xx or a broken connection. */
export class LanguageModelError extends Error {
  readonly kind: LanguageModelFailure;
  readonly status: number;
  constructor(kind: LanguageModelFailure, message: string, status = 0) {
    super(message);
    this.name = 'LanguageModelError';
    this.kind = kind;
    this.status = status;
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
