import type { Completeness } from './completeness.ts';

/**
 * How much silence ends a turn when the transcriber does not detect turns: `endpointing_ms` adapted to this caller, shorter
 * after a complete sentence, longer after an incomplete one. Pure.
 */

/** Factor of the adapted delay after a complete sentence. */
export const COMPLETE_FACTOR = 0.5;
/** The shortened delay is at least this, unless the adapted delay itself is shorter: a breath is no end of turn. */
export const MIN_DELAY_MS = 200;
/** Added after an incomplete sentence. Fillers bridge about a second. */
export const INCOMPLETE_EXTRA_MS = 1_000;
/** Added during dictation, for the pauses between groups of digits. */
export const DICTATION_EXTRA_MS = 1_500;
/** Added when only the turn detector expects more. */
export const MODEL_INCOMPLETE_EXTRA_MS = 800;
/** Maximum of the delay beyond the agent's setting. */
export const MAX_EXTRA_MS = 1_500;
/** Probabilities of the turn detector from which a turn counts as over … */
export const MODEL_COMPLETE_THRESHOLD = 0.8;
/** … and up to which it counts as incomplete; between them the detector is ignored. */
export const MODEL_INCOMPLETE_THRESHOLD = 0.3;

export interface EndpointingSignals {
  /** The agent's setting. */
  endpointingMs: number;
  /** The same, adapted to this caller. */
  adaptedMs: number;
  words: Completeness;
  /** The turn detector's, that the turn is over; null without a prediction. */
  probability: number | null;
}

/** Milliseconds of silence after the end of speech, at most `endpointingMs + MAX_EXTRA_MS`. */
export function endpointingDelayMs({ endpointingMs, adaptedMs, words, probability }: EndpointingSignals): number {
  const over = probability !== null && probability >= MODEL_COMPLETE_THRESHOLD;
  const incomplete = probability !== null && probability <= MODEL_INCOMPLETE_THRESHOLD;
  const short = Math.min(adaptedMs, Math.max(adaptedMs * COMPLETE_FACTOR, MIN_DELAY_MS));
  const max = endpointingMs + MAX_EXTRA_MS;
  switch (words) {
    case 'complete':
      return incomplete ? adaptedMs : short;
    case 'unsure':
      if (over) return short;
      return incomplete ? Math.min(adaptedMs + MODEL_INCOMPLETE_EXTRA_MS, max) : adaptedMs;
    case 'incomplete':
      // With a falling pitch "that is what I am looking for" is an end after all.
      return Math.min(adaptedMs + (over ? INCOMPLETE_EXTRA_MS / 2 : INCOMPLETE_EXTRA_MS), max);
    case 'dictating':
      // Pitch falls after every group of digits, so the detector is ignored.
      return Math.min(adaptedMs + DICTATION_EXTRA_MS, max);
  }
}
