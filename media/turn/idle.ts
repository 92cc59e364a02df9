/**
 * How long the caller has been quiet, and what follows. Pure, in monotonic milliseconds. Only time in which nobody speaks,
 * thinks or runs a tool counts, so neither a slow tool nor a long answer makes a caller silent.
 */

/** A transcriber tells what a voice said this soon after it, or it was nothing. */
const TRANSCRIPT_WITHIN_MS = 3_000;

export interface IdleSettings {
  hangUpAfterMs: number;
  /** Ask once whether the caller is still there; null: never. */
  askAfterMs: number | null;
}

export interface IdleState {
  readonly settings: IdleSettings;
  idleMs: number;
  checkedAtMs: number;
  asked: boolean;
}

export function startIdle(settings: IdleSettings, nowMs: number): IdleState {
  return { settings, idleMs: 0, checkedAtMs: nowMs, asked: false };
}

/** The caller did something, or was answered: the count begins anew. */
export function resetIdle(state: IdleState, nowMs: number): void {
  state.idleMs = 0;
  state.checkedAtMs = nowMs;
  state.asked = false;
}

/** A voice was heard: its words may still be on their way, and get the time to come. */
export function awaitTranscript(state: IdleState): void {
  state.idleMs = Math.min(state.idleMs, state.settings.hangUpAfterMs - TRANSCRIPT_WITHIN_MS);
}

/** Counts the time since the last look; `busy` while anybody speaks, thinks or works. */
export function checkIdle(state: IdleState, busy: boolean, nowMs: number): 'ask' | 'hang_up' | null {
  if (!busy) state.idleMs += nowMs - state.checkedAtMs;
  state.checkedAtMs = nowMs;
  if (busy) return null;
  const { hangUpAfterMs, askAfterMs } = state.settings;
  if (state.idleMs >= hangUpAfterMs) {
    // Said once.
    state.idleMs = Number.NEGATIVE_INFINITY;
    return 'hang_up';
  }
  if (askAfterMs === null || state.asked || state.idleMs < askAfterMs) return null;
  state.asked = true;
  return 'ask';
}
