import { randomUUID } from 'node:crypto';
import { type ChatPart, LanguageModelError, type LanguageModelFailure, type ToolCall } from './language-model.ts';

/**
 * The chunks of a streamed chat completion (OpenAI API reference, "Chat Completions, streaming") as parts. It is
 * lenient, because the many servers that speak this protocol each bend it: chunks without choices or delta, tool
 * calls whole or in pieces, several calls at one index, reasoning beside or inside the text, errors inside the stream.
 */
export interface CompletionReader {
  /**
   * What one event's data says. Usage and finish are not among the parts: see `usage`, `finish`.
   * Throws LanguageModelError when the data is an error.
   */
  read(data: string): ChatPart[];
  /** Text and tool calls held back until now; call it once, when the stream is over. */
  rest(): ChatPart[];
  /** The last count the provider told. */
  usage(): Extract<ChatPart, { type: 'usage' }> | null;
  /** Null until the model has said why it stopped. */
  finish(): Extract<ChatPart, { type: 'finish' }> | null;
  /** `[DONE]` was read. */
  done(): boolean;
  /** Characters of text, reasoning and tool calls so far, for an estimate of the tokens. */
  characters(): number;
}

type FinishReason = Extract<ChatPart, { type: 'finish' }>['reason'];
type Loose = Record<string, unknown>;

export function createCompletionReader(provider: string): CompletionReader {
  const calls: { index: number | null; call: ToolCall }[] = [];
  const spoken = createThinkFilter();
  let usage: Extract<ChatPart, { type: 'usage' }> | null = null;
  let finish: Extract<ChatPart, { type: 'finish' }> | null = null;
  let done = false;
  let characters = 0;

  function readText(text: string, parts: ChatPart[]): void {
    if (text === '') return;
    characters += text.length;
    const said = spoken.push(text);
    if (said !== '') parts.push({ type: 'text', text: said });
  }

  function readContent(content: unknown, parts: ChatPart[]): void {
    if (typeof content === 'string') readText(content, parts);
    // Models that think aloud send a list of parts, some of them thoughts.
    for (const part of list(content)) if (part.type === 'text') readText(text(part.text), parts);
  }

  /** Servers disagree on `index`; a new non-empty id always begins a new call. */
  function readCall(fragment: Loose): void {
    const index = typeof fragment.index === 'number' ? fragment.index : null;
    const id = text(fragment.id);
    const said = record(fragment.function);
    let open = calls.findLast((entry) => index === null || entry.index === index);
    if (open === undefined || (id !== '' && open.call.id !== '' && open.call.id !== id)) {
      open = calls.find((entry) => id !== '' && entry.call.id === id);
      if (open === undefined) {
        open = { index, call: { id: '', name: '', arguments: '' } };
        calls.push(open);
      }
    }
    if (id !== '') open.call.id = id;
    if (open.call.name === '') open.call.name = text(said.name);
    const piece = said.arguments;
    const argumentsText = typeof piece === 'object' && piece !== null ? JSON.stringify(piece) : text(piece);
    open.call.arguments += argumentsText;
    characters += argumentsText.length;
  }

  function takeHeld(): ChatPart[] {
    const parts: ChatPart[] = [];
    const held = spoken.end();
    if (held !== '') parts.push({ type: 'text', text: held });
    for (const { call } of calls.splice(0)) {
      // A call without a name cannot be run, nor sent back in the history.
      if (call.name === '') continue;
      const id = call.id === '' ? `call_${randomUUID().replaceAll('-', '')}` : call.id;
      const argumentsText = call.arguments.trim() === '' ? '{}' : call.arguments;
      parts.push({ type: 'tool_call', call: { id, name: call.name, arguments: argumentsText } });
    }
    return parts;
  }

  return {
    read(data) {
      if (data.trim() === '[DONE]') {
        done = true;
        return [];
      }
      const chunk = record(parseJson(data));
      if (chunk.error !== undefined && chunk.error !== null) throw streamedError(provider, chunk.error);
      const counted = record(chunk.usage ?? record(chunk.x_groq).usage);
      if (typeof counted.prompt_tokens === 'number' || typeof counted.completion_tokens === 'number') {
        usage = {
          type: 'usage',
          input_tokens: count(counted.prompt_tokens),
          output_tokens: count(counted.completion_tokens),
        };
      }
      const parts: ChatPart[] = [];
      const choice = list(chunk.choices).find((entry) => entry.index === undefined || entry.index === 0);
      if (choice === undefined) return parts;
      // A server that does not stream answers with one `message`.
      const delta = record(choice.delta ?? choice.message);
      for (const thought of [delta.reasoning_content, delta.reasoning]) characters += text(thought).length;
      readContent(delta.content, parts);
      readText(text(delta.refusal), parts);
      for (const fragment of list(delta.tool_calls)) readCall(fragment);
      const reason = text(choice.finish_reason);
      if (reason === 'error') throw new LanguageModelError('unavailable', `${provider} broke off its answer`);
      if (reason !== '' && finish === null) {
        parts.push(...takeHeld());
        finish = { type: 'finish', reason: finishReason(reason) };
      }
      return parts;
    },
    rest: takeHeld,
    usage: () => usage,
    finish: () => finish,
    done: () => done,
    characters: () => characters,
  };
}

