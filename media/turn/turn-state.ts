import type { TurnDetection } from '../../shared/agent.ts';
import type { TurnWords } from '../../shared/languages/turn-words.ts';
import type { TranscriberEvent } from '../stt/transcriber.ts';
import { type EndpointingAdaptation, NO_ADAPTATION } from './adaptive-endpointing.ts';
import type { Completeness } from './completeness.ts';

/** The state, inputs and effects of `end-of-turn.ts`. */

export interface TurnSettings {
  /** The transcriber detects turns. */
  decidesTurns: boolean;
  /** Silence that ends a turn, for transcribers that do not … */
  endpointingMs: number;
  /** … and what is made of it, by what the words say (`endpointing-delay.ts`); default `balanced`. */
  turnDetection?: TurnDetection;
  /** How long this provider takes from `finalize` to the final words, near its worst. */
  finalizationMs: number;
  /** Requests a prediction of the turn detector when speech pauses (`predict_end_of_turn`). */
  usesTurnDetector?: boolean;
  /** Of the call's language; left out: of an agent that names none. */
  words?: TurnWords;
}

export interface TurnState {
  settings: TurnSettings;
  /** The turn's final words, and those that may still change. */
  settled: string;
  interim: string;
  /** Voice activity: the caller is speaking. */
  voice: boolean;
  /** When speech last ended; null before any speech in this turn. */
  speechEndMs: number | null;
  speechStartMs: number | null;
  /** Final words were requested and have not come. */
  awaitingFinal: boolean;
  finalRequestedMs: number | null;
  /** The provider's turn is open (only with decidesTurns). */
  open: boolean;
  /** When the transcriber last emitted an event; time and text of its last final. */
  lastTranscriptMs: number;
  lastFinalMs: number;
  lastFinalText: string;
  /** The provider's current turn, and the last one that was ended here, whose further events are late. */
  turn: number;
  endedTurn: number;
  /** When the previous turn's speech ended, for words of it that come late. */
  previousSpeechEndMs: number | null;
  /** When the last turn with words ended, which of them were not final, and whether their final form is still expected. */
  endedMs: number;
  endedInterim: string;
  lateFinalExpected: boolean;
  /** Parts of this turn, and of answered ones, that a model has heard and no transcript has come of; by their turn numbers. */
  untranscribed: number[];
  answeredUntranscribed: Set<number>;
  /** The words of this turn belong to the previous one, which was answered without them. */
  late: boolean;
  /** The transcriber emits words without `finalize`, so that their absence is meaningful. */
  emitsPartials: boolean;
  /** Finals requested and not received, of any turn. */
  finalsRequested: number;
  /** When the words last changed; since when voice activity has lasted; when finals were requested during it. */
  wordsChangedMs: number;
  voiceSinceMs: number;
  probedMs: number | null;
  /** The ongoing voice activity is noise. */
  noiseOnly: boolean;
  /** The turn detector's prediction for the current pause. */
  probability: number | null;
  /** Adaptation to this caller's pauses, and the longest of this turn, without what the words had added to the delay. */
  adaptation: EndpointingAdaptation;
  longestPauseMs: number;
  /** A pause, in this turn or before it, that counts once there are words: what makes none may be a cough. */
  newPauseMs: number;
  /** What the words of the turn that ended had added to its delay. */
  endedExtraMs: number;
  /** Since when the end of the turn has been held. */
  heldMs: number | null;
  /** The completeness of this text, cached because it is needed every 20 ms. */
  completenessText: string;
  completeness: Completeness;
}

export type TurnInput =
  | { type: 'voice_started'; atMs: number }
  /** `atMs` is when speech ended, in the past. */
  | { type: 'voice_ended'; atMs: number }
  | { type: 'transcriber'; event: Exclude<TranscriberEvent, { type: 'failed' }> }
  /** The result of the `predict_end_of_turn` of this `speechEndMs`. May come at any time, or never. */
  | { type: 'turn_prediction'; probability: number; speechEndMs: number }
  | { type: 'tick' };

