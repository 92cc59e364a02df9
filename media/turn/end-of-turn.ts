import type { TranscriberEvent } from '../stt/transcriber.ts';

/**
 * When has the caller finished? A pure policy over two kinds of transcriber: one that decides turns itself, and one
 * that only writes and is judged by voice activity, its words and an absolute deadline. Deadlines hang on the true
 * end of speech, never on the moment a message happened to arrive. Events and moments go in; effects come out.
 */

export interface TurnSettings {
  /** The transcriber decides turns itself. */
  decidesTurns: boolean;
  /** Silence that ends a turn, for transcribers that only write. */
  endpointingMs: number;
  /** How long this provider takes to write the last words once asked, measured, near its worst. */
  finalisationMs: number;
}

/**
 * Milliseconds from "give me the final words" to having them, 99th percentile. `local` measured with pocketsphinx and a
 * small language model on two cores; Deepgram's and Sarvam's from pipecat's published table of speech end to final.
 */
export const FINALISATION_MS: Record<string, number> = { deepgram: 350, sarvam: 1_000, local: 900 };

/** Voice activity closes a stretch this late; asking earlier than this for final words would cut words in two. */
const ASK_FINAL_AFTER_MS = 250;
/** The same final so soon again is one final told twice. */
const SAME_FINAL_WITHIN_MS = 400;
/** A transcriber that decides turns itself but leaves one open this long after voice and words ended is stuck. */
const STUCK_TURN_MS = 6_000;

export interface TurnState {
  readonly settings: TurnSettings;
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
  askedFinalMs: number | null;
  /** The provider's own turn is open (only with decidesTurns). */
  open: boolean;
  /** When the transcriber last said anything, and when and what its last final was. */
  heardMs: number;
  finalMs: number;
  finalText: string;
  /** Number of the provider's turn heard last, and of the last one that was ended here: what still comes of it is late. */
  turn: number;
  endedTurn: number;
  /** True end of the speech before this turn, for words that come after it was given up. */
  pastSpeechEndMs: number | null;
}

export type TurnInput =
  | { type: 'voice_started'; atMs: number }
  /** `atMs` is the true end of speech, in the past. */
  | { type: 'voice_ended'; atMs: number }
  | { type: 'transcriber'; event: Exclude<TranscriberEvent, { type: 'failed' }> }
  | { type: 'tick' };

export type TurnEffect =
  /** First words of a turn, or more of them. */
  | { type: 'words'; text: string }
  /** The caller has probably finished; these are the words if so. The turn stays open until `ended`. */
  | { type: 'eager_end'; text: string }
  /** The caller goes on after an eager end. */
  | { type: 'resumed' }
  /** Ask the transcriber for the final words. */
  | { type: 'ask_final' }
  /**
   * The caller finished; `text` may be empty when the speech held no words. `speechEndMs` is null when the words ended
   * the turn before voice activity saw its end.
   */
  | { type: 'ended'; text: string; speechStartMs: number | null; speechEndMs: number | null };

export function newTurn(settings: TurnSettings): TurnState {
  return {
    settings,
    settled: '',
    interim: '',
    voice: false,
    speechEndMs: null,
    speechStartMs: null,
    awaitingFinal: false,
    askedFinalMs: null,
    open: false,
    heardMs: 0,
    finalMs: Number.NEGATIVE_INFINITY,
    finalText: '',
    turn: -1,
    endedTurn: -1,
    pastSpeechEndMs: null,
  };
}

/** The turn's words as known now. */
export function wordsSoFar(state: TurnState): string {
  return join(state.settled, state.interim);
}

/** Is somebody in the middle of saying something? */
export function turnOpen(state: TurnState): boolean {
  return state.voice || state.open || state.awaitingFinal || wordsSoFar(state) !== '';
}

/** Takes one input; changes `state` in place and says what follows. */
export function advanceTurn(state: TurnState, input: TurnInput, nowMs: number): TurnEffect[] {
  const effects: TurnEffect[] = [];
  switch (input.type) {
    case 'voice_started':
      state.voice = true;
      state.speechStartMs ??= Math.min(input.atMs, nowMs);
      break;
    case 'voice_ended':
      state.voice = false;
      state.speechEndMs = Math.min(input.atMs, nowMs);
      break;
    case 'transcriber':
      hear(state, input.event, nowMs, effects);
      break;
    case 'tick':
      break;
  }
  if (effects.some((effect) => effect.type === 'ended')) return effects;
  judge(state, nowMs, effects);
  return effects;
}

