/**
 * Whether a reply may be generated before the turn is surely over. Pure. Each attempt costs tokens and synthesis, so their
 * number is limited, and long speech is excluded: its apparent ends are rarely its end.
 */

export const MAX_PREEMPTIVE_PER_TURN = 3;
export const MAX_SPEECH_MS = 10_000;

export interface PreemptiveGenerationState {
  /** Attempts started in this turn. */
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
