/**
 * How long this caller pauses within a turn. Some people stop for a second in the middle of a sentence, some never do:
 * the patience moves towards what they were heard to do, slowly and within bounds, in both directions. Pure.
 */

/** The patience is never less than this share of `endpointing_ms`: a caller who did not pause so far may yet. */
export const LEAST_SHARE = 0.85;
/** … and never more than this beyond it. */
export const MOST_MORE_MS = 700;
/** A caller heard to pause so long is waited for a little longer. */
const MARGIN_MS = 150;
/** Shares of the way towards what was heard: a turn that we cut is the plainest evidence, a turn without pauses the least. */
const AFTER_CUT = 0.5;
const AFTER_PAUSE = 0.25;
const AFTER_NO_PAUSE = 0.1;
/** Who speaks on so soon after their turn was ended had not finished it. An answer to the agent comes later. */
export const RESUMED_WITHIN_MS = 600;

export interface Pauses {
  /** Added to `endpointing_ms`; negative for a caller who never pauses. */
  readonly shiftMs: number;
}

export const NO_PAUSES_YET: Pauses = { shiftMs: 0 };

/** `endpointing_ms` moved to what this caller does. */
export function adapted(pauses: Pauses, endpointingMs: number): number {
  return bounded(endpointingMs + pauses.shiftMs, endpointingMs);
}

/** The caller went on after a pause of so long within a turn that was still open. */
export function heardPause(pauses: Pauses, pauseMs: number, endpointingMs: number): Pauses {
  return towards(pauses, pauseMs + MARGIN_MS, endpointingMs, AFTER_PAUSE, 'up');
}

/** The turn was ended after `pauseMs` of silence or less, and the caller went on with it. */
export function heardCut(pauses: Pauses, pauseMs: number, endpointingMs: number): Pauses {
  return towards(pauses, pauseMs + MARGIN_MS, endpointingMs, AFTER_CUT, 'up');
}

/** A turn ended and was not gone on with; its longest pause was so long (0: none). */
export function heardTurn(pauses: Pauses, longestPauseMs: number, endpointingMs: number): Pauses {
  return towards(pauses, longestPauseMs + MARGIN_MS, endpointingMs, AFTER_NO_PAUSE, 'down');
}

function towards(pauses: Pauses, targetMs: number, endpointingMs: number, share: number, way: 'up' | 'down'): Pauses {
  const nowMs = adapted(pauses, endpointingMs);
  const goalMs = bounded(targetMs, endpointingMs);
  if (way === 'up' ? goalMs <= nowMs : goalMs >= nowMs) return pauses;
  return { shiftMs: nowMs + share * (goalMs - nowMs) - endpointingMs };
}

function bounded(ms: number, endpointingMs: number): number {
  return Math.min(Math.max(ms, endpointingMs * LEAST_SHARE), endpointingMs + MOST_MORE_MS);
}
