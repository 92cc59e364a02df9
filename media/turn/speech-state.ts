/**
 * Turns the windows of the voice-activity model into stretches of speech, as a pure function of (state, window). All times are
 * monotonic milliseconds of arrival; a window ends when its last sample came in.
 */

export const WINDOW_MS = 32;
/** Speech starts with a window of this probability … */
const START_THRESHOLD = 0.5;
/** … and may end with one of this or less: the hysteresis keeps an uneven voice together. */
const STOP_THRESHOLD = 0.35;
/** Silence that ends a stretch of speech; a shorter one is a consonant or a breath. */
const STOP_AFTER_MS = 160;
/** From this probability the agent is ducked, which is cheap to undo: the model takes time to be sure. */
const POSSIBLE_SPEECH_THRESHOLD = 0.2;
/**
 * Speech has this many windows of this periodicity. Measured over `fixtures/speech` at every offset of the windows and four
 * levels of line noise: none of 96 coughs reaches it within its unbroken part, though the model takes most of them for speech;
 * every word does, in 200 ms.
 */
const VOICED_PERIODICITY = 0.7;
const VOICED_WINDOWS = 3;

export interface SpeechState {
  speaking: boolean;
  /** When the current stretch started; undefined while not speaking. */
  startedMs: number;
  /** The end of the last window that was surely speech: the end of speech once it is over. */
  lastSpeechMs: number;
  /** Since when every window has been speech; null when the last one was not. */
  unbrokenSinceMs: number | null;
  /** Voiced windows since then. */
  voicedWindows: number;
  /** There is speech, or what may become speech. */
  possibleSpeech: boolean;
  lastPossibleSpeechMs: number;
}

export type SpeechChange = 'started' | 'ended' | null;

export function noSpeech(): SpeechState {
  return {
    speaking: false,
    startedMs: 0,
    lastSpeechMs: Number.NEGATIVE_INFINITY,
    unbrokenSinceMs: null,
    voicedWindows: 0,
    possibleSpeech: false,
    lastPossibleSpeechMs: Number.NEGATIVE_INFINITY,
  };
}

/**
 * Takes one window; changes `state` in place (this runs 31 times a second per call) and returns what changed. `periodicity`:
 * see `voicing.ts`.
 */
export function updateSpeech(state: SpeechState, probability: number, endMs: number, periodicity = 1): SpeechChange {
  if (probability >= POSSIBLE_SPEECH_THRESHOLD) state.lastPossibleSpeechMs = endMs;
  state.possibleSpeech = endMs - state.lastPossibleSpeechMs < STOP_AFTER_MS;
  if (probability >= START_THRESHOLD || (state.speaking && probability > STOP_THRESHOLD)) {
    // The model's probability decays slowly: its doubtful windows lie after the end of recorded speech.
    if (probability >= START_THRESHOLD) state.lastSpeechMs = endMs;
    state.unbrokenSinceMs ??= endMs - WINDOW_MS;
    if (periodicity >= VOICED_PERIODICITY) state.voicedWindows++;
    if (state.speaking) return null;
    state.speaking = true;
    state.startedMs = endMs - WINDOW_MS;
    return 'started';
  }
  state.unbrokenSinceMs = null;
  state.voicedWindows = 0;
  if (!state.speaking || endMs - state.lastSpeechMs < STOP_AFTER_MS) return null;
  state.speaking = false;
  return 'ended';
}

/** How long the caller has been speaking without a break; 0 while it may be a cough, which is unvoiced. */
export function unbrokenSpeechMs(state: SpeechState, nowMs: number): number {
  if (state.unbrokenSinceMs === null || state.voicedWindows < VOICED_WINDOWS) return 0;
  return nowMs - state.unbrokenSinceMs;
}
