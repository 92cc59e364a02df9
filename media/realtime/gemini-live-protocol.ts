import { geminiSchema } from '../../shared/llm/google-schema.ts';
import { count, list, record, text } from '../../shared/llm/loose-json.ts';
import type { RealtimeTokens } from '../../shared/usage.ts';
import { type AudioFormat, PCM_16K } from '../audio/format.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { closeFailure } from '../provider/socket.ts';
import type { RealtimeItem, RealtimePrompt } from './realtime-model.ts';

/**
 * Gemini Live's messages as pure functions (public documentation: ai.google.dev/api/live and ai.google.dev/gemini-api/docs/live-guide).
 * A client's message has one key; a server's may have several, each with several fields.
 */

export const INPUT: AudioFormat = PCM_16K;
export const OUTPUT: AudioFormat = { encoding: 'pcm16', sample_rate: 24_000 };

const PATH = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent';

export const geminiLiveAddress = (baseUrl: string) => `${baseUrl.replace(/\/+$/, '').replace(/^http/, 'ws')}${PATH}`;

export interface GeminiSession {
  model: string;
  voice: string;
  temperature: number;
  prompt: RealtimePrompt;
}

export function setup({ model, voice, temperature, prompt }: GeminiSession): string {
  const { instructions, tools } = prompt;
  // From 3.8 on the model would go on talking without waiting for a tool's result.
  const behavior = model.startsWith('gemini-3.8') ? { behavior: 'BLOCKING' } : {};
  const functionDeclarations = tools.map(({ name, description, parameters }) => {
    const schema = geminiSchema(parameters);
    return { name, description, ...(schema === null ? {} : { parameters: schema }), ...behavior };
  });
  return JSON.stringify({
    setup: {
      model: `models/${model}`,
      generationConfig: {
        responseModalities: ['AUDIO'],
        temperature,
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
      },
      ...(instructions === '' ? {} : { systemInstruction: { parts: [{ text: instructions }] } }),
      ...(functionDeclarations.length === 0 ? {} : { tools: [{ functionDeclarations }] }),
      // The caller's activity is found by the engine, which also decides what it interrupts.
      realtimeInputConfig: {
        automaticActivityDetection: { disabled: true },
        activityHandling: 'NO_INTERRUPTION',
      },
      inputAudioTranscription: {},
      outputAudioTranscription: {},
      // Without it a session of audio ends after 15 minutes.
      contextWindowCompression: { slidingWindow: {} },
    },
  });
}

export const activityStart = '{"realtimeInput":{"activityStart":{}}}';
export const activityEnd = '{"realtimeInput":{"activityEnd":{}}}';
/** Stops what is being generated, and says nothing. */
export const stopGenerating = '{"clientContent":{"turnComplete":false}}';

export const audioInput = (chunk: Uint8Array) =>
  `{"realtimeInput":{"audio":{"mimeType":"audio/pcm;rate=16000","data":"${Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('base64')}"}}}`;

export interface Turn {
  role: 'user' | 'model';
  parts: { text: string }[];
}

export const content = (turns: readonly Turn[], turnComplete: boolean) =>
  JSON.stringify({ clientContent: { turns, turnComplete } });

export interface ToolAnswer {
  id: string;
  name: string;
  result: string;
}

/** `silent`: the model is not to speak for it. */
export const toolResponse = (answers: readonly ToolAnswer[], silent: boolean) =>
  JSON.stringify({
    toolResponse: {
      functionResponses: answers.map(({ id, name, result }) => ({
        ...{ id, name, response: { result } },
        ...(silent ? { scheduling: 'SILENT' } : {}),
      })),
    },
  });

/** An item as words; null for the result of a call of this session, which is answered as such. */
export function turnOf(item: RealtimeItem): Turn {
  const said = (role: Turn['role'], words: string): Turn => ({ role, parts: [{ text: words }] });
  switch (item.type) {
    case 'message':
      if (item.role === 'system') return said('user', item.text.startsWith('[') ? item.text : `[${item.text}]`);
      return said(item.role === 'assistant' ? 'model' : 'user', item.text);
    case 'tool_call':
      return said('model', `[called ${item.call.name} with ${item.call.arguments}]`);
    case 'tool_result':
      return said('user', `[${item.name} answered: ${item.result}]`);
  }
}

/** The usage of a turn by the kind of its tokens; those that are not itemised count as text. */
export function turnTokens(usage: unknown): RealtimeTokens {
  const { promptTokensDetails, responseTokensDetails, cacheTokensDetails, ...totals } = record(usage);
  const input = byModality(promptTokensDetails, count(totals.promptTokenCount) + count(totals.toolUsePromptTokenCount));
  const output = byModality(responseTokensDetails, count(totals.responseTokenCount) + count(totals.thoughtsTokenCount));
  const cached = byModality(cacheTokensDetails, count(totals.cachedContentTokenCount));
  return {
    text_input_tokens: input.text,
    audio_input_tokens: input.audio,
    cached_text_input_tokens: Math.min(cached.text, input.text),
    cached_audio_input_tokens: Math.min(cached.audio, input.audio),
    text_output_tokens: output.text,
    audio_output_tokens: output.audio,
  };
}

function byModality(details: unknown, total: number): { text: number; audio: number } {
  const audio = list(details)
    .filter(({ modality }) => modality === 'AUDIO')
    .reduce((sum, { tokenCount }) => sum + count(tokenCount), 0);
  return { audio, text: Math.max(0, total - audio) };
}

/** `50s` → 50,000; a minute where nothing can be read. */
export function timeLeftMs(goAway: unknown): number {
  const seconds = Number.parseFloat(text(record(goAway).timeLeft));
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1_000 : 60_000;
}

/** Quota and keys come as the reasons of closes. */
export function geminiCloseFailure(code: number, reason: string): ProviderFailure | undefined {
  if (/quota|resource.?exhausted|credit/i.test(reason)) return 'capacity';
  if (/api.?key|permission|unauthenticated/i.test(reason)) return 'auth';
  return closeFailure(code);
}

/** Instructions without the moment of the call, which changes every quarter of an hour. */
export const withoutMoment = (instructions: string) => instructions.replace(/\n\nToday is [^\n]*$/u, '');
