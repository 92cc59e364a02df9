import type { TranscriberEvent } from '../stt/transcriber.ts';
import { type EndpointingAdaptation, NO_ADAPTATION } from './adaptive-endpointing.ts';
import type { Completeness } from './completeness.ts';

/** One caller's turn as far as it is known: what `end-of-turn.ts` keeps, is told and tells. */

export interface TurnSettings {
  /** The transcriber decides turns itself. */
  decidesTurns: boolean;
  /** Silence that ends a turn, for transcribers that only write. */
  endpointingMs: number;
  /** How long this provider takes to write the last words once asked, measured, near its worst. */
  finalizationMs: number;
  /** There is an audio model of the end of turn; it is asked when speech pauses (`ask_model`). */
  usesTurnDetector?: boolean;
}

export interface TurnState {
  settings: TurnSettings;
  /** The turn's words that are settled, and those that may still change. */
  settled: string;
  interim: string;
  /** The caller is speaking by voice activity. */
  voice: boolean;
  /** True end of the last speech; null before any speech in this turn. */
  speechEndMs: number | null;
  speechStartMs: number | null;
  /** Final words were asked for and have not come. */
  awaitingFinal: boolean;
  finalRequestedMs: number | null;
  /** The provider's own turn is open (only with decidesTurns). */
  open: boolean;
  /** When the transcriber last said anything, and when and what its last final was. */
  lastTranscriptMs: number;
  lastFinalMs: number;
  lastFinalText: string;
  /** Number of the provider's turn heard last, and of the last one that was ended here: what still comes of it is late. */
  turn: number;
  endedTurn: number;
  /** True end of the speech before this turn, for words that come after it was given up. */
  previousSpeechEndMs: number | null;
  /** When the last turn with words ended here, what of it was not final, and whether final words are still owed to it. */
  endedMs: number;
  endedInterim: string;
  lateFinalExpected: boolean;
  /** The turn's words came after it had been answered without them. */
  late: boolean;
  /** The transcriber tells words without being asked, so that their absence says something. */
  emitsPartials: boolean;
  /** Final words that were asked for and have not come, of whatever turn. */
  finalsRequested: number;
  /** When the words last became others; since when voice goes on; when final words were asked for in spite of it. */
  wordsChangedMs: number;
  voiceSinceMs: number;
  probedMs: number | null;
  /** The voice that goes on holds no words. */
  noiseOnly: boolean;
  /** What the audio model said of the present pause. */
  probability: number | null;
  /** This caller's pauses; the longest of this turn; the one at which the turn before was cut off. */
  adaptation: EndpointingAdaptation;
  longestPauseMs: number;
  cutOffPauseMs: number | null;
  /** The share of the patience after which the turn before was ended. */
  delayFactor: number;
  /** When an end was held back. */
  heldMs: number | null;
  /** What the words say, kept because it is asked for every 20 ms. */
  completenessText: string;
  completeness: Completeness;
}

export type TurnInput =
  | { type: 'voice_started'; atMs: number }
  /** `atMs` is the true end of speech, in the past. */
  | { type: 'voice_ended'; atMs: number }
  | { type: 'transcriber'; event: Exclude<TranscriberEvent, { type: 'failed' }> }
  /** The audio model's answer to the `ask_model` of this `speechEndMs`. May come at any time, or never. */
  | { type: 'turn_prediction'; probability: number; speechEndMs: number }
  | { type: 'tick' };

export type TurnEffect =
  /** First words of a turn, or more of them. */
  | { type: 'words'; text: string }
  /** The caller has probably finished; these are the words if so. The turn stays open until `ended`. */
  | { type: 'eager_end'; text: string }
  /** The caller goes on after an eager end. */
  | { type: 'resumed' }
  /** Ask the transcriber for the final words. */
  | { type: 'finalize' }
  /** Ask the audio model whether the turn that began at `speechStartMs` is over. */
  | { type: 'predict_end_of_turn'; speechStartMs: number; speechEndMs: number }
  /** The voice that goes on holds no words: it is the room. */
  | { type: 'noise' }
  /**
   * The caller finished; `text` may be empty when the speech held no words. `speechEndMs` is null when the words ended
   * the turn before voice activity saw its end. `late`: these words belong to the turn before, which was answered.
   */
  | { type: 'ended'; text: string; speechStartMs: number | null; speechEndMs: number | null; late: boolean };

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
    cutOffPauseMs: null,
    delayFactor: 1,
    heldMs: null,
    completenessText: '',
    completeness: 'unsure',
  };
}

/** Another transcriber hears from now on; it hears again what was not understood, so the words that are known stay. */
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
}

/** The turn's words as known now. */
export function wordsSoFar(state: TurnState): string {
  return joinWords(state.settled, state.interim);
}

/** Is somebody in the middle of saying something? */
export function turnOpen(state: TurnState): boolean {
  return (state.voice && !state.noiseOnly) || state.open || state.awaitingFinal || wordsSoFar(state) !== '';
}

/** One after the other, with one space between. */
export function joinWords(a: string, b: string): string {
  if (a === '' || b === '') return (a + b).trim();
  return `${a.trim()} ${b.trim()}`;
}
