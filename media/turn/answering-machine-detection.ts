import { type TurnWords, turnWords } from '../../shared/languages/turn-words.ts';
import { plainWords } from '../../shared/words.ts';
import { type GreetingClues, readGreeting } from './greeting-words.ts';

/**
 * Detects whether a person or a machine answered an outbound call, and when a machine starts to record. A pure policy over three
 * kinds of evidence: the words of the greeting, its shape (a machine talks on without waiting for an answer), and the beep. A
 * short greeting counts as a person's at once and is answered like any turn; only words that no person says, or a beep, revise
 * that. A greeting that may be a machine's is not answered until it has been silent for a while.
 */

export interface AnsweringMachineSettings {
  /** Detection lasts this long from the answer, and to the end of a greeting under way then. */
  windowMs: number;
  /** Of the call's language; left out: of an agent that names none. */
  words?: TurnWords;
}

/** All times are monotonic; `atMs` of `voice_ended` is when speech ended, in the past. */
export type AnsweringMachineInput =
  | { type: 'voice_started'; atMs: number }
  | { type: 'voice_ended'; atMs: number }
  /** The words of the current turn so far. */
  | { type: 'words'; text: string }
  | { type: 'turn_ended'; text: string }
  /** A beep is over. */
  | { type: 'beep'; hz: number }
  /** The called party pressed keys. */
  | { type: 'keys' }
  | { type: 'tick' };

export type AnsweringMachineEffect =
  /** It may be a machine: the agent stays silent until it is decided. */
  | { type: 'suspected' }
  /** It is a person. `held`: what they said while it was undecided, to be answered now; '' for nothing. */
  | { type: 'person'; held: string }
  | { type: 'machine'; by: 'words' | 'shape' | 'beep' }
  /** The machine records: leave the message now, or again when it was started before the beep. */
  | { type: 'record' }
  /** The machine never gets to recording. */
  | { type: 'give_up' };

export interface AnsweringMachineState {
  readonly settings: AnsweringMachineSettings;
  readonly answeredMs: number;
  verdict: 'person' | 'machine' | null;
  /** The evidence for the verdict `machine`. */
  by: 'words' | 'shape' | 'beep' | null;
  suspected: boolean;
  /** The result is final. */
  over: boolean;
  /** Whether the message was started, and after a beep. */
  recording: 'no' | 'without beep' | 'after beep';
  voice: boolean;
  /** Since when there has been speech without a pause; null in a pause. */
  talkSinceMs: number | null;
  lastVoiceMs: number;
  /** The end of the last voice activity, or a later word; words come later than the speech they belong to. */
  lastActivityMs: number;
  /** The words of past turns, and of the current one. */
  said: string;
  words: string;
  clues: GreetingClues;
  turns: number;
  /** Evidence counts until then, and to the end of speech under way then. */
  detectUntilMs: number;
  /** Speech began before that and has not finished. */
  speechInWindow: boolean;
  /** The verdict `person` is due to silence only. */
  doubted: boolean;
  /** Since when the open turn has had words that only a machine says. */
  certainSinceMs: number | null;
  /** The words of a suspected machine, to be answered if it is a person. */
  held: string;
  /** The end of the last beep that may start the recording. */
  beepMs: number | null;
}

/** Detection ends this long after the answer. */
export const MAX_GREETING_MS = 45_000;
/** Silence of this length ends a stretch of speech. */
const PAUSE_MS = 1_200;
/** Speech of this length without a question may be a machine's. */
const LONG_GREETING_MS = 3_500;
/** Speech of this length with this many words is a machine's. */
const MONOLOGUE_MS = 8_000;
const MONOLOGUE_WORDS = 14;
/** A suspected machine that is silent for this long waits for an answer, and is a person. */
const PERSON_WAITS_MS = 1_500;
/** Words that have not changed for this long are taken as final. */
const STABLE_WORDS_MS = 1_000;
/** Detection continues for this long after such a silence. */
const WATCH_ON_MS = 8_000;
/** Silence after the beep until the recording; the beep is reported 60 ms after its end. */
const AFTER_BEEP_MS = 200;
/** Speech this long after a beep shows that it was another beep. */
const TALKS_AFTER_BEEP_MS = 1_000;
/** Without a beep the message is left after this much silence; a later beep repeats it. */
const NO_BEEP_MS = 3_000;
/** Ringing and busy tones are below this frequency; such a tone counts only after a greeting. */
const SIGNAL_TONES_BELOW_HZ = 500;
/** A person taken for a machine calls out with at most this many words. */
const MAX_CALL_OUT_WORDS = 6;
/** How much of a greeting is stored. */
const MAX_TEXT_CHARS = 4_000;

export function startAnsweringMachineDetection(
  settings: AnsweringMachineSettings,
  nowMs: number,
): AnsweringMachineState {
  return {
    settings,
    answeredMs: nowMs,
    verdict: null,
    by: null,
    suspected: false,
    over: false,
    recording: 'no',
    voice: false,
    talkSinceMs: null,
    lastVoiceMs: nowMs,
    lastActivityMs: nowMs,
    said: '',
    words: '',
    clues: { certain: false, hints: 0, person: false },
    turns: 0,
    detectUntilMs: nowMs + settings.windowMs,
    speechInWindow: false,
    doubted: false,
    certainSinceMs: null,
    held: '',
    beepMs: null,
  };
}