export type TurnEffect =
  /** First words of a turn, or more of them. */
  | { type: 'words'; text: string }
  /** The caller has probably finished with these words. The turn stays open until `ended`. */
  | { type: 'eager_end'; text: string }
  /** The caller continues after an eager end. */
  | { type: 'resumed' }
  /** Request the final words from the transcriber. */
  | { type: 'finalize' }
  /** Request a prediction whether the turn that began at `speechStartMs` is over. */
  | { type: 'predict_end_of_turn'; speechStartMs: number; speechEndMs: number }
  /** The ongoing voice activity has no words: it is background noise. */
  | { type: 'noise' }
  /**
   * The caller finished; `text` is empty for speech without words. `speechEndMs` is null when the words ended the turn before
   * voice activity did. `late`: these words belong to the previous turn, which was answered. `untranscribed`: the parts that a
   * model has heard and whose words are not known yet; `UNTRANSCRIBED` stands for each in the text.
   */
  | {
      type: 'ended';
      text: string;
      speechStartMs: number | null;
      speechEndMs: number | null;
      late: boolean;
      untranscribed: number[];
    }
  /** The words of an untranscribed part of a turn that has ended; '' where there are none. */
  | { type: 'transcribed'; part: number; text: string };

export function newTurn(settings: TurnSettings): TurnState {
  return {
    settings,
    settled: '',
    interim: '',
    voice: false,
    speechEndMs: null,
    speechStartMs: null,
    awaitingFinal: false,
    finalRequestedMs: null,
    open: false,
    lastTranscriptMs: 0,
    lastFinalMs: Number.NEGATIVE_INFINITY,
    lastFinalText: '',
    turn: -1,
    endedTurn: -1,
    previousSpeechEndMs: null,
    endedMs: Number.NEGATIVE_INFINITY,
    endedInterim: '',
    lateFinalExpected: false,
    untranscribed: [],
    answeredUntranscribed: new Set(),
    late: false,
    emitsPartials: false,
    finalsRequested: 0,
    wordsChangedMs: Number.NEGATIVE_INFINITY,
    voiceSinceMs: Number.NEGATIVE_INFINITY,
    probedMs: null,
    noiseOnly: false,
    probability: null,
    adaptation: NO_ADAPTATION,
    longestPauseMs: 0,
    newPauseMs: 0,
    endedExtraMs: 0,
    heldMs: null,
    completenessText: '',
    completeness: 'unsure',
  };
}

/** Another transcriber takes over. It transcribes again what was not final, so the known words stay. */
export function changeTranscriber(
  state: TurnState,
  settings: Pick<TurnSettings, 'decidesTurns' | 'finalizationMs'>,
): void {
  state.settings = { ...state.settings, ...settings };
  state.open = false;
  state.awaitingFinal = false;
  state.finalRequestedMs = null;
  state.probedMs = null;
  state.finalsRequested = 0;
  state.lateFinalExpected = false;
  state.emitsPartials = false;
  state.heldMs = null;
  // What it had heard is transcribed again.
  state.untranscribed = [];
}

/** The caller speaks another language from now on. */
export function changeLanguage(state: TurnState, words: TurnWords): void {
  state.settings = { ...state.settings, words };
  state.completenessText = '';
  state.completeness = 'unsure';
}

/** The turn's words as known now. */
export function wordsSoFar(state: TurnState): string {
  return joinWords(state.settled, state.interim);
}

/** True while the caller's turn is not over. */
export function turnOpen(state: TurnState): boolean {
  return (state.voice && !state.noiseOnly) || state.open || state.awaitingFinal || wordsSoFar(state) !== '';
}

/** Joins with one space. */
export function joinWords(a: string, b: string): string {
  if (a === '' || b === '') return (a + b).trim();
  return `${a.trim()} ${b.trim()}`;
}
