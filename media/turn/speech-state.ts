/**
 * From the voice-activity model's windows to stretches of speech, as a pure function of (state, window). All
 * moments are monotonic milliseconds of arrival; a window's end is when its last sample came in.
 */

export const WINDOW_MS = 32;
/** A window this likely to be speech opens a stretch … */
const START_THRESHOLD = 0.5;
/** … and one this unlikely may close it: the gap keeps a wavering voice in one piece. */
const STOP_THRESHOLD = 0.35;
/** So long must it be quiet before the stretch is over; shorter is a consonant or a breath. */
const STOP_AFTER_MS = 160;
/** A window this likely is worth lowering one's voice for: that is cheap to undo, and the model is slow to be sure. */
const POSSIBLE_SPEECH_THRESHOLD = 0.2;
/**
 * Of so many windows of a stretch something vibrates by this much in a voice. Measured over `fixtures/speech` at every offset of
 * the windows and four levels of line noise: of 96 coughs none reaches it within its unbroken part, though the model
 * takes most of them for speech; every word does, in 200 ms.
 */
const VOICED_PERIODICITY = 0.7;
const VOICED_WINDOWS = 3;

export interface SpeechState {
  /** Somebody is speaking now, as far as voice activity knows. */
  speaking: boolean;
  /** When the present stretch began; meaningless while quiet. */
  startedMs: number;
  /** The end of the last window that surely held speech: the true end of speech once it is over. */
  lastSpeechMs: number;
  /** Since when speech went on without any quiet window; null while the last window was quiet. */
  unbrokenSinceMs: number | null;
  /** Windows of the unbroken stretch in which something vibrates. */
  voicedWindows: number;
  /** There is a voice, or what may become one. */
  possibleSpeech: boolean;
  /** The end of the last window that may have been the beginning of a voice. */
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
 * Takes one window; changes `state` in place (this runs 31 times a second per call) and says what changed. `periodicity` as
 * `voicing.ts` tells it.
 */
export function updateSpeech(state: SpeechState, probability: number, endMs: number, periodicity = 1): SpeechChange {
  if (probability >= POSSIBLE_SPEECH_THRESHOLD) state.lastPossibleSpeechMs = endMs;
  state.possibleSpeech = endMs - state.lastPossibleSpeechMs < STOP_AFTER_MS;
  if (probability >= START_THRESHOLD || (state.speaking && probability > STOP_THRESHOLD)) {
    // The model fades out after the voice: on recorded speech its doubtful windows lie after the true end.
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

/** How long the caller has been speaking without a break; 0 while it may be a cough: breath, and no voice in it. */
export function unbrokenSpeechMs(state: SpeechState, nowMs: number): number {
  if (state.unbrokenSinceMs === null || state.voicedWindows < VOICED_WINDOWS) return 0;
  return nowMs - state.unbrokenSinceMs;
}
