import { randomUUID } from 'node:crypto';
import type { AnswerReader, FinishReason } from './answer-reader.ts';
import { type ChatPart, LanguageModelError, type ToolCall } from './language-model.ts';
import { count, type Loose, list, parseJson, record, text } from './loose-json.ts';
import { streamedError } from './model-failures.ts';

/**
 * Reads the chunks of a streamed chat completion (OpenAI API reference, "Chat Completions, streaming"). It is lenient, because
 * servers deviate from this protocol: chunks without choices or delta, tool calls whole or in fragments, several calls at one
 * index, reasoning beside or inside the text, errors inside the stream.
 */
export function createCompletionReader(provider: string): AnswerReader {
  const calls: { index: number | null; call: ToolCall }[] = [];
  const spoken = createThinkFilter();
  let usage: Extract<ChatPart, { type: 'usage' }> | null = null;
  let finish: Extract<ChatPart, { type: 'finish' }> | null = null;
  let done = false;
  let called = false;
  let characters = 0;

  function readText(text: string, parts: ChatPart[]): void {
    if (text === '') return;
    characters += text.length;
    const said = spoken.push(text);
    if (said !== '') parts.push({ type: 'text', text: said });
  }

  function readContent(content: unknown, parts: ChatPart[]): void {
    if (typeof content === 'string') readText(content, parts);
    // Reasoning models send a list of parts, some of them reasoning.
    for (const part of list(content)) if (part.type === 'text') readText(text(part.text), parts);
  }

  /**
   * Servers use `index` differently. A new non-empty id starts a new call; without ids, a name after complete arguments does.
   */
  function readCall(fragment: Loose): void {
    const index = typeof fragment.index === 'number' ? fragment.index : null;
    const id = text(fragment.id);
    const said = record(fragment.function);
    const fragmentArguments = said.arguments;
    const argumentsText =
      typeof fragmentArguments === 'object' && fragmentArguments !== null
        ? JSON.stringify(fragmentArguments)
        : text(fragmentArguments);
    let open = calls.findLast((entry) => index === null || entry.index === index);
    const other = id !== '' && open?.call.id !== '' && open?.call.id !== id;
    const next = id === '' && text(said.name) !== '' && argumentsText !== '' && isWhole(open?.call);
    if (open === undefined || other || next) {
      open = calls.find((entry) => id !== '' && entry.call.id === id);
      if (open === undefined) {
        open = { index, call: { id: '', name: '', arguments: '' } };
        calls.push(open);
      }
    }
    if (id !== '') open.call.id = id;
    if (open.call.name === '') open.call.name = text(said.name);
    open.call.arguments += argumentsText;
    characters += argumentsText.length;
  }

  function takeHeld(): ChatPart[] {
    const parts: ChatPart[] = [];
    const held = spoken.end();
    if (held !== '') parts.push({ type: 'text', text: held });
    for (const { call } of calls.splice(0)) {
      // A call without a name can neither be run nor sent back in the history.
      if (call.name === '') continue;
      const id = call.id === '' ? `call_${randomUUID().replaceAll('-', '')}` : call.id;
      const argumentsText = call.arguments.trim() === '' ? '{}' : call.arguments;
      parts.push({ type: 'tool_call', call: { id, name: call.name, arguments: argumentsText } });
      called = true;
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
      // A server that does not stream sends one `message`.
      const delta = record(choice.delta ?? choice.message);
      for (const thought of [delta.reasoning_content, delta.reasoning]) characters += text(thought).length;
      readContent(delta.content, parts);
      readText(text(delta.refusal), parts);
      for (const fragment of list(delta.tool_calls)) readCall(fragment);
      const reason = text(choice.finish_reason);
      if (reason === 'error') throw new LanguageModelError('unavailable', `${provider} broke off its answer`);
      if (reason !== '' && finish === null) {
        parts.push(...takeHeld());
        // Some servers say `stop` after a call.
        finish = { type: 'finish', reason: called && reason === 'stop' ? 'tool_calls' : finishReason(reason) };
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

function isWhole(call: ToolCall | undefined): boolean {
  return call !== undefined && call.name !== '' && parseJson(call.arguments) !== undefined;
}

function finishReason(reason: string): FinishReason {
  if (reason === 'stop' || reason === 'length' || reason === 'tool_calls' || reason === 'content_filter') return reason;
  return reason === 'function_call' ? 'tool_calls' : 'other';
}

/**
 * Removes reasoning that some servers leave in the text as `<think>…</think>`. Only at the start of the answer, so that nothing
 * else is held back.
 */
function createThinkFilter() {
  const opening = '<think>';
  const closing = '</think>';
  let held = '';
  let state: 'start' | 'thinking' | 'spoken' = 'start';

  return {
    push(delta: string): string {
      if (state === 'spoken') return delta;
      held += delta;
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
