import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { createGoogleReader } from './google-chunks.ts';
import { geminiSchema } from './google-schema.ts';
import type { ChatRequest, LanguageModel, ToolCall, ToolDefinition } from './language-model.ts';
import { parseJson, record } from './loose-json.ts';
import { CALL_BEGINS, CALLER_SILENT, type SplitConversation, splitConversation } from './message-order.ts';
import { createStreamedModel } from './streamed-model.ts';
import { THINKING_TOKENS } from './token-estimate.ts';

export interface GoogleOptions {
  /** Up to and without `/v1beta`, for example `https://generativelanguage.googleapis.com`. */
  baseUrl: string;
  apiKey: string;
  model: string;
  log: Logger;
  clock?: Clock;
}

/**
 * Google's Gemini API (API reference, "models.streamGenerateContent", with server-sent events). The provider computes and charges
 * an aborted answer in full.
 */
export function createGoogle({ baseUrl, apiKey, model, log, clock }: GoogleOptions): LanguageModel {
  const base = `${baseUrl.replace(/\/+$/, '')}/v1beta/models/${encodeURIComponent(model)}`;
  const thinking = minimalThinking(model);
  const thinks = thinking !== null && thinking.thinkingBudget !== 0;

  function body(request: ChatRequest) {
    const { preamble, turnContext, turns } = splitConversation(request.messages);
    const system = [preamble, turnContext].filter((words) => words !== '').map((words) => ({ text: words }));
    return {
      ...(system.length > 0 && { systemInstruction: { parts: system } }),
      contents: requestContents(turns, wantsSignatures(model)),
      ...(request.tools.length > 0 && { tools: [{ functionDeclarations: request.tools.map(requestTool) }] }),
      ...(request.tool_choice && { toolConfig: { functionCallingConfig: { mode: 'NONE' } } }),
      generationConfig: {
        maxOutputTokens: request.max_tokens + (thinks ? THINKING_TOKENS : 0),
        temperature: request.temperature,
        ...(thinking !== null && { thinkingConfig: thinking }),
      },
    };
  }

  return createStreamedModel({
    provider: 'google',
    model,
    log,
    ...(clock && { clock }),
    protocol: {
      headers: { 'x-goog-api-key': apiKey },
      url: `${base}:streamGenerateContent?alt=sse`,
      warmUrl: base,
      body,
      reader: () => createGoogleReader('google'),
    },
  });
}

type Part = Record<string, unknown>;
type Content = { role: 'user' | 'model'; parts: Part[] };

/** The API wants alternating roles, and function calls right after the user's turn or a function's result. */
function requestContents(turns: SplitConversation['turns'], signed: boolean): Content[] {
  const contents: Content[] = [];
  const add = (role: Content['role'], parts: Part[]) => {
    if (parts.length === 0) return;
    if (contents.length === 0 && role === 'model') add('user', [{ text: CALL_BEGINS }]);
    const last = contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else contents.push({ role, parts });
  };
  for (const turn of turns) {
    const words: Part[] = turn.content.trim() === '' ? [] : [{ text: turn.content }];
    if (turn.role === 'tool') {
      const response = { id: turn.tool_call_id, name: turn.name, response: { output: turn.content } };
      add('user', [{ functionResponse: response }]);
    } else if (turn.role === 'user') add('user', words);
    else
      add('model', [
        ...words,
        ...(turn.tool_calls ?? []).map((call, index) => requestFunctionCall(call, signed && index === 0)),
      ]);
  }
  if (contents.at(-1)?.role !== 'user') add('user', [{ text: CALLER_SILENT }]);
  return contents;
}

/** Marks a call that Google has not signed, such as another model's ("Thought signatures"). */
const UNSIGNED = 'skip_thought_signature_validator';

function requestFunctionCall({ id, name, arguments: text, signature }: ToolCall, signed: boolean): Part {
  const thoughtSignature = signature ?? (signed ? UNSIGNED : null);
  const functionCall = { id, name, args: record(parseJson(text)) };
  return { functionCall, ...(thoughtSignature !== null && { thoughtSignature }) };
}

function requestTool({ name, description, parameters }: ToolDefinition) {
  const schema = geminiSchema(parameters);
  return { name, description, ...(schema !== null && { parameters: schema }) };
}

/** From Gemini 3 on the first call of each step must be sent back with its signature. */
function wantsSignatures(model: string): boolean {
  return versionOf(model) >= 3;
}

/**
 * The minimal thinking a model can be set to (Gemini API, "Thinking"); null for one that rejects the setting. Gemini 2.5 takes a
 * token budget, later models a level.
 */
function minimalThinking(model: string): { thinkingBudget?: number; thinkingLevel?: string } | null {
  const version = versionOf(model);
  const large = /pro/.test(model);
  if (version < 2.5) return null;
  if (version < 3) return { thinkingBudget: large ? 128 : 0 };
  const lite = /lite/.test(model);
  return { thinkingLevel: large || (version >= 3.7 && !lite) ? 'low' : 'minimal' };
}

/** Infinity for `gemini-flash-latest` and the like; 0 for a model that is not Gemini, which does not think. */
function versionOf(model: string): number {
  if (/^gemini-[a-z-]+-latest$/.test(model)) return Number.POSITIVE_INFINITY;
  return Number(/^gemini-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
}
