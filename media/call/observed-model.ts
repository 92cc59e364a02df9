import type { Clock } from '../../shared/clock.ts';
import type { FallbackModel } from '../../shared/llm/fallback-model.ts';
import { LanguageModelError } from '../../shared/llm/language-model.ts';
import type { ModelAnswer } from '../report/call-spans.ts';
import { withMethods } from './with-methods.ts';

/** The same model; each of its answers is reported when it is over, also when it failed or was cancelled. */
export function observedModel(
  model: FallbackModel,
  clock: Clock,
  onAnswer: (answer: ModelAnswer) => void,
): FallbackModel {
  return withMethods(model, {
    async *stream(request, signal) {
      const start_ms = clock.wall();
      let first_token_ms: number | null = null;
      let tokens: { input_tokens: number; output_tokens: number } | null = null;
      let error: string | null = 'cancelled';
      try {
        for await (const part of model.stream(request, signal)) {
          if (part.type === 'usage') tokens = part;
          else first_token_ms ??= clock.wall();
          yield part;
        }
        if (!signal.aborted) error = null;
      } catch (failure) {
        error = failure instanceof LanguageModelError ? failure.kind : 'internal';
        throw failure;
      } finally {
        const { provider, model: name } = model.active;
        onAnswer({
          ...{ provider, model: name, reply_id: request.reply_id ?? '', start_ms, end_ms: clock.wall() },
          ...{ first_token_ms, error },
          ...{ input_tokens: tokens?.input_tokens ?? null, output_tokens: tokens?.output_tokens ?? null },
        });
      }
    },
  });
}
