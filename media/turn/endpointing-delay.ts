import type { TurnDetection } from '../../shared/agent.ts';
import type { Completeness } from './completeness.ts';

/**
 * How much silence ends a turn when the transcriber does not detect turns: `endpointing_ms`, adapted to this caller, and what
 * `turn_detection` adds to it by what the words say. A larger setting never waits less. Pure.
 */

/**
 * Added to the adapted delay. A filler bridges about a second, groups of digits are further apart. Chosen on recordings
 * (`make pauses`): with the default of 300 ms, `balanced` waits where fewer cuts begin to cost more delay than they save, and
 * `responsive` as long as the setting says.
 */
export const EXTRA_MS: Record<TurnDetection, Record<Completeness, number>> = {
  responsive: { complete: 0, unsure: 150, incomplete: 800, dictating: 1_200 },
  balanced: { complete: 150, unsure: 300, incomplete: 1_000, dictating: 1_500 },
  patient: { complete: 400, unsure: 700, incomplete: 1_500, dictating: 2_000 },
};
/** Added when only the turn detector expects more, where the words would add less. */
export const MODEL_INCOMPLETE_EXTRA_MS = 800;
/** Probabilities of the turn detector from which a turn counts as over … */
export const MODEL_COMPLETE_THRESHOLD = 0.8;
/** … and up to which it counts as incomplete; between them the detector is ignored. */
export const MODEL_INCOMPLETE_THRESHOLD = 0.3;

export interface EndpointingSignals {
  turnDetection: TurnDetection;
  words: Completeness;
  /** The turn detector's, that the turn is over; null without a prediction. */
  probability: number | null;
}

/** Milliseconds of silence after the end of speech, at most `endpointingMs` and what dictation adds. */
export function endpointingDelayMs(
  signals: EndpointingSignals & {
    /** The agent's setting. */
    endpointingMs: number;
    /** The same, adapted to this caller. */
    adaptedMs: number;
  },
): number {
  const { endpointingMs, adaptedMs, turnDetection } = signals;
  return Math.min(adaptedMs + endpointingExtraMs(signals), endpointingMs + EXTRA_MS[turnDetection].dictating);
}

/** What is added to the adapted delay. */
export function endpointingExtraMs({ turnDetection, words, probability }: EndpointingSignals): number {
  const over = probability !== null && probability >= MODEL_COMPLETE_THRESHOLD;
  const incomplete = probability !== null && probability <= MODEL_INCOMPLETE_THRESHOLD;
  const extra = EXTRA_MS[turnDetection];
  switch (words) {
    case 'complete':
      return incomplete ? extra.unsure : extra.complete;
    case 'unsure':
      if (over) return extra.complete;
      return incomplete ? Math.max(extra.unsure, MODEL_INCOMPLETE_EXTRA_MS) : extra.unsure;
    case 'incomplete':
      // With a falling pitch "that is what I am looking for" is an end after all.
      return over ? extra.incomplete / 2 : extra.incomplete;
    case 'dictating':
      // Pitch falls after every group of digits, so the detector is ignored.
      return extra.dictating;
  }
}
