/**
 * Counts how long the caller has been silent, and decides what follows. Pure, in monotonic milliseconds. Only time in which
 * nobody speaks, no reply is generated and no tool runs counts.
 */

/** The transcript of detected speech comes within this time, or not at all. */
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

/** Restarts the count: the caller was active, or was answered. */
export function resetIdle(state: IdleState, nowMs: number): void {
  state.idleMs = 0;
  state.checkedAtMs = nowMs;
  state.asked = false;
}

/** Speech was detected: gives its transcript the time to arrive before a hang-up. */
export function awaitTranscript(state: IdleState): void {
  state.idleMs = Math.min(state.idleMs, state.settings.hangUpAfterMs - TRANSCRIPT_WITHIN_MS);
}

/** Counts the time since the last check; `busy` while anybody speaks, a reply is generated or a tool runs. */
export function checkIdle(state: IdleState, busy: boolean, nowMs: number): 'ask' | 'hang_up' | null {
  if (!busy) state.idleMs += nowMs - state.checkedAtMs;
  state.checkedAtMs = nowMs;
  if (busy) return null;
  const { hangUpAfterMs, askAfterMs } = state.settings;
  if (state.idleMs >= hangUpAfterMs) {
    // Returned once.
    state.idleMs = Number.NEGATIVE_INFINITY;
    return 'hang_up';
  }
  if (askAfterMs === null || state.asked || state.idleMs < askAfterMs) return null;
  state.asked = true;
  return 'ask';
}
