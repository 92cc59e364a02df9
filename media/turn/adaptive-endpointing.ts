/**
 * Adapts the endpointing delay to how long this caller pauses within a turn: some people stop for a second in the middle of a
 * sentence, some never do. It moves in both directions, slowly and within bounds. Pure.
 */

/** Minimum of the adapted delay, as a factor of `endpointing_ms`: a caller who has not paused so far may still do so. */
export const MIN_FACTOR = 0.85;
/** Maximum of the adapted delay beyond `endpointing_ms`. */
export const MAX_SHIFT_MS = 700;
/** The target is a pause of the caller plus this. */
const MARGIN_MS = 150;
/**
 * How far one observation moves the delay towards its target: a pause far, whether or not it cut the turn, so that a larger setting
 * never learns less; a turn without pauses little.
 */
const PAUSE_WEIGHT = 0.5;
const NO_PAUSE_WEIGHT = 0.1;
/** A caller who speaks again this soon after the end of a turn had not finished it; a reply to the agent comes later. */
export const RESUMED_WITHIN_MS = 600;

export interface EndpointingAdaptation {
  /** Added to `endpointing_ms`; negative for a caller who never pauses. */
  readonly shiftMs: number;
}

export const NO_ADAPTATION: EndpointingAdaptation = { shiftMs: 0 };

/** `endpointing_ms` adapted to this caller. */
export function adaptedEndpointingMs(adaptation: EndpointingAdaptation, endpointingMs: number): number {
  return clamp(endpointingMs + adaptation.shiftMs, endpointingMs);
}

/** After a pause within a turn, also one that ended it. `pauseMs`: without what the words had added to the delay. */
export function adaptToPause(
  adaptation: EndpointingAdaptation,
  pauseMs: number,
  endpointingMs: number,
): EndpointingAdaptation {
  return moveTowards(adaptation, pauseMs + MARGIN_MS, endpointingMs, PAUSE_WEIGHT, 'up');
}

/** After a turn that the caller did not continue; `longestPauseMs` within it, 0 for none. */
export function adaptToTurn(
  adaptation: EndpointingAdaptation,
  longestPauseMs: number,
  endpointingMs: number,
): EndpointingAdaptation {
  return moveTowards(adaptation, longestPauseMs + MARGIN_MS, endpointingMs, NO_PAUSE_WEIGHT, 'down');
}

function moveTowards(
  adaptation: EndpointingAdaptation,
  targetMs: number,
  endpointingMs: number,
  weight: number,
  direction: 'up' | 'down',
): EndpointingAdaptation {
  const nowMs = adaptedEndpointingMs(adaptation, endpointingMs);
  const goalMs = clamp(targetMs, endpointingMs);
  if (direction === 'up' ? goalMs <= nowMs : goalMs >= nowMs) return adaptation;
  return { shiftMs: nowMs + weight * (goalMs - nowMs) - endpointingMs };
}

function clamp(ms: number, endpointingMs: number): number {
  return Math.min(Math.max(ms, endpointingMs * MIN_FACTOR), endpointingMs + MAX_SHIFT_MS);
}
