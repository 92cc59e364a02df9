/**
 * How long this caller pauses within a turn. Some people stop for a second in the middle of a sentence, some never do:
 * the patience moves towards what they were heard to do, slowly and within bounds, in both directions. Pure.
 */

/** The patience is never less than this share of `endpointing_ms`: a caller who did not pause so far may yet. */
export const MIN_FACTOR = 0.85;
/** … and never more than this beyond it. */
export const MAX_SHIFT_MS = 700;
/** A caller heard to pause so long is waited for a little longer. */
const MARGIN_MS = 150;
/** Shares of the way towards what was heard: a turn that we cut is the plainest evidence, a turn without pauses the least. */
const CUT_OFF_WEIGHT = 0.5;
const PAUSE_WEIGHT = 0.25;
const NO_PAUSE_WEIGHT = 0.1;
/** Who speaks on so soon after their turn was ended had not finished it. An answer to the agent comes later. */
export const RESUMED_WITHIN_MS = 600;

export interface EndpointingAdaptation {
  /** Added to `endpointing_ms`; negative for a caller who never pauses. */
  readonly shiftMs: number;
}

export const NO_ADAPTATION: EndpointingAdaptation = { shiftMs: 0 };

/** `endpointing_ms` moved to what this caller does. */
export function adaptedEndpointingMs(pauses: EndpointingAdaptation, endpointingMs: number): number {
  return clamp(endpointingMs + pauses.shiftMs, endpointingMs);
}

/** The caller went on after a pause of so long within a turn that was still open. */
export function adaptToPause(
  pauses: EndpointingAdaptation,
  pauseMs: number,
  endpointingMs: number,
): EndpointingAdaptation {
  return moveTowards(pauses, pauseMs + MARGIN_MS, endpointingMs, PAUSE_WEIGHT, 'up');
}

/** The turn was ended after `pauseMs` of silence or less, and the caller went on with it. */
export function adaptToCutOff(
  pauses: EndpointingAdaptation,
  pauseMs: number,
  endpointingMs: number,
): EndpointingAdaptation {
  return moveTowards(pauses, pauseMs + MARGIN_MS, endpointingMs, CUT_OFF_WEIGHT, 'up');
}

/** A turn ended and was not gone on with; its longest pause was so long (0: none). */
export function adaptToTurn(
  pauses: EndpointingAdaptation,
  longestPauseMs: number,
  endpointingMs: number,
): EndpointingAdaptation {
  return moveTowards(pauses, longestPauseMs + MARGIN_MS, endpointingMs, NO_PAUSE_WEIGHT, 'down');
}

function moveTowards(
  pauses: EndpointingAdaptation,
  targetMs: number,
  endpointingMs: number,
  share: number,
  way: 'up' | 'down',
): EndpointingAdaptation {
  const nowMs = adaptedEndpointingMs(pauses, endpointingMs);
  const goalMs = clamp(targetMs, endpointingMs);
  if (way === 'up' ? goalMs <= nowMs : goalMs >= nowMs) return pauses;
  return { shiftMs: nowMs + share * (goalMs - nowMs) - endpointingMs };
}

function clamp(ms: number, endpointingMs: number): number {
  return Math.min(Math.max(ms, endpointingMs * MIN_FACTOR), endpointingMs + MAX_SHIFT_MS);
}
