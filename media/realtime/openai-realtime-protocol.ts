import type { ToolDefinition } from '../../shared/llm/language-model.ts';
import { count, list, record, text } from '../../shared/llm/loose-json.ts';
import type { RealtimeTokens } from '../../shared/usage.ts';
import type { AudioFormat } from '../audio/format.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import type { RealtimeItem, RealtimePrompt, RealtimeReplyRequest } from './realtime-model.ts';

/**
 * OpenAI Realtime's messages as pure functions (public documentation: platform.openai.com/docs/guides/realtime-conversations and
 * platform.openai.com/docs/api-reference/realtime-client-events).
 */

export interface OpenAiSession {
  prompt: RealtimePrompt;
  voice: string;
  output: 'audio' | 'text';
  /** The provider finds the end of the caller's turns; replies are still asked for. */
  detectsTurns: boolean;
  transcriptionModel: string;
  /** ISO 639-1; empty: it is found out. */
  language: string;
  input: AudioFormat;
  outputFormat: AudioFormat;
}

/** The only rate of PCM that it takes and gives. */
export const PCM_24K: AudioFormat = { encoding: 'pcm16', sample_rate: 24_000 };

export function openAiRealtimeAddress(baseUrl: string, model: string): string {
  return `${baseUrl.replace(/\/+$/, '').replace(/^http/, 'ws')}/realtime?model=${encodeURIComponent(model)}`;
}

/** G.711 at 8 kHz as it is; all else as PCM. */
export function openAiFormat(format: AudioFormat): AudioFormat {
  return format.encoding !== 'pcm16' && format.sample_rate === 8_000 ? format : PCM_24K;
}

/** `hi-IN` → `hi`; empty where the language is to be found out. */
export function openAiLanguage(language: string): string {
  const base = language.trim().toLowerCase().split(/[-_]/)[0]!;
  return /^[a-z]{2}$/.test(base) ? base : '';
}

export function sessionUpdate(session: OpenAiSession): string {
  const { prompt, voice, output, detectsTurns, transcriptionModel, language, input, outputFormat } = session;
  return message('session.update', {
    session: {
      type: 'realtime',
      output_modalities: [output],
      ...promptFields(prompt),
      audio: {
        input: {
          format: formatFields(input),
          transcription: { model: transcriptionModel, ...(language === '' ? {} : { language }) },
          turn_detection: detectsTurns
            ? { type: 'semantic_vad', create_response: false, interrupt_response: false }
            : null,
        },
        output: { format: formatFields(outputFormat), voice },
      },
      // Fewer, larger cuts of a long history keep the provider's cache of the rest.
      truncation: { type: 'retention_ratio', retention_ratio: 0.8 },
    },
  });
}

export const promptUpdate = (prompt: RealtimePrompt) =>
  message('session.update', { session: { type: 'realtime', ...promptFields(prompt) } });

/** The formats again, after the session came back with others. */
export const formatUpdate = ({ input, outputFormat }: Pick<OpenAiSession, 'input' | 'outputFormat'>) =>
  message('session.update', {
    session: {
      type: 'realtime',
      audio: { input: { format: formatFields(input) }, output: { format: formatFields(outputFormat) } },
    },
  });

/** Whether `session.created` or `session.updated` names these formats; a message that names none agrees. */
export function agreesWith(
  given: unknown,
  { input, outputFormat }: Pick<OpenAiSession, 'input' | 'outputFormat'>,
): boolean {
  const audio = record(record(given).audio);
  const same = (side: unknown, format: AudioFormat) => {
    const named = record(record(side).format);
    return named.type === undefined || named.type === formatFields(format).type;
  };
  return same(audio.input, input) && same(audio.output, outputFormat);
}

export const appendAudio = (chunk: Uint8Array) =>
  `{"type":"input_audio_buffer.append","audio":"${Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')}"}`;

export const commitAudio = (itemId: string) => message('input_audio_buffer.commit', { event_id: `commit-${itemId}` });

export const deleteItem = (item_id: string) => message('conversation.item.delete', { item_id });

export const truncateItem = (item_id: string, audio_end_ms: number) =>
  message('conversation.item.truncate', { item_id, content_index: 0, audio_end_ms: Math.floor(audio_end_ms) });

/** In the place of an item's id: what follows it is the first item. */
export const FIRST = 'root';

