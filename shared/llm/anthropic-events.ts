import type { AnswerReader, FinishReason } from './answer-reader.ts';
import type { ChatPart, ToolCall } from './language-model.ts';
import { count, type Loose, parseJson, record, text } from './loose-json.ts';
import { streamedError } from './model-failures.ts';

/** The events of a streamed message (Anthropic API reference, "Streaming messages"). */
export function createAnthropicReader(provider: string): AnswerReader {
  /** By the index of their block. */
  const calls = new Map<unknown, ToolCall>();
  let inputTokens: number | null = null;
  let outputTokens: number | null = null;
  let finish: Extract<ChatPart, { type: 'finish' }> | null = null;
  let done = false;
  let characters = 0;

  function textParts(delta: string): ChatPart[] {
    characters += delta.length;
    return delta === '' ? [] : [{ type: 'text', text: delta }];
  }

  function readUsage(usage: Loose): void {
    if (typeof usage.input_tokens !== 'number') return;
    // Tokens read from or written to the cache are not among input_tokens.
    inputTokens =
      count(usage.input_tokens) + count(usage.cache_read_input_tokens) + count(usage.cache_creation_input_tokens);
  }

  function startBlock(index: unknown, block: Loose): ChatPart[] {
    if (block.type === 'text') return textParts(text(block.text));
    if (block.type !== 'tool_use') return [];
    const input = JSON.stringify(record(block.input));
    calls.set(index, { id: text(block.id), name: text(block.name), arguments: input === '{}' ? '' : input });
    return [];
  }

  function readDelta(index: unknown, delta: Loose): ChatPart[] {
    if (delta.type === 'text_delta') return textParts(text(delta.text));
    if (delta.type === 'thinking_delta') characters += text(delta.thinking).length;
    if (delta.type !== 'input_json_delta') return [];
    const json = text(delta.partial_json);
    const call = calls.get(index);
    if (call) call.arguments += json;
    characters += json.length;
    return [];
  }

  /** Held back until the model has stopped, so that an aborted answer runs no tool. */
  function takeCalls(): ChatPart[] {
    const whole = [...calls.values()].filter((call) => call.name !== '');
    calls.clear();
    return whole.map((call) => ({
      type: 'tool_call',
      call: { ...call, arguments: call.arguments.trim() === '' ? '{}' : call.arguments },
    }));
  }

  return {
    read(data) {
      const event = record(parseJson(data));
      switch (event.type) {
        case 'message_start':
          readUsage(record(record(event.message).usage));
          return [];
        case 'content_block_start':
          return startBlock(event.index, record(event.content_block));
        case 'content_block_delta':
          return readDelta(event.index, record(event.delta));
        case 'message_delta': {
          const usage = record(event.usage);
          readUsage(usage);
          if (typeof usage.output_tokens === 'number') outputTokens = count(usage.output_tokens);
          const reason = text(record(event.delta).stop_reason);
          if (reason === '') return [];
          finish = { type: 'finish', reason: FINISH[reason] ?? 'other' };
          return takeCalls();
        }
        case 'message_stop':
          done = true;
          return [];
        case 'error':
          throw streamedError(provider, event.error);
        default:
          return [];
      }
    },
    rest: takeCalls,
    usage: () =>
      inputTokens === null || outputTokens === null
        ? null
        : { type: 'usage', input_tokens: inputTokens, output_tokens: outputTokens },
    finish: () => finish,
    done: () => done,
    characters: () => characters,
  };
}

const FINISH: Record<string, FinishReason> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};
