import { UNTRANSCRIBED } from '../../shared/llm/prompt.ts';
import { plainWords } from '../../shared/words.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { adaptedEndpointingMs, adaptToPause, adaptToTurn, RESUMED_WITHIN_MS } from './adaptive-endpointing.ts';
import { type Completeness, completeness, isUnfinishedDictation } from './completeness.ts';
import { endpointingDelayMs, endpointingExtraMs } from './endpointing-delay.ts';
import { joinWords, type TurnEffect, type TurnInput, type TurnState, wordsSoFar } from './turn-state.ts';

/**
 * Detects the end of the caller's turn, as a pure policy over two kinds of transcriber: one that detects turns itself, and one
 * that only transcribes, where voice activity, the words, optionally a turn detector, and an absolute deadline decide.
 * Deadlines count from the end of speech, never from the arrival of a message. Inputs with their times go in, effects come out.
 */

/**
 * Milliseconds from `finalize` to the final words, 99th percentile. `local` measured with pocketsphinx and a small language
 * model on two cores; Deepgram's and Sarvam's from pipecat's published table of speech end to final.
 */
export const FINALIZATION_MS: Record<string, number> = { deepgram: 350, sarvam: 1_000, local: 900 };

/** From `finalize` to the final words of this transcriber, near its worst. */
export function finalizationMs(transcriber: { provider: string; finalizationMs?: number | undefined }): number {
  return transcriber.finalizationMs ?? FINALIZATION_MS[transcriber.provider] ?? 1_000;
}

/** Voice activity reports the end of speech this late; requesting final words earlier could split a word. */
const FINALIZE_AFTER_MS = 250;
/** The same final within this time is a duplicate. */
const DUPLICATE_FINAL_WITHIN_MS = 400;
/** A provider's turn that is open this long after voice and words ended is ended here. */
const STUCK_TURN_MS = 6_000;
/** Voice activity whose words have not changed for this long is background noise. */
const WORDS_STOPPED_MS = 3_000;
/** The same for a transcriber without partials: requesting finals splits the audio, so it is done seldom. */
const NO_PARTIALS_MS = 8_000;
/**
 * What a final adds to an answered turn is ignored when it comes later than this: a loaded transcriber needs up to ten seconds,
 * and what is later belongs to nothing that is being said. A turn that was not answered takes its words at any time.
 */
const LATE_FINAL_MS = 15_000;
/**
 * How long an end detected by the transcriber is held while the caller is surely dictating: a number cut in two may cost the
 * call. Nothing else is held, because such a transcriber takes words and voice into account itself.
 */
const HOLD_DICTATION_MS = 1_000;
/** Voice activity extends the hold up to this. */
const MAX_HOLD_MS = 3_000;

/** Takes one input; changes `state` in place and returns the effects. */
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
      // Ignored when the caller has spoken since the request.
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
  state.voiceSinceMs = atMs;
  if (state.speechStartMs === null) {
    state.speechStartMs = atMs;
    const { endedMs, previousSpeechEndMs } = state;
    if (previousSpeechEndMs !== null && atMs - endedMs <= RESUMED_WITHIN_MS) {
      addPause(state, atMs - previousSpeechEndMs - state.endedExtraMs);
    }
  } else if (state.speechEndMs !== null && !expectsMore(completenessSoFar(state))) {
    // A pause after an incomplete sentence, such as "and", says nothing about the caller's other pauses.
    addPause(state, atMs - state.speechEndMs - extraMs(state));
    if (wordsSoFar(state) !== '') learnPauses(state);
  }
  state.probability = null;
}

function addPause(state: TurnState, pauseMs: number): void {
  state.newPauseMs = Math.max(state.newPauseMs, pauseMs);
}

