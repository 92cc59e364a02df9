import type { LanguageModel } from '../../shared/llm/language-model.ts';
import type { LlmProvider } from '../../shared/providers/registry.ts';
import type { ProviderUsage } from '../../shared/usage.ts';
import type { TokensUsed } from '../analysis/analyst.ts';

/** Counts what a run uses, by model. */
export interface TokenMeter {
  /** Requests so far. */
  readonly calls: number;
  readonly tokensUsed: TokensUsed[];
  /** Of transcribers and synthesizers. */
  readonly speechUsed: readonly ProviderUsage[];
  /** The same model, counted. */
  metered(model: LanguageModel): LanguageModel;
  add(used: readonly TokensUsed[], calls: number): void;
  /** Adds what a call used, its model included. */
  addCall(used: readonly ProviderUsage[], llmCalls: number): void;
}

export function createTokenMeter(): TokenMeter {
  const byModel = new Map<string, TokensUsed>();
  const speechUsed: ProviderUsage[] = [];
  let calls = 0;

  function count(used: TokensUsed): void {
    const name = `${used.provider}/${used.model}`;
    const before = byModel.get(name) ?? { ...used, input_tokens: 0, output_tokens: 0 };
    before.input_tokens += used.input_tokens;
    before.output_tokens += used.output_tokens;
    byModel.set(name, before);
  }

  return {
    get calls() {
      return calls;
    },
    get tokensUsed() {
      return [...byModel.values()];
    },
    speechUsed,
    add(used, more) {
      for (const each of used) count(each);
      calls += more;
    },
    addCall(used, llmCalls) {
      calls += llmCalls;
      for (const part of used) {
        const { component, provider, model, llm_input_tokens = 0, llm_output_tokens = 0 } = part;
        if (component !== 'llm') speechUsed.push(part);
        else {
          const input_tokens = llm_input_tokens;
          count({ provider: provider as LlmProvider, model, input_tokens, output_tokens: llm_output_tokens });
        }
      }
    },
    metered(model) {
      const { provider, model: name } = model;
      return {
        provider,
        model: name,
        warm: () => model.warm(),
        async *stream(request, signal) {
          calls++;
          for await (const part of model.stream(request, signal)) {
            if (part.type === 'usage') {
              const { input_tokens, output_tokens } = part;
              count({ provider: provider as TokensUsed['provider'], model: name, input_tokens, output_tokens });
            }
            yield part;
          }
        },
      };
    },
  };
}
