/**
 * May a reply be drafted on words that are probably the caller's last? Pure. A draft costs tokens and voice, so a turn has
 * only so many, and a long speech is not drafted at all: its end is rarely where it first seemed.
 */

export const MAX_PREEMPTIVE_PER_TURN = 3;
export const MAX_SPEECH_MS = 10_000;

export interface PreemptiveGenerationState {
  /** Drafts begun in this turn. */
  attempts: number;
}

export function mayGeneratePreemptively(
  state: PreemptiveGenerationState,
  text: string,
  speechStartMs: number | null,
  nowMs: number,
): boolean {
  if (text.trim() === '' || state.attempts >= MAX_PREEMPTIVE_PER_TURN) return false;
  return speechStartMs === null || nowMs - speechStartMs <= MAX_SPEECH_MS;
}