/** Adapts the endpointing delay at once, also for the rest of this turn. */
function learnPauses(state: TurnState): void {
  if (state.newPauseMs === 0) return;
  state.adaptation = adaptToPause(state.adaptation, state.newPauseMs, state.settings.endpointingMs);
  state.longestPauseMs = Math.max(state.longestPauseMs, state.newPauseMs);
  state.newPauseMs = 0;
}

/** What the words, and the turn detector, add to the endpointing delay. */
function extraMs(state: TurnState): number {
  const { turnDetection = 'balanced' } = state.settings;
  return endpointingExtraMs({ turnDetection, words: completenessSoFar(state), probability: state.probability });
}

function completenessSoFar(state: TurnState): Completeness {
  const text = wordsSoFar(state);
  if (text !== state.completenessText) {
    state.completenessText = text;
    state.completeness = completeness(text, state.settings.words);
  }
  return state.completeness;
}

function expectsMore(words: Completeness): boolean {
  return words === 'incomplete' || words === 'dictating';
}

function onTranscriberEvent(
  state: TurnState,
  event: Exclude<TranscriberEvent, { type: 'failed' }>,
  nowMs: number,
  effects: TurnEffect[],
): void {
  if (event.type === 'final' && state.answeredUntranscribed.delete(event.turn)) {
    effects.push({ type: 'transcribed', part: event.turn, text: event.text });
    return;
  }
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
      if (isUnfinishedDictation(wordsSoFar(state), state.settings.words)) {
        holdEnd(state, nowMs);
        break;
      }
      effects.push(endTurn(state, nowMs));
      return;
    case 'untranscribed':
      state.untranscribed.push(event.turn);
      if (state.settings.decidesTurns) {
        effects.push(endTurn(state, nowMs));
        return;
      }
      break;
    case 'final':
      state.untranscribed = state.untranscribed.filter((part) => part !== event.turn);
      if (event.text === state.lastFinalText && nowMs - state.lastFinalMs < DUPLICATE_FINAL_WITHIN_MS) break;
      if (state.finalsRequested === 0) state.emitsPartials = true;
      else state.finalsRequested--;
      state.lastFinalMs = nowMs;
      state.lastFinalText = event.text;
      state.settled = joinWords(state.settled, event.text);
      state.interim = '';
      state.awaitingFinal = false;
      if (!state.voice && state.speechEndMs === null && event.text !== '') {
        // The turn ended without these words, and its silence has been waited for already.
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
  if (words === '') return;
  learnPauses(state);
  effects.push({ type: 'words', text: words });
}

/** Final words of a turn that was answered without them: what they add to its interim words is emitted as late. */
function appendLateFinal(state: TurnState, text: string, nowMs: number, effects: TurnEffect[]): void {
  if (!state.lateFinalExpected || nowMs - state.endedMs > LATE_FINAL_MS) return;
  const added = addedWords(state.endedInterim, text);
  state.lateFinalExpected = false;
  if (added === '') return;
  if (state.voice || wordsSoFar(state) !== '') {
    // The caller is speaking again: the words become part of this turn.
    state.settled = joinWords(added, state.settled);
    return;
  }
  const speechEndMs = state.previousSpeechEndMs;
  effects.push({ type: 'ended', text: added, speechStartMs: null, speechEndMs, late: true, untranscribed: [] });
}

/** What `after` adds to `before`, all of it to no words; '' when it differs from them, because they were answered already. */
function addedWords(before: string, after: string): string {
  const known = plainWords(before);
  const words = after.trim().split(/\s+/);
  if (plainWords(after).length <= known.length) return '';
  const same = known.every((word, index) => plainWords(words[index] ?? '').join(' ') === word);
  return same ? words.slice(known.length).join(' ') : '';
}

/** The provider's turn is over; this one waits for the rest of the dictation. */
function holdEnd(state: TurnState, nowMs: number): void {
  state.settled = wordsSoFar(state);
  state.interim = '';
  state.open = false;
  state.heldMs = nowMs;
  state.endedTurn = state.turn;
}

/** What follows from the passing of time. */
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
  // Words without voice activity end with the last of them.
  const endMs = state.speechEndMs ?? (wordsSoFar(state) === '' ? null : state.lastTranscriptMs);
  if (endMs === null) return;
  const silentMs = nowMs - endMs;
  const final = state.interim === '' && state.settled !== '' && state.lastFinalMs >= endMs;
  const requested = final || (state.finalRequestedMs !== null && state.finalRequestedMs >= endMs);
  if (!requested && silentMs >= FINALIZE_AFTER_MS) requestFinal(state, nowMs, effects);
  const { endpointingMs, finalizationMs, turnDetection = 'balanced' } = state.settings;
  const adaptedMs = adaptedEndpointingMs(state.adaptation, endpointingMs);
  const words = completenessSoFar(state);
  const delayMs = endpointingDelayMs({
    endpointingMs,
    adaptedMs,
    turnDetection,
    words,
    probability: state.probability,
  });
  // A delay lengthened for the words is long enough for the finals too.
  const deadline = Math.max(delayMs, Math.max(adaptedMs, FINALIZE_AFTER_MS) + finalizationMs);
  // Finals that were requested late, because the end of speech was known late, have their time as well.
  const due = silentMs >= deadline && nowMs - (state.finalRequestedMs ?? endMs) >= finalizationMs;
  const complete = final ? state.untranscribed.length === 0 : !state.awaitingFinal;
  if (silentMs < delayMs || !requested || (!complete && !due)) return;
  effects.push(endTurn(state, nowMs));
}

