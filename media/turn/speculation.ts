/**
 * May a reply be drafted on words that are probably the caller's last? Pure. A draft costs tokens and voice, so a turn has
 * only so many, and a long speech is not drafted at all: its end is rarely where it first seemed.
 */

export const DRAFTS_PER_TURN = 3;
export const LONGEST_SPEECH_MS = 10_000;

export interface SpeculationState {
  /** Drafts begun in this turn. */
  drafts: number;
}

export function mayDraft(state: SpeculationState, text: string, speechStartMs: number | null, nowMs: number): boolean {
  if (text.trim() === '' || state.drafts >= DRAFTS_PER_TURN) return false;
  return speechStartMs === null || nowMs - speechStartMs <= LONGEST_SPEECH_MS;
}
