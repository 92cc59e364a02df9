/**
 * Counts how long the caller has been silent, and decides what follows. Pure, in monotonic milliseconds. Only time in which
 * nobody speaks, no reply is generated and no tool runs counts.
 */

/** The transcript of detected speech comes within this time, or is awaited by `untranscribed-speech.ts`. */
const TRANSCRIPT_WITHIN_MS = 3_000;
/** A sound without words starts the wait for the question anew, but never beyond so many waits: some rooms are not quiet. */
const MAX_WAITS = 2;

export interface IdleSettings {
  hangUpAfterMs: number;
  /** Ask once, after so much unbroken silence, whether the caller is still there; null: never. */
  askAfterMs: number | null;
}

export interface IdleState {
  readonly settings: IdleSettings;
  idleMs: number;
  /** The part of it since anybody last spoke. */
  quietMs: number;
  checkedAtMs: number;
  asked: boolean;
}

export function startIdle(settings: IdleSettings, nowMs: number): IdleState {
  return { settings, idleMs: 0, quietMs: 0, checkedAtMs: nowMs, asked: false };
}

/** Another agent goes on, with its own times. */
export function changeIdleSettings(state: IdleState, settings: IdleSettings, nowMs: number): void {
  Object.assign(state.settings, settings);
  resetIdle(state, nowMs);
}

/** Restarts the count: the caller was active, or was answered. */
export function resetIdle(state: IdleState, nowMs: number): void {
  state.idleMs = 0;
  state.quietMs = 0;
  state.checkedAtMs = nowMs;
  state.asked = false;
}

/** Speech was detected: gives its transcript the time to arrive before a hang-up. */
export function awaitTranscript(state: IdleState): void {
  state.idleMs = Math.min(state.idleMs, state.settings.hangUpAfterMs - TRANSCRIPT_WITHIN_MS);
}

/** Counts the time since the last check; `busy` while anybody speaks, a reply is generated or a tool runs. */
export function checkIdle(state: IdleState, busy: boolean, nowMs: number): 'ask' | 'hang_up' | null {
  const passedMs = nowMs - state.checkedAtMs;
  state.checkedAtMs = nowMs;
  if (busy) {
    state.quietMs = 0;
    return null;
  }
  state.idleMs += passedMs;
  state.quietMs += passedMs;
  const { hangUpAfterMs, askAfterMs } = state.settings;
  if (state.idleMs >= hangUpAfterMs) {
    // Returned once.
    state.idleMs = Number.NEGATIVE_INFINITY;
    return 'hang_up';
  }
  if (askAfterMs === null || state.asked) return null;
  if (state.quietMs < askAfterMs && state.idleMs < askAfterMs * MAX_WAITS) return null;
  state.asked = true;
  return 'ask';
}
