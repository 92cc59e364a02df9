import type { TranscriberEvent } from '../stt/transcriber.ts';
import {
  adaptedEndpointingMs,
  adaptToCutOff,
  adaptToPause,
  adaptToTurn,
  RESUMED_WITHIN_MS,
} from './adaptive-endpointing.ts';
import { type Completeness, completeness, isUnfinishedDictation } from './completeness.ts';
import { endpointingDelayMs } from './endpointing-delay.ts';
import { joinWords, type TurnEffect, type TurnInput, type TurnState, wordsSoFar } from './turn-state.ts';
import { plainWords } from './words.ts';

/**
 * When has the caller finished? A pure policy over two kinds of transcriber: one that decides turns itself, and one
 * that only writes and is judged by voice activity, its words, where configured a model that hears the voice, and an
 * absolute deadline. Deadlines hang on the true end of speech, never on the moment a message happened to arrive. Events
 * and moments go in; effects come out.
 */

/**
 * Milliseconds from "give me the final words" to having them, 99th percentile. `local` measured with pocketsphinx and a
 * small language model on two cores; Deepgram's and Sarvam's from pipecat's published table of speech end to final.
 */
export const FINALIZATION_MS: Record<string, number> = { deepgram: 350, sarvam: 1_000, local: 900 };

/** Voice activity closes a stretch this late; asking earlier than this for final words would cut words in two. */
const FINALIZE_AFTER_MS = 250;
/** The same final so soon again is one final told twice. */
const DUPLICATE_FINAL_WITHIN_MS = 400;
/** A transcriber that decides turns itself but leaves one open this long after voice and words ended is stuck. */
const STUCK_TURN_MS = 6_000;
/** Words that stand still so long while voice activity goes on: the voice that it hears is the room's. */
const WORDS_STOPPED_MS = 3_000;
/** The same where words are written only when asked for: asking cuts the sound in two, so it is done seldom. */
const NO_PARTIALS_MS = 8_000;
/** Final words that were asked for and come later than this belong to nothing any more. */
const LATE_FINAL_MS = 5_000;
/**
 * An end that the transcriber decided is held back so long when the caller was plainly in the middle of dictating: that
 * costs a second only after numbers and names that look unfinished, and a number cut in two costs the call. Nothing else is
 * held back, for such a transcriber has heard sentence and voice itself.
 */
const HOLD_DICTATION_MS = 1_000;
/** Voice without words holds it back no longer than this. */
const MAX_HOLD_MS = 3_000;

/** Takes one input; changes `state` in place and says what follows. */
export function advanceTurn(state: TurnState, input: TurnInput, nowMs: number): TurnEffect[] {
  const effects: TurnEffect[] = [];
  switch (input.type) {
    case 'voice_started':
      startVoice(state, Math.min(input.atMs, nowMs));
      break;
    case 'voice_ended':
      state.voice = false;
      state.noiseOnly = false;
      state.speechEndMs = Math.min(input.atMs, nowMs);
      if (state.settings.usesTurnDetector && !state.settings.decidesTurns) {
        const { speechStartMs, speechEndMs } = state;
        effects.push({ type: 'predict_end_of_turn', speechStartMs: speechStartMs ?? speechEndMs, speechEndMs });
      }
      break;
    case 'turn_prediction':
      // Of the pause that it was asked about only: the caller may have gone on since.
      if (!state.voice && state.speechEndMs === input.speechEndMs) state.probability = input.probability;
      break;
    case 'transcriber':
      onTranscriberEvent(state, input.event, nowMs, effects);
      break;
    case 'tick':
      break;
  }
  if (effects.some((effect) => effect.type === 'ended')) return effects;
  evaluate(state, nowMs, effects);
  return effects;
}

function startVoice(state: TurnState, atMs: number): void {
  state.voice = true;
  state.probability = null;
  state.voiceSinceMs = atMs;
  if (state.speechStartMs === null) {
    state.speechStartMs = atMs;
    const { endedMs, previousSpeechEndMs: pastSpeechEndMs } = state;
    if (pastSpeechEndMs !== null && atMs - endedMs <= RESUMED_WITHIN_MS) {
      // Where the wait was shortened, the whole of it has to grow for that part to be long enough.
      state.cutOffPauseMs = (atMs - pastSpeechEndMs) / Math.min(1, state.delayFactor);
    }
  } else if (state.speechEndMs !== null && !expectsMore(completenessSoFar(state))) {
    // A pause after "and" was waited for because of the word; it says nothing of the others.
    state.longestPauseMs = Math.max(state.longestPauseMs, atMs - state.speechEndMs);
  }
}

