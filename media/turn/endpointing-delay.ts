import type { Completeness } from './completeness.ts';

/**
 * How much silence ends a turn, where the transcriber does not decide that itself: `endpointing_ms` as this caller moved it,
 * shorter where the sentence is complete, longer where it plainly goes on. Pure.
 */

/** A complete sentence is answered after this share of the patience … */
export const COMPLETE_FACTOR = 0.5;
/** … but not before this, unless the patience itself is shorter: a breath is no end. */
export const MIN_DELAY_MS = 200;
/** After a word that asks for another. Fillers bridge a second; after more the thought is lost and help is welcome. */
export const INCOMPLETE_EXTRA_MS = 1_000;
/** Between the groups of a number that is dictated. */
export const DICTATION_EXTRA_MS = 1_500;
/** Where only the voice sounds as if more came. */
export const MODEL_INCOMPLETE_EXTRA_MS = 800;
/** Nothing lengthens the wait by more than this beyond the agent's setting: the absolute deadline. */
export const MAX_EXTRA_MS = 1_500;
/** The audio model is believed from here on (it calls 0.5 the end; between these it is not sure) … */
export const MODEL_COMPLETE_THRESHOLD = 0.8;
/** … and below this for the opposite. */
export const MODEL_INCOMPLETE_THRESHOLD = 0.3;

export interface EndpointingSignals {
  /** The agent's setting. */
  endpointingMs: number;
  /** The same, moved to this caller's pauses. */
  adaptedMs: number;
  words: Completeness;
  /** Of the audio model that the turn is over; null when it was not asked or has not answered. */
  probability: number | null;
}

/** Milliseconds of silence after the true end of speech, between half of the patience and `MOST_EXTRA_MS` beyond it. */
export function endpointingDelayMs({ endpointingMs, adaptedMs, words, probability }: EndpointingSignals): number {
  const over = probability !== null && probability >= MODEL_COMPLETE_THRESHOLD;
  const goesOn = probability !== null && probability <= MODEL_INCOMPLETE_THRESHOLD;
  const short = Math.min(adaptedMs, Math.max(adaptedMs * COMPLETE_FACTOR, MIN_DELAY_MS));
  const most = endpointingMs + MAX_EXTRA_MS;
  switch (words) {
    case 'complete':
      return goesOn ? adaptedMs : short;
    case 'unsure':
      if (over) return short;
      return goesOn ? Math.min(adaptedMs + MODEL_INCOMPLETE_EXTRA_MS, most) : adaptedMs;
    case 'goes_on':
      // A voice that falls makes "that is what I am looking for" an end after all.
      return Math.min(adaptedMs + (over ? INCOMPLETE_EXTRA_MS / 2 : INCOMPLETE_EXTRA_MS), most);
    case 'dictating':
      // The voice falls after every group of digits: it says nothing here.
      return Math.min(adaptedMs + DICTATION_EXTRA_MS, most);
  }
}