/** True while the agent must not speak or answer. */
export function suppressesReplies(state: AnsweringMachineState): boolean {
  return state.verdict === 'machine' || (state.suspected && !state.over);
}

/** Takes one input; changes `state` in place and returns the effects. */
export function advanceAnsweringMachine(
  state: AnsweringMachineState,
  input: AnsweringMachineInput,
  nowMs: number,
): AnsweringMachineEffect[] {
  if (state.over) return [];
  const effects: AnsweringMachineEffect[] = [];
  trackActivity(state, input, nowMs);
  if (state.verdict === 'machine') followGreeting(state, input, nowMs, effects);
  else evaluate(state, input, nowMs, effects);
  return effects;
}

/** Records voice activity and words. */
function trackActivity(state: AnsweringMachineState, input: AnsweringMachineInput, nowMs: number): void {
  switch (input.type) {
    case 'voice_started':
      if (state.talkSinceMs === null || input.atMs - state.lastVoiceMs >= PAUSE_MS) state.talkSinceMs = input.atMs;
      state.voice = true;
      state.lastVoiceMs = nowMs;
      state.speechInWindow ||= nowMs < state.detectUntilMs;
      break;
    case 'voice_ended':
      state.voice = false;
      state.lastVoiceMs = input.atMs;
      state.lastActivityMs = input.atMs;
      break;
    case 'words':
      if (updateWords(state, input.text)) state.lastActivityMs = nowMs;
      state.speechInWindow ||= nowMs < state.detectUntilMs;
      break;
    case 'turn_ended':
      if (input.text === '') break;
      updateWords(state, input.text);
      state.turns++;
      break;
    case 'tick':
      if (state.voice) state.lastVoiceMs = nowMs;
      else if (nowMs - state.lastActivityMs >= PAUSE_MS) {
        state.talkSinceMs = null;
        if (state.words === '') state.speechInWindow = false;
      }
      break;
  }
}

/** True when the words have changed. */
function updateWords(state: AnsweringMachineState, text: string): boolean {
  const words = text.slice(-MAX_TEXT_CHARS);
  if (words === state.words) return false;
  state.words = words;
  state.clues = readGreeting(`${state.said} ${words}`, words, wordsOf(state));
  return true;
}

function evaluate(
  state: AnsweringMachineState,
  input: AnsweringMachineInput,
  nowMs: number,
  effects: AnsweringMachineEffect[],
): void {
  switch (input.type) {
    case 'keys':
      decidePerson(state, effects);
      break;
    case 'beep':
      if (beepCounts(state, input.hz, nowMs)) decideMachine(state, 'beep', nowMs, effects);
      break;
    case 'words':
      evaluateWords(state, false, nowMs, effects);
      break;
    case 'turn_ended':
      if (input.text === '') break;
      evaluateWords(state, true, nowMs, effects);
      endTurn(state);
      break;
    case 'tick':
      evaluateTime(state, nowMs, effects);
      break;
  }
}

function evaluateWords(
  state: AnsweringMachineState,
  ended: boolean,
  nowMs: number,
  effects: AnsweringMachineEffect[],
): void {
  const { certain, hints, person } = state.clues;
  if (certain) {
    state.certainSinceMs ??= nowMs;
    if (ended) decideMachine(state, 'words', nowMs, effects);
    else suspect(state, effects);
    return;
  }
  state.certainSinceMs = null;
  if (person || state.verdict === 'person') {
    // After the verdict `person` only words that no person says make a machine.
    if (ended) decidePerson(state, effects);
    return;
  }
  if (ended && hints >= 2) {
    decideMachine(state, 'words', nowMs, effects);
    return;
  }
  const talkedMs = state.talkSinceMs === null ? 0 : state.lastVoiceMs - state.talkSinceMs;
  if (ended && isMonologue(state, talkedMs)) {
    decideMachine(state, 'shape', nowMs, effects);
    return;
  }
  const doubtful = hints > 0 || talkedMs >= LONG_GREETING_MS;
  if (doubtful && (state.suspected || detectionOpen(state, nowMs))) suspect(state, effects);
  else if (ended) decidePerson(state, effects);
}

function isMonologue(state: AnsweringMachineState, talkedMs: number): boolean {
  return talkedMs >= MONOLOGUE_MS && plainWords(`${state.said} ${state.words}`).length >= MONOLOGUE_WORDS;
}