/** `after`: the provider's id of an item; null: the last one. */
export function createItem(item: RealtimeItem, after: string | null): string {
  return message('conversation.item.create', {
    ...(after === null ? {} : { previous_item_id: after }),
    item: { id: item.id, ...itemFields(item) },
  });
}

export function createResponse({ replyId, maxTokens, mayCallTools }: RealtimeReplyRequest): string {
  return message('response.create', {
    event_id: `reply-${replyId}`,
    response: {
      metadata: { reply: replyId },
      max_output_tokens: Math.min(MAX_OUTPUT_TOKENS, maxTokens),
      ...(mayCallTools ? {} : { tool_choice: 'none' }),
    },
  });
}

export const cancelResponse = (response_id: string) => message('response.cancel', { response_id });

const MAX_OUTPUT_TOKENS = 4_096;
const MAX_CALL_ID = 32;

const message = (type: string, fields: Record<string, unknown>) => JSON.stringify({ type, ...fields });

function promptFields({ instructions, tools }: RealtimePrompt) {
  return { instructions, tools: tools.map(toolFields) };
}

function toolFields({ name, description, parameters }: ToolDefinition) {
  return { type: 'function', name, description, parameters };
}

function formatFields({ encoding }: AudioFormat): Record<string, unknown> {
  if (encoding === 'mulaw') return { type: 'audio/pcmu' };
  if (encoding === 'alaw') return { type: 'audio/pcma' };
  return { type: 'audio/pcm', rate: PCM_24K.sample_rate };
}

function itemFields(item: RealtimeItem): Record<string, unknown> {
  switch (item.type) {
    case 'message': {
      const type = item.role === 'assistant' ? 'output_text' : 'input_text';
      return { type: 'message', role: item.role, content: [{ type, text: item.text }] };
    }
    case 'tool_call': {
      const { id, name, arguments: args } = item.call;
      return { type: 'function_call', call_id: id.slice(0, MAX_CALL_ID), name, arguments: args };
    }
    case 'tool_result':
      return { type: 'function_call_output', call_id: item.callId.slice(0, MAX_CALL_ID), output: item.result };
  }
}

/** Of `response.done`. */
export function responseTokens(usage: unknown): RealtimeTokens {
  const { input_token_details, output_token_details } = record(usage);
  const input = record(input_token_details);
  const output = record(output_token_details);
  const cached = record(input.cached_tokens_details);
  return {
    text_input_tokens: count(input.text_tokens),
    audio_input_tokens: count(input.audio_tokens),
    cached_text_input_tokens: Math.min(count(cached.text_tokens), count(input.text_tokens)),
    cached_audio_input_tokens: Math.min(count(cached.audio_tokens), count(input.audio_tokens)),
    text_output_tokens: count(output.text_tokens),
    audio_output_tokens: count(output.audio_tokens),
  };
}

/** Of the caller's audio. */
const TOKENS_PER_SECOND = 10;

/** Of a finished transcript of the caller: some models count seconds, others tokens. */
export function transcribedSeconds(usage: unknown): number {
  const { type, seconds, input_token_details } = record(usage);
  if (type === 'duration') return count(Number(seconds) * 1_000) / 1_000;
  return count(record(input_token_details).audio_tokens) / TOKENS_PER_SECOND;
}

/** The calls of a finished response that no other message has named. */
export function responseCalls(response: unknown) {
  return list(record(response).output)
    .filter(({ type }) => type === 'function_call')
    .map((item) => functionCall(item));
}

export function functionCall(item: Record<string, unknown>) {
  const { id, call_id, name, arguments: args } = item;
  return { itemId: text(id), call: { id: text(call_id), name: text(name), arguments: text(args) } };
}

const AUTH_CODES = new Set([
  'invalid_api_key',
  'account_deactivated',
  'billing_hard_limit_reached',
  'insufficient_quota',
]);

/** What an error's code means for the session; null: it is usable as before. */
export function fatalFailure(code: string): ProviderFailure | null {
  if (AUTH_CODES.has(code)) return 'auth';
  if (code === 'session_expired') return 'unavailable';
  if (code === 'invalid_model' || code === 'model_not_found') return 'bad_request';
  return null;
}

/** What the error of a failed response means. */
export function replyFailure(code: string): ProviderFailure {
  if (code.includes('rate_limit')) return 'capacity';
  return fatalFailure(code) ?? 'unavailable';
}