function hear(
  state: TurnState,
  event: Exclude<TranscriberEvent, { type: 'failed' }>,
  nowMs: number,
  effects: TurnEffect[],
): void {
  if (event.turn <= state.endedTurn) return;
  state.turn = event.turn;
  state.heardMs = nowMs;
  const before = wordsSoFar(state);
  switch (event.type) {
    case 'turn_started':
      state.open = true;
      state.interim = event.text;
      break;
    case 'turn_eager_end':
      state.open = true;
      state.interim = event.text;
      effects.push({ type: 'eager_end', text: event.text });
      break;
    case 'turn_resumed':
      state.open = true;
      state.interim = event.text;
      effects.push({ type: 'resumed' });
      break;
    case 'partial':
      if (state.settings.decidesTurns) state.open = true;
      state.interim = event.text;
      break;
    case 'turn_ended':
      state.interim = event.text;
      effects.push(end(state));
      return;
    case 'final':
      if (event.text === state.finalText && nowMs - state.finalMs < SAME_FINAL_WITHIN_MS) break;
      state.finalMs = nowMs;
      state.finalText = event.text;
      state.settled = join(state.settled, event.text);
      state.interim = '';
      state.awaitingFinal = false;
      if (!state.voice && state.speechEndMs === null && event.text !== '') {
        // The turn was given up without these words: its silence was waited for already.
        state.speechEndMs = state.pastSpeechEndMs ?? nowMs;
        state.askedFinalMs = nowMs;
      }
      break;
  }
  const words = wordsSoFar(state);
  if (words !== before && words !== '') effects.push({ type: 'words', text: words });
}

/** What the moment asks for, with nothing new heard. */
function judge(state: TurnState, nowMs: number, effects: TurnEffect[]): void {
  if (state.voice) return;
  if (state.settings.decidesTurns) {
    // The provider ends its turns; this only frees a turn that it forgot.
    const silentMs = nowMs - Math.max(state.speechEndMs ?? 0, state.heardMs);
    if (state.open && silentMs > STUCK_TURN_MS) effects.push(end(state));
    return;
  }
  // Words of a voice that was not noticed end with the last of them.
  const endMs = state.speechEndMs ?? (wordsSoFar(state) === '' ? null : state.heardMs);
  if (endMs === null) return;
  const silentMs = nowMs - endMs;
  const finished = state.interim === '' && state.settled !== '' && state.finalMs >= endMs;
  const asked = finished || (state.askedFinalMs !== null && state.askedFinalMs >= endMs);
  if (!asked && silentMs >= ASK_FINAL_AFTER_MS) {
    state.askedFinalMs = nowMs;
    state.awaitingFinal = true;
    effects.push({ type: 'ask_final' });
  }
  const patience = state.settings.endpointingMs;
  const deadline = Math.max(patience, ASK_FINAL_AFTER_MS) + state.settings.finalisationMs;
  const complete = finished || !state.awaitingFinal;
  if (silentMs >= patience && asked && (complete || silentMs >= deadline)) effects.push(end(state));
}

function end(state: TurnState): TurnEffect {
  const effect: TurnEffect = {
    type: 'ended',
    text: wordsSoFar(state),
    speechStartMs: state.speechStartMs,
    speechEndMs: state.speechEndMs,
  };
  // Without words nothing was answered: words that come late are the turn's own.
  if (effect.text !== '') state.endedTurn = state.turn;
  state.pastSpeechEndMs = state.speechEndMs;
  state.settled = '';
  state.interim = '';
  state.open = false;
  state.awaitingFinal = false;
  state.askedFinalMs = null;
  state.speechEndMs = null;
  state.speechStartMs = null;
  return effect;
}

function join(a: string, b: string): string {
  if (a === '' || b === '') return (a + b).trim();
  return `${a.trim()} ${b.trim()}`;
}
