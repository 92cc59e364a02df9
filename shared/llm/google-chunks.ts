import { randomUUID } from 'node:crypto';
import type { AnswerReader, FinishReason } from './answer-reader.ts';
import { type ChatPart, LanguageModelError, type ToolCall } from './language-model.ts';
import { count, type Loose, list, parseJson, record, text } from './loose-json.ts';
import { streamedError } from './model-failures.ts';

/**
 * Reads the chunks of a streamed answer (Gemini API reference, "GenerateContentResponse"). There is no end marker, calls come
 * whole, and the finish reason after a call is `STOP` as well.
 */
export function createGoogleReader(provider: string): AnswerReader {
  const calls: ToolCall[] = [];
  let usage: Extract<ChatPart, { type: 'usage' }> | null = null;
  let finish: Extract<ChatPart, { type: 'finish' }> | null = null;
  let characters = 0;
  let spoken = false;

  function readPart(part: Loose): ChatPart[] {
    if (part.functionCall !== undefined) {
      const { id, name, args } = record(part.functionCall);
      const call: ToolCall = {
        id: text(id) || `call_${randomUUID().replaceAll('-', '')}`,
        name: text(name),
        arguments: JSON.stringify(record(args)),
      };
      if (text(part.thoughtSignature) !== '') call.signature = text(part.thoughtSignature);
      characters += call.arguments.length;
      // A call without a name can neither be run nor sent back in the history.
      if (call.name !== '') calls.push(call);
      return [];
    }
    const delta = text(part.text);
    characters += delta.length;
    if (delta === '' || part.thought === true) return [];
    spoken = true;
    return [{ type: 'text', text: delta }];
  }

  /** Held back until the model has stopped, so that an aborted answer runs no tool. */
  function takeCalls(): ChatPart[] {
    return calls.splice(0).map((call) => ({ type: 'tool_call', call }));
  }

  function readChunk(chunk: Loose): ChatPart[] {
    if (chunk.error !== undefined && chunk.error !== null) throw streamedError(provider, chunk.error);
    const counted = record(chunk.usageMetadata);
    if (typeof counted.promptTokenCount === 'number') {
      usage = {
        type: 'usage',
        input_tokens: count(counted.promptTokenCount),
        output_tokens: count(counted.candidatesTokenCount) + count(counted.thoughtsTokenCount),
      };
    }
    const candidate = list(chunk.candidates).find((each) => each.index === undefined || each.index === 0);
    // A blocked prompt has no candidates.
    const reason = text(candidate?.finishReason) || (text(record(chunk.promptFeedback).blockReason) && 'SAFETY');
    const parts = list(record(candidate?.content).parts).flatMap(readPart);
    if (reason === '' || finish !== null) return parts;
    const called = calls.length > 0;
    // The model wrote an invalid call; a retry mostly succeeds.
    if (/^(MALFORMED|UNEXPECTED)_/.test(reason) && !spoken && !called) {
      throw new LanguageModelError('unavailable', `${provider} broke off its answer (${reason})`);
    }
    parts.push(...takeCalls());
    finish = { type: 'finish', reason: called && reason === 'STOP' ? 'tool_calls' : (FINISH[reason] ?? 'other') };
    return parts;
  }

  return {
    read(data) {
      const json = parseJson(data);
      // A proxy may return a list instead of events.
      return (Array.isArray(json) ? list(json) : [record(json)]).flatMap(readChunk);
    },
    rest: takeCalls,
    usage: () => usage,
    finish: () => finish,
    done: () => false,
    characters: () => characters,
  };
}

const FINISH: Record<string, FinishReason> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  RECITATION: 'content_filter',
  BLOCKLIST: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  SPII: 'content_filter',
};
