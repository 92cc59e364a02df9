import type { Clock } from '../../shared/clock.ts';
import { createFallbackModel } from '../../shared/llm/fallback-model.ts';
import { type ChatMessage, type LanguageModel, LanguageModelError } from '../../shared/llm/language-model.ts';
import type { LanguageModelSettings } from '../../shared/llm/model-settings.ts';
import { createLanguageModel, missingSetting } from '../../shared/llm/models.ts';
import type { Logger } from '../../shared/log.ts';
import type { LlmProvider } from '../../shared/providers.ts';

/** Asks language models about calls that are over, and counts what they read and wrote. */

export interface ModelChoice {
  provider: LlmProvider;
  model: string;
}

/** What one model was asked in a run. */
export interface TokensUsed extends ModelChoice {
  input_tokens: number;
  output_tokens: number;
}

/** What the model said, read; or why nothing came of it, in a word or two for logs and the timeline. */
export type Answer<Value> = { value: Value } | { failed: string };

export interface Question<Value> {
  /** What is to be done, the service's and the customer's words. */
  instructions: string;
  /** What it is to be done with. */
  data: string;
  max_tokens: number;
  /** Null: not of the wanted shape; the model is asked once more. */
  parse(text: string): Value | null;
}

/** Questions about one call, to one model and those that stand in for it. */
export interface ModelRun {
  /** Never rejects; an aborted `signal` is `timeout`. */
  ask<Value>(question: Question<Value>, signal: AbortSignal): Promise<Answer<Value>>;
  /** Of every answer so far, by the model that gave it. */
  tokensUsed(): TokensUsed[];
}

export interface Analyst {
  /** The first one that this service can ask is asked first. */
  open(choices: readonly ModelChoice[]): ModelRun;
}

const MAX_ATTEMPTS = 2;
const MAX_ANSWER_CHARACTERS = 200_000;
/** Nobody waits on a line: another model is asked as well only when this one is in trouble. */
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
            // Each question begins with the first choice, so that its tokens are counted for the model that answered.
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
              failed = 'the answer is not of the wanted shape';
            } catch (error) {
              failed = error instanceof LanguageModelError ? error.kind : 'broken';
              // Asking again would not help.
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
  // A server that goes on and on, or never ends, is held by both limits: of characters, and of time.
  for await (const part of model.stream({ messages, tools: [], temperature: 0, max_tokens }, signal)) {
    if (part.type === 'text' && text.length < MAX_ANSWER_CHARACTERS) text += part.text;
    if (part.type === 'usage') onUsage(part.input_tokens, part.output_tokens);
  }
  return text;
}