function completenessSoFar(state: TurnState): Completeness {
  const text = wordsSoFar(state);
  if (text !== state.completenessText) {
    state.completenessText = text;
    state.completeness = completeness(text);
  }
  return state.completeness;
}

function expectsMore(words: Completeness): boolean {
  return words === 'goes_on' || words === 'dictating';
}

function onTranscriberEvent(
  state: TurnState,
  event: Exclude<TranscriberEvent, { type: 'failed' }>,
  nowMs: number,
  effects: TurnEffect[],
): void {
  if (event.turn <= state.endedTurn) {
    if (event.type === 'final' && event.turn === state.endedTurn) appendLateFinal(state, event.text, nowMs, effects);
    return;
  }
  state.turn = event.turn;
  state.lastTranscriptMs = nowMs;
  const before = wordsSoFar(state);
  switch (event.type) {
    case 'turn_started':
      state.open = true;
      state.heldMs = null;
      state.interim = event.text;
      break;
    case 'turn_eager_end':
      state.open = true;
      state.interim = event.text;
      effects.push({ type: 'eager_end', text: wordsSoFar(state) });
      break;
    case 'turn_resumed':
      state.open = true;
      state.interim = event.text;
      effects.push({ type: 'resumed' });
      break;
    case 'partial':
      if (state.settings.decidesTurns) state.open = true;
      state.emitsPartials = true;
      state.interim = event.text;
      break;
    case 'turn_ended':
      state.interim = event.text;
      if (isUnfinishedDictation(wordsSoFar(state))) {
        holdEnd(state, nowMs);
        break;
      }
      effects.push(endTurn(state, nowMs));
      return;
    case 'final':
      if (event.text === state.lastFinalText && nowMs - state.lastFinalMs < DUPLICATE_FINAL_WITHIN_MS) break;
      if (state.finalsRequested === 0) state.emitsPartials = true;
      else state.finalsRequested--;
      state.lastFinalMs = nowMs;
      state.lastFinalText = event.text;
      state.settled = joinWords(state.settled, event.text);
      state.interim = '';
      state.awaitingFinal = false;
      if (!state.voice && state.speechEndMs === null && event.text !== '') {
        // The turn was given up without these words: its silence was waited for already.
        state.speechEndMs = state.previousSpeechEndMs ?? nowMs;
        state.finalRequestedMs = nowMs;
        state.late = state.lateFinalExpected && nowMs - state.endedMs <= LATE_FINAL_MS;
      }
      state.lateFinalExpected = false;
      break;
  }
  const words = wordsSoFar(state);
  if (words === before) return;
  state.wordsChangedMs = nowMs;
  if (words !== '') effects.push({ type: 'words', text: words });
}

/** Final words of a turn that was answered with what was known of it: what they add is told, and makes no second turn. */
function appendLateFinal(state: TurnState, text: string, nowMs: number, effects: TurnEffect[]): void {
  if (!state.lateFinalExpected || nowMs - state.endedMs > LATE_FINAL_MS) return;
  const added = addedWords(state.endedInterim, text);
  state.lateFinalExpected = false;
  if (added === '') return;
  if (state.voice || wordsSoFar(state) !== '') {
    // The caller is speaking again and will be answered for all of it.
    state.settled = joinWords(added, state.settled);
    return;
  }
  effects.push({ type: 'ended', text: added, speechStartMs: null, speechEndMs: state.previousSpeechEndMs, late: true });
}

/** What `after` says beyond `before`; '' when it says something else, for that was answered already. */
function addedWords(before: string, after: string): string {
  const known = plainWords(before);
  const words = after.trim().split(/\s+/);
  if (known.length === 0 || plainWords(after).length <= known.length) return '';
  const same = known.every((word, index) => plainWords(words[index] ?? '').join(' ') === word);
  return same ? words.slice(known.length).join(' ') : '';
}

/** The transcriber's turn is over, ours waits for what is still to be dictated. */
function holdEnd(state: TurnState, nowMs: number): void {
  state.settled = wordsSoFar(state);
  state.interim = '';
  state.open = false;
  state.heldMs = nowMs;
  state.endedTurn = state.turn;
}

