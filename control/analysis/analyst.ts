import type { Clock } from '../../shared/clock.ts';
import { createFallbackModel } from '../../shared/llm/fallback-model.ts';
import { type ChatMessage, type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import { createLanguageModel } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import type { LlmProvider } from '../../shared/providers/registry.ts';
import { type LanguageModelSettings, missingSetting } from '../../shared/providers/settings.ts';

/** Asks language models about finished calls, and counts their tokens. */

export interface ModelChoice {
  provider: LlmProvider;
  model: string;
}

/** The tokens of one model in a run. */
export interface TokensUsed extends ModelChoice {
  input_tokens: number;
  output_tokens: number;
}

/** The parsed answer, or a short reason for logs and the timeline why there is none. */
export type Answer<Value> = { value: Value } | { failed: string };

export interface Question<Value> {
  /** The system message. */
  instructions: string;
  /** The user message: the call. */
  data: string;
  max_tokens: number;
  /** Null when the answer does not have the requested shape; the model is asked once more. */
  parse(text: string): Value | null;
}

/** Questions about one call, to one model and its fallbacks. */
export interface ModelRun {
  /** Never rejects; after an abort of `signal` it fails with `timeout`. */
  ask<Value>(question: Question<Value>, signal: AbortSignal): Promise<Answer<Value>>;
  /** Tokens of all answers so far, by model. */
  tokensUsed(): TokensUsed[];
}

export interface Analyst {
  /** Models without settings are skipped; the first of the others is asked first. */
  open(choices: readonly ModelChoice[]): ModelRun;
}

const MAX_ATTEMPTS = 2;
const MAX_ANSWER_CHARACTERS = 200_000;
/** Longer than in a conversation: a second model is asked only when the first one fails or stalls. */
const HEDGE_AFTER_MS = 20_000;

export interface AnalystDeps {
  settings: LanguageModelSettings;
  clock: Clock;
  log: Logger;
}

export function createAnalyst({ settings, clock, log }: AnalystDeps): Analyst {
  return {
    open(choices) {
      const models = choices
        .filter(({ provider }) => missingSetting(provider, settings) === null)
        .map(({ provider, model }) => createLanguageModel(provider, model, settings, log, clock));
      const used = new Map<string, TokensUsed>();

      const count = (by: ModelChoice, input_tokens: number, output_tokens: number) => {
        const name = `${by.provider}/${by.model}`;
        const before = used.get(name) ?? { ...by, input_tokens: 0, output_tokens: 0 };
        before.input_tokens += input_tokens;
        before.output_tokens += output_tokens;
        used.set(name, before);
      };

      return {
        tokensUsed: () => [...used.values()],
        async ask({ instructions, data, max_tokens, parse: read }, signal) {
          if (models.length === 0) return { failed: 'no language model is set up' };
          const messages: ChatMessage[] = [
            { role: 'system', content: instructions },
            { role: 'user', content: data },
          ];
          let failed = 'timeout';
          for (let tried = 0; tried < MAX_ATTEMPTS && !signal.aborted; tried++) {
            // A new one for each question, so that tokens are counted for the model that answered.
            const chain = createFallbackModel({
              choices: models,
              clock,
              hedgeAfterMs: HEDGE_AFTER_MS,
              onFallback() {},
            });
            try {
              const text = await readAnswer(chain, messages, max_tokens, signal, (input, output) =>
                count({ ...(chain.active as ModelChoice) }, input, output),
              );
              if (signal.aborted) break;
              const value = read(text);
              if (value !== null) return { value };
              failed = 'the answer does not have the requested shape';
            } catch (error) {
              failed = error instanceof LanguageModelError ? error.kind : 'broken';
              // A retry cannot help.
              if (failed === 'auth' || failed === 'bad_request') break;
            }
          }
          return { failed: signal.aborted ? 'timeout' : failed };
        },
      };
    },
  };
}

async function readAnswer(
  model: LanguageModel,
  messages: ChatMessage[],
  max_tokens: number,
  signal: AbortSignal,
  onUsage: (input: number, output: number) => void,
): Promise<string> {
  let text = '';
  // Endless output is bounded by the characters kept and by the time limit of `signal`.
  for await (const part of model.stream({ messages, tools: [], temperature: 0, max_tokens }, signal)) {
    if (part.type === 'text' && text.length < MAX_ANSWER_CHARACTERS) text += part.text;
    if (part.type === 'usage') onUsage(part.input_tokens, part.output_tokens);
  }
  return text;
}
