import { z } from 'zod';
import type { Clock } from '../../shared/clock.ts';
import { type ChatMessage, type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { parseJson } from '../../shared/llm/loose-json.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import type { LlmProvider } from '../../shared/providers/registry.ts';
import { type LanguageModelSettings, missingSetting } from '../../shared/providers/settings.ts';
import { parseModelName } from '../workspaces/model-fallbacks.ts';

/** Generates an agent's welcome message and prompt from a brief, with the operator's language model. */

/** For all tries together. */
const TIMEOUT_MS = 60_000;
const MAX_TRIES = 2;
const MAX_TOKENS = 4_000;
const MAX_RESPONSE_CHARACTERS = 100_000;

export interface PromptBrief {
  brief: string;
  /** A language tag such as `hi` or `en-IN`. */
  language: string;
  tone: string;
  /** The configuration to improve; null for a new agent. */
  current: { welcome_message: string; system_prompt: string } | null;
}

export interface GeneratedPrompt {
  welcome_message: string;
  system_prompt: string;
  /** Of all tries. */
  input_tokens: number;
  output_tokens: number;
}

/** `failed`: why there is none: the model could not be reached, was too slow, or returned no usable JSON twice. */
export type GeneratePrompt = (brief: PromptBrief) => Promise<GeneratedPrompt | { failed: string }>;

const INSTRUCTIONS = `You write the configuration of a voice agent that talks with people on the phone. You are given a brief by the business it works for.

Answer with one JSON object and nothing else, with exactly these two fields:
- "welcome_message": what the agent says first, one or two short spoken sentences, at most 300 characters.
- "system_prompt": the instructions the agent works by.

How to write the system prompt:
- Write it to the agent ("You are …"). Say who it is, what the call is for, the steps of the conversation, what it must find out, what it may promise and what not, how it handles objections and questions it cannot answer, and when the call is over.
- The answers are read out by a voice: ask for short, plain sentences, one question at a time, and no lists or markup in what is said.
- Use facts of the brief only. Where a fact is missing, tell the agent to say that it will find out.
- What differs from call to call is a variable in braces, like {customer_name}: letters, digits and underscores.
- The service itself tells the agent that it is on the phone, how to hang up, and the date. Do not repeat that.`;

const responseSchema = z.object({
  welcome_message: z.string().max(2_000),
  system_prompt: z.string().trim().min(1).max(60_000),
});

export function createPromptGenerator({ model, clock }: { model: LanguageModel; clock: Clock }): GeneratePrompt {
  return async (brief) => {
    const messages = messagesFor(brief);
    const abort = new AbortController();
    const deadline = clock.after(TIMEOUT_MS, () => abort.abort());
    const used = { input_tokens: 0, output_tokens: 0 };
    let failed = 'timeout';
    try {
      for (let tried = 0; tried < MAX_TRIES && !abort.signal.aborted; tried++) {
        const text = await complete(model, messages, used, abort.signal).catch((error: unknown) => {
          failed = error instanceof LanguageModelError ? error.kind : 'broken';
          // A second try would fail alike.
          if (failed === 'auth' || failed === 'bad_request') tried = MAX_TRIES;
          return null;
        });
        if (text === null) continue;
        if (abort.signal.aborted) break;
        const read = responseSchema.safeParse(parseJson(withoutFence(text)));
        if (read.success) return { ...storable(read.data), ...used };
        failed = 'no JSON of the requested shape';
      }
    } finally {
      deadline.cancel();
    }
    return { failed: abort.signal.aborted ? 'timeout' : failed };
  };
}

async function complete(
  model: LanguageModel,
  messages: ChatMessage[],
  used: { input_tokens: number; output_tokens: number },
  signal: AbortSignal,
): Promise<string> {
  let text = '';
  const request = { messages, tools: [], temperature: 0.4, max_tokens: MAX_TOKENS };
  for await (const part of model.stream(request, signal)) {
    if (part.type === 'text' && text.length < MAX_RESPONSE_CHARACTERS) text += part.text;
    if (part.type !== 'usage') continue;
    used.input_tokens += part.input_tokens;
    used.output_tokens += part.output_tokens;
  }
  return text;
}

function messagesFor({ brief, language, tone, current }: PromptBrief): ChatMessage[] {
  const lines = [
    `Brief:\n${brief}`,
    `The agent speaks ${languageName(language)}: write the welcome message in it. Write the system prompt in English, with sentences to be said in the language spoken.`,
    ...(tone === '' ? [] : [`Tone: ${tone}`]),
    ...(current === null
      ? []
      : [
          `Improve this configuration as the brief asks and keep what it does not touch, its variables too:\n${JSON.stringify(current)}`,
        ]),
  ];
  return [
    { role: 'system', content: INSTRUCTIONS },
    { role: 'user', content: lines.join('\n\n') },
  ];
}

function languageName(tag: string): string {
  try {
    return new Intl.DisplayNames(['en'], { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Removes the Markdown fence that some models put around their JSON. */
function withoutFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/.exec(text)?.[1] ?? text;
}

/** Removes what PostgreSQL cannot store: U+0000 and halves of surrogate pairs. */
function storable({ welcome_message, system_prompt }: { welcome_message: string; system_prompt: string }) {
  const clean = (text: string) => text.replaceAll('\0', '').toWellFormed();
  return { welcome_message: clean(welcome_message).trim(), system_prompt: clean(system_prompt) };
}

/** The model of COMPOSER_MODEL, which generates prompts. */
export interface PromptGenerator {
  provider: LlmProvider;
  model: string;
  generate: GeneratePrompt;
}

export interface PromptGeneratorSettings extends LanguageModelSettings {
  /** `provider/model`; empty: no prompts are generated. */
  COMPOSER_MODEL: string;
}

/** Null when no model is set. @throws Error when COMPOSER_MODEL names no model, or one whose own settings are missing. */
export function configuredPromptGenerator(
  settings: PromptGeneratorSettings,
  deps: { clock: Clock; log: Logger },
): PromptGenerator | null {
  if (settings.COMPOSER_MODEL === '') return null;
  const named = parseModelName(settings.COMPOSER_MODEL);
  if (typeof named === 'string') throw new Error(`COMPOSER_MODEL: ${named}`);
  const provider = named.provider as LlmProvider;
  const missing = missingSetting(provider, settings);
  if (missing) throw new Error(`${missing} is missing: COMPOSER_MODEL is ${settings.COMPOSER_MODEL}`);
  const model = createLanguageModel(provider, named.model, settings, deps.log, deps.clock);
  return { provider, model: named.model, generate: createPromptGenerator({ model, clock: deps.clock }) };
}