function evaluateTime(state: AnsweringMachineState, nowMs: number, effects: AnsweringMachineEffect[]): void {
  const bounded = nowMs - state.answeredMs >= MAX_GREETING_MS;
  if (state.certainSinceMs !== null && nowMs - state.certainSinceMs >= STABLE_WORDS_MS) {
    decideMachine(state, 'words', nowMs, effects);
    return;
  }
  if (state.verdict === null && state.voice && !state.clues.person && detectionOpen(state, nowMs)) {
    const talkedMs = nowMs - (state.talkSinceMs ?? nowMs);
    if (talkedMs >= LONG_GREETING_MS) suspect(state, effects);
    if (isMonologue(state, talkedMs)) {
      decideMachine(state, 'shape', nowMs, effects);
      return;
    }
  }
  if (state.suspected) {
    const quietMs = state.voice ? 0 : nowMs - state.lastActivityMs;
    // Words of an open turn may be on their way; a turn that never ends is not waited for.
    const waitMs = state.words === '' ? PERSON_WAITS_MS : 2 * PERSON_WAITS_MS;
    if (quietMs < waitMs && !bounded) return;
    state.doubted = true;
    state.detectUntilMs = Math.max(state.detectUntilMs, nowMs + WATCH_ON_MS);
    decidePerson(state, effects);
  }
  // The first utterance is evaluated however late it comes; a later one only within the window.
  if (bounded || (state.verdict === 'person' && !detectionOpen(state, nowMs))) state.over = true;
}

function endTurn(state: AnsweringMachineState): void {
  if (state.verdict === 'machine') return;
  if (state.suspected) state.held = `${state.held} ${state.words}`.trim().slice(-MAX_TEXT_CHARS);
  state.said = `${state.said} ${state.words}`.trim().slice(-MAX_TEXT_CHARS);
  state.words = '';
  state.speechInWindow = false;
  state.certainSinceMs = null;
}

/** After the verdict `machine`: detects when it records. */
function followGreeting(
  state: AnsweringMachineState,
  input: AnsweringMachineInput,
  nowMs: number,
  effects: AnsweringMachineEffect[],
): void {
  if (input.type === 'beep') {
    if (state.recording === 'after beep' || nowMs - state.answeredMs >= MAX_GREETING_MS) return;
    state.beepMs = nowMs;
    return;
  }
  if (input.type === 'turn_ended') {
    const { words } = state;
    state.words = '';
    // A person with a long greeting is not locked out: a "hello?" revises the verdict.
    const revised =
      state.by === 'shape' && state.beepMs === null && state.recording === 'no' && callsOut(words, wordsOf(state));
    if (revised) {
      state.verdict = null;
      state.by = null;
      decidePerson(state, effects);
    }
    return;
  }
  if (input.type !== 'tick') return;
  if (state.beepMs !== null) {
    const sinceMs = nowMs - state.beepMs;
    if (sinceMs < AFTER_BEEP_MS || (state.voice && sinceMs < TALKS_AFTER_BEEP_MS)) return;
    state.beepMs = null;
    if (state.voice) return;
    state.recording = 'after beep';
    effects.push({ type: 'record' });
    return;
  }
  if (state.recording !== 'no') return;
  const bounded = nowMs - state.answeredMs >= MAX_GREETING_MS;
  if (!state.voice && nowMs - state.lastActivityMs >= NO_BEEP_MS) {
    state.recording = 'without beep';
    effects.push({ type: 'record' });
  } else if (bounded) {
    state.over = true;
    effects.push({ type: 'give_up' });
  }
}

function wordsOf({ settings }: AnsweringMachineState): TurnWords {
  return settings.words ?? turnWords();
}

function callsOut(text: string, known: TurnWords): boolean {
  const words = plainWords(text);
  if (words.length === 0 || words.length > MAX_CALL_OUT_WORDS) return false;
  return known.greeting.calls.within(words) || readGreeting('', text, known).person;
}

function beepCounts(state: AnsweringMachineState, hz: number, nowMs: number): boolean {
  const greeted = state.turns > 0 || state.words !== '' || state.talkSinceMs !== null;
  if (hz < SIGNAL_TONES_BELOW_HZ && !greeted) return false;
  if (state.suspected) return true;
  // After more than one turn the call is a conversation.
  return detectionOpen(state, nowMs) && (state.turns <= 1 || state.doubted);
}

/** The window is open, or the current speech began before it closed. */
function detectionOpen(state: AnsweringMachineState, nowMs: number): boolean {
  return nowMs < state.detectUntilMs || state.speechInWindow;
}

function suspect(state: AnsweringMachineState, effects: AnsweringMachineEffect[]): void {
  if (state.suspected) return;
  state.suspected = true;
  effects.push({ type: 'suspected' });
}

function decideMachine(
  state: AnsweringMachineState,
  by: 'words' | 'shape' | 'beep',
  nowMs: number,
  effects: AnsweringMachineEffect[],
): void {
  state.verdict = 'machine';
  state.by = by;
  state.suspected = false;
  state.certainSinceMs = null;
  if (by === 'beep') state.beepMs = nowMs;
  effects.push({ type: 'machine', by });
}

/** Decides for a person: what was held is answered now. */
function decidePerson(state: AnsweringMachineState, effects: AnsweringMachineEffect[]): void {
  const { held } = state;
  if (state.verdict === 'person' && !state.suspected) return;
  state.suspected = false;
  state.held = '';
  state.certainSinceMs = null;
  state.verdict = 'person';
  effects.push({ type: 'person', held });
}
