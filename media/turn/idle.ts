/**
 * How long the caller has been quiet, and what follows. Pure, in monotonic milliseconds. Only time in which nobody speaks,
 * thinks or runs a tool counts, so neither a slow tool nor a long answer makes a caller silent.
 */

/** A transcriber tells what a voice said this soon after it, or it was nothing. */
const WORDS_WITHIN_MS = 3_000;

export interface IdleSettings {
  hangUpAfterMs: number;
  /** Ask once whether the caller is still there; null: never. */
  askAfterMs: number | null;
}

export interface IdleState {
  readonly settings: IdleSettings;
  quietMs: number;
  atMs: number;
  asked: boolean;
}

export function startIdle(settings: IdleSettings, nowMs: number): IdleState {
  return { settings, quietMs: 0, atMs: nowMs, asked: false };
}

/** The caller did something, or was answered: the count begins anew. */
export function stir(state: IdleState, nowMs: number): void {
  state.quietMs = 0;
  state.atMs = nowMs;
  state.asked = false;
}

/** A voice was heard: its words may still be on their way, and get the time to come. */
export function awaitWords(state: IdleState): void {
  state.quietMs = Math.min(state.quietMs, state.settings.hangUpAfterMs - WORDS_WITHIN_MS);
}

/** Counts the time since the last look; `busy` while anybody speaks, thinks or works. */
export function lookIdle(state: IdleState, busy: boolean, nowMs: number): 'ask' | 'hang_up' | null {
  if (!busy) state.quietMs += nowMs - state.atMs;
  state.atMs = nowMs;
  if (busy) return null;
  const { hangUpAfterMs, askAfterMs } = state.settings;
  if (state.quietMs >= hangUpAfterMs) {
    // Said once.
    state.quietMs = Number.NEGATIVE_INFINITY;
    return 'hang_up';
  }
  if (askAfterMs === null || state.asked || state.quietMs < askAfterMs) return null;
  state.asked = true;
  return 'ask';
}
