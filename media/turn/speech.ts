/**
 * From the voice-activity model's windows to stretches of speech, as a pure function of (state, window). All
 * moments are monotonic milliseconds of arrival; a window's end is when its last sample came in.
 */

export const WINDOW_MS = 32;
/** A window this likely to be speech opens a stretch … */
const OPENS = 0.5;
/** … and one this unlikely may close it: the gap keeps a wavering voice in one piece. */
const CLOSES = 0.35;
/** So long must it be quiet before the stretch is over; shorter is a consonant or a breath. */
const CLOSES_AFTER_MS = 160;

export interface Speech {
  /** Somebody is speaking now, as far as voice activity knows. */
  speaking: boolean;
  /** When the present stretch began; meaningless while quiet. */
  startedMs: number;
  /** The end of the last window that surely held speech: the true end of speech once it is over. */
  lastVoiceMs: number;
  /** Since when speech went on without any quiet window; null while the last window was quiet. */
  unbrokenSinceMs: number | null;
}

export type SpeechChange = 'started' | 'ended' | null;

export function quiet(): Speech {
  return { speaking: false, startedMs: 0, lastVoiceMs: Number.NEGATIVE_INFINITY, unbrokenSinceMs: null };
}

/** Takes one window; changes `state` in place (this runs 31 times a second per call) and says what changed. */
export function hearWindow(state: Speech, probability: number, endMs: number): SpeechChange {
  if (probability >= OPENS || (state.speaking && probability > CLOSES)) {
    // The model fades out after the voice: on recorded speech its doubtful windows lie after the true end.
    if (probability >= OPENS) state.lastVoiceMs = endMs;
    state.unbrokenSinceMs ??= endMs - WINDOW_MS;
    if (state.speaking) return null;
    state.speaking = true;
    state.startedMs = endMs - WINDOW_MS;
    return 'started';
  }
  state.unbrokenSinceMs = null;
  if (!state.speaking || endMs - state.lastVoiceMs < CLOSES_AFTER_MS) return null;
  state.speaking = false;
  return 'ended';
}

/** How long the caller has been speaking without a break. */
export function unbrokenMs(state: Speech, nowMs: number): number {
  return state.unbrokenSinceMs === null ? 0 : nowMs - state.unbrokenSinceMs;
}