/** What the moment asks for, with nothing new heard. */
function evaluate(state: TurnState, nowMs: number, effects: TurnEffect[]): void {
  if (state.settings.decidesTurns) {
    if (shouldForceEnd(state, nowMs)) effects.push(endTurn(state, nowMs));
    return;
  }
  if (state.voice) {
    const before = effects.length;
    if (!state.noiseOnly || !state.emitsPartials) probeOngoingVoice(state, nowMs, effects);
    if (!state.noiseOnly || effects.length > before) return;
  }
  // Words of a voice that was not noticed end with the last of them.
  const endMs = state.speechEndMs ?? (wordsSoFar(state) === '' ? null : state.lastTranscriptMs);
  if (endMs === null) return;
  const silentMs = nowMs - endMs;
  const finished = state.interim === '' && state.settled !== '' && state.lastFinalMs >= endMs;
  const asked = finished || (state.finalRequestedMs !== null && state.finalRequestedMs >= endMs);
  if (!asked && silentMs >= FINALIZE_AFTER_MS) requestFinal(state, nowMs, effects);
  const { endpointingMs, finalizationMs: finalisationMs } = state.settings;
  const adaptedMs = adaptedEndpointingMs(state.adaptation, endpointingMs);
  const patience = endpointingDelayMs({
    endpointingMs,
    adaptedMs,
    words: completenessSoFar(state),
    probability: state.probability,
  });
  // A wait that is longer for the words' sake is long enough for their final form too.
  const deadline = Math.max(patience, Math.max(Math.min(patience, adaptedMs), FINALIZE_AFTER_MS) + finalisationMs);
  const complete = finished || !state.awaitingFinal;
  if (silentMs < patience || !asked || (!complete && silentMs < deadline)) return;
  state.delayFactor = patience / adaptedMs;
  effects.push(endTurn(state, nowMs));
}

function requestFinal(state: TurnState, nowMs: number, effects: TurnEffect[]): void {
  state.finalRequestedMs = nowMs;
  state.awaitingFinal = true;
  state.finalsRequested++;
  effects.push({ type: 'finalize' });
}

/** A transcriber that decides turns ends them itself: this ends those it forgot, and those that were held back in vain. */
function shouldForceEnd(state: TurnState, nowMs: number): boolean {
  const quietSinceMs = Math.max(state.speechEndMs ?? 0, state.lastTranscriptMs);
  if (state.open) return !state.voice && nowMs - quietSinceMs > STUCK_TURN_MS;
  if (state.heldMs === null) return false;
  const heldForMs = nowMs - state.heldMs;
  return heldForMs >= MAX_HOLD_MS || (!state.voice && heldForMs >= HOLD_DICTATION_MS);
}

/** Voice goes on, but do the words? The room around a caller may never fall silent. */
function probeOngoingVoice(state: TurnState, nowMs: number, effects: TurnEffect[]): void {
  const words = wordsSoFar(state);
  if (words === '' && state.emitsPartials) return;
  const sinceMs = Math.max(state.voiceSinceMs, state.wordsChangedMs);
  if (state.probedMs === null || state.probedMs < sinceMs) {
    if (nowMs - sinceMs < (state.emitsPartials ? WORDS_STOPPED_MS : NO_PARTIALS_MS)) return;
    state.probedMs = nowMs;
    requestFinal(state, nowMs, effects);
    return;
  }
  const answered = state.lastFinalMs >= state.probedMs;
  if (!answered && nowMs - state.probedMs < state.settings.finalizationMs) return;
  state.noiseOnly = true;
  state.awaitingFinal = false;
  state.voiceSinceMs = nowMs;
  effects.push({ type: 'noise' });
  if (words !== '') effects.push(endTurn(state, nowMs));
}

function endTurn(state: TurnState, nowMs: number): TurnEffect {
  const effect: TurnEffect = {
    type: 'ended',
    text: wordsSoFar(state),
    speechStartMs: state.speechStartMs,
    speechEndMs: state.speechEndMs,
    late: state.late,
  };
  if (effect.text !== '') {
    // Without words nothing was answered: words that come late are the turn's own.
    state.endedTurn = state.turn;
    state.endedMs = nowMs;
    state.endedInterim = state.interim;
    state.lateFinalExpected = state.interim !== '' || state.awaitingFinal;
    if (!state.late) adaptEndpointing(state);
  }
  state.previousSpeechEndMs = state.speechEndMs;
  state.settled = '';
  state.interim = '';
  state.open = false;
  state.late = false;
  state.awaitingFinal = false;
  state.finalRequestedMs = null;
  state.speechEndMs = null;
  state.speechStartMs = null;
  state.probability = null;
  state.longestPauseMs = 0;
  state.cutOffPauseMs = null;
  state.heldMs = null;
  return effect;
}

/** The patience of the next turn, from the pauses of this one. */
function adaptEndpointing(state: TurnState): void {
  const { endpointingMs } = state.settings;
  if (state.cutOffPauseMs !== null)
    state.adaptation = adaptToCutOff(state.adaptation, state.cutOffPauseMs, endpointingMs);
  state.adaptation = adaptToPause(state.adaptation, state.longestPauseMs, endpointingMs);
  state.adaptation = adaptToTurn(
    state.adaptation,
    Math.max(state.longestPauseMs, state.cutOffPauseMs ?? 0),
    endpointingMs,
  );
}
