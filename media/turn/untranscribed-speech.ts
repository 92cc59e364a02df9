/**
 * Decides when the agent asks for something again because it was clearly said and no words of it came. Pure, in monotonic
 * milliseconds.
 */

/**
 * Unbroken voiced speech of this length was meant for the agent. Over `fixtures/speech`: coughs and line noise have none, single
 * words up to 420 ms ("mm-hm" 610), nearly every sentence 670 to 3,000.
 */
const CLEAR_SPEECH_MS = 600;
/** Speech longer than this without one word is the caller's surroundings: a television, music, other people. */
const MAX_SPEECH_MS = 15_000;
/**
 * Words are awaited this long after the speech: a fallback that transcribes it again needs three to four seconds, and callers
 * say "hello?" after about as long.
 */
const REPROMPT_AFTER_MS = 4_000;
/** The agent asks so often in a row, until it understands something: who still is not understood will not be helped by asking. */
const MAX_REPROMPTS = 2;

export interface UntranscribedSpeech {
  /** Clear speech whose words are awaited; null when there is none. */
  speech: { readonly durationMs: number; readonly endMs: number } | null;
  /** How often in a row the agent has asked. */
  reprompts: number;
}

export interface SpeechStretch {
  startMs: number;
  endMs: number;
  /** Its longest unbroken voiced part. */
  unbrokenMs: number;
}

export function nothingUntranscribed(): UntranscribedSpeech {
  return { speech: null, reprompts: 0 };
}

/** The caller spoke while the agent was silent, and no words of it are known. */
export function awaitWords(state: UntranscribedSpeech, { startMs, endMs, unbrokenMs }: SpeechStretch): void {
  const durationMs = endMs - startMs;
  if (durationMs > MAX_SPEECH_MS) state.speech = null;
  // A short sound after clear speech, such as a breath, does not make it unclear.
  else if (unbrokenMs >= CLEAR_SPEECH_MS && mayReprompt(state)) state.speech = { durationMs, endMs };
}

export function mayReprompt({ reprompts }: UntranscribedSpeech): boolean {
  return reprompts < MAX_REPROMPTS;
}

/** Nothing is awaited any more: words came, or the agent speaks. */
export function stopAwaitingWords(state: UntranscribedSpeech): void {
  state.speech = null;
}

/** The caller was understood. */
export function onUnderstood(state: UntranscribedSpeech): void {
  state.speech = null;
  state.reprompts = 0;
}

/** Returns the duration of the speech that the agent should ask for again now, once; else null. */
export function checkUntranscribed(state: UntranscribedSpeech, nowMs: number): number | null {
  const { speech } = state;
  if (!speech || nowMs - speech.endMs < REPROMPT_AFTER_MS) return null;
  state.speech = null;
  state.reprompts++;
  return speech.durationMs;
}