function requestFinal(state: TurnState, nowMs: number, effects: TurnEffect[]): void {
  state.finalRequestedMs = nowMs;
  state.awaitingFinal = true;
  state.finalsRequested++;
  effects.push({ type: 'finalize' });
}

/** Ends turns that the provider has left open, and those that were held without further words. */
function shouldForceEnd(state: TurnState, nowMs: number): boolean {
  const quietSinceMs = Math.max(state.speechEndMs ?? 0, state.lastTranscriptMs);
  if (state.open) return !state.voice && nowMs - quietSinceMs > STUCK_TURN_MS;
  if (state.heldMs === null) return false;
  const heldMs = nowMs - state.heldMs;
  return heldMs >= MAX_HOLD_MS || (!state.voice && heldMs >= HOLD_DICTATION_MS);
}

/** Detects that ongoing voice activity has no new words: background noise may never stop. */
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
  const received = state.lastFinalMs >= state.probedMs;
  if (!received && nowMs - state.probedMs < state.settings.finalizationMs) return;
  state.noiseOnly = true;
  state.awaitingFinal = false;
  state.voiceSinceMs = nowMs;
  effects.push({ type: 'noise' });
  if (words !== '') effects.push(endTurn(state, nowMs));
}

function endTurn(state: TurnState, nowMs: number): TurnEffect {
  const effect: Extract<TurnEffect, { type: 'ended' }> = {
    type: 'ended',
    text: [wordsSoFar(state), ...state.untranscribed.map(() => UNTRANSCRIBED)]
      .filter((words) => words !== '')
      .join(' '),
    speechStartMs: state.speechStartMs,
    speechEndMs: state.speechEndMs,
    late: state.late,
    untranscribed: state.untranscribed,
  };
  for (const part of state.untranscribed) state.answeredUntranscribed.add(part);
  state.untranscribed = [];
  if (effect.text !== '') {
    // A turn without words was not answered: words that come late are its own.
    state.endedTurn = state.turn;
    state.endedMs = nowMs;
    state.endedInterim = state.interim;
    state.lateFinalExpected = state.interim !== '' || state.awaitingFinal;
    state.endedExtraMs = extraMs(state);
    if (!state.late) {
      state.adaptation = adaptToTurn(state.adaptation, state.longestPauseMs, state.settings.endpointingMs);
    }
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
  state.newPauseMs = 0;
  state.heldMs = null;
  return effect;
}