/** The failure an HTTP status stands for. */
export function failureOfStatus(status: number): LanguageModelFailure {
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 408) return 'timeout';
  // 498 is Groq's "capacity exceeded".
  if (status === 429 || status === 498) return 'capacity';
  return status >= 500 ? 'unavailable' : 'bad_request';
}

/** `code` and `type` of an error body, for messages: the provider's own sentence may quote the conversation. */
export function errorCode(error: unknown): string {
  const { code, type, status } = record(error);
  const named = [code, status, type].find((value) => typeof value === 'string' && /^[\w .-]{1,60}$/.test(value));
  return typeof named === 'string' ? named : '';
}

function streamedError(provider: string, error: unknown): LanguageModelError {
  const { code, status } = record(error);
  const number = [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  const name = errorCode(error);
  const kind = number === undefined ? failureOfCode(name) : failureOfStatus(number);
  return new LanguageModelError(kind, `${provider} broke off its answer${name && ` (${name})`}`, number ?? 0);
}

function failureOfCode(code: string): LanguageModelFailure {
  if (/rate_limit|quota|slow_down|capacity|RESOURCE_EXHAUSTED/i.test(code)) return 'capacity';
  if (/api_key|auth|permission/i.test(code)) return 'auth';
  if (/invalid|context_length|content_filter|not_found|tool_use_failed/i.test(code)) return 'bad_request';
  return 'unavailable';
}

function finishReason(reason: string): FinishReason {
  if (reason === 'stop' || reason === 'length' || reason === 'tool_calls' || reason === 'content_filter') return reason;
  return reason === 'function_call' ? 'tool_calls' : 'other';
}

/**
 * Some servers leave a model's thoughts inside the text, as `<think>…</think>` before the answer. Only at the very
 * start, so that nothing else is ever held back.
 */
function createThinkFilter() {
  const opening = '<think>';
  const closing = '</think>';
  let held = '';
  let state: 'start' | 'thinking' | 'spoken' = 'start';

  return {
    push(piece: string): string {
      if (state === 'spoken') return piece;
      held += piece;
      if (state === 'start') {
        const begun = held.trimStart();
        if (begun.startsWith(opening)) {
          state = 'thinking';
          held = begun.slice(opening.length);
        } else if (!opening.startsWith(begun)) {
          state = 'spoken';
          return held;
        } else {
          return '';
        }
      }
      const end = held.indexOf(closing);
      if (end === -1) {
        held = held.slice(-closing.length);
        return '';
      }
      const answer = held.slice(end + closing.length).trimStart();
      held = '';
      state = 'spoken';
      return answer;
    },
    end(): string {
      const left = state === 'start' ? held : '';
      held = '';
      state = 'spoken';
      return left;
    },
  };
}

/** The value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function record(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {};
}

function list(value: unknown): Loose[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function count(value: unknown): number {
  return typeof value === 'number' && value >= 0 ? value : 0;
}
