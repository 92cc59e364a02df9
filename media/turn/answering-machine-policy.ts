import { type GreetingClues, readGreeting } from './greeting-words.ts';
import { plainWords } from './words.ts';

/**
 * Who answered a call that we placed: a person or a machine? And when a machine is ready to take a message. A pure policy over
 * three kinds of evidence: the words of the greeting, its shape (a machine talks on without waiting for an answer),
 * and the beep. A short greeting is a person's, at once, and is answered like any other turn; it is only taken back on
 * words that no person says, or on a beep. What may be a machine's is not answered until it has been quiet for a while.
 */

export interface AnsweringMachineSettings {
  /** Detection lasts so long from the answer, and to the end of the greeting that sounds then. */
  windowMs: number;
}

/** All moments are monotonic; `atMs` of a voice that ended is its true end, in the past. */
export type AnsweringMachineInput =
  | { type: 'voice_started'; atMs: number }
  | { type: 'voice_ended'; atMs: number }
  /** The words of the present turn so far. */
  | { type: 'words'; text: string }
  | { type: 'turn_ended'; text: string }
  /** A beep is over. */
  | { type: 'beep'; hz: number }
  /** The one who answered pressed keys. */
  | { type: 'keys' }
  | { type: 'tick' };

export type AnsweringMachineEffect =
  /** It may be a machine: the agent is silent and answers nothing until it is known. */
  | { type: 'suspected' }
  /** It is a person. `held`: what they said while it was not known, to be answered now; '' when that was nothing. */
  | { type: 'person'; held: string }
  | { type: 'machine'; by: 'words' | 'shape' | 'beep' }
  /** The machine records: say the message now, or anew when it was begun before the beep. */
  | { type: 'record' }
  /** The machine never gets to recording. */
  | { type: 'give_up' };

export interface AnsweringMachineState {
  readonly settings: AnsweringMachineSettings;
  readonly answeredMs: number;
  verdict: 'person' | 'machine' | null;
  /** What the verdict `machine` hangs on. */
  by: 'words' | 'shape' | 'beep' | null;
  suspected: boolean;
  /** Nothing changes any more. */
  over: boolean;
  /** The message was begun, and after a beep. */
  recording: 'no' | 'without beep' | 'after beep';
  voice: boolean;
  /** Since when somebody talks on without a pause; null in a pause. */
  talkSinceMs: number | null;
  lastVoiceMs: number;
  /** The last voice or word; words come later than the voice that said them. */
  lastActivityMs: number;
  /** What was said in the turns that are over, and in the present one. */
  said: string;
  words: string;
  clues: GreetingClues;
  turns: number;
  /** Evidence counts until then, and to the end of what is said then. */
  detectUntilMs: number;
  /** Somebody began to speak before that, and has not finished. */
  speechInWindow: boolean;
  /** It was taken for a person only because it fell silent. */
  doubted: boolean;
  /** Certain words stand since then in a turn that is not over. */
  certainSinceMs: number | null;
  /** What is kept of a suspected machine, for the case that it is a person. */
  held: string;
  /** The end of the last beep that may be the one. */
  beepMs: number | null;
}

/** Nothing waits longer for a machine than this, from the answer on. */
export const MAX_GREETING_MS = 45_000;
/** A quiet of this length ends a stretch of talk: a person waits for an answer by then. */
const PAUSE_MS = 1_200;
/** Who talks on for so long without a question may be a machine … */
const LONG_GREETING_MS = 3_500;
/** … and is one after so long, with so many words. */
const MONOLOGUE_MS = 8_000;
const MONOLOGUE_WORDS = 14;
/** Whoever is then quiet for so long waits for an answer, and is a person. */
const PERSON_WAITS_MS = 1_500;
/** Words may still change while they are written; so long unchanged they stand. */
const STABLE_WORDS_MS = 1_000;
/** A machine that was silent for so long once may go on for this long after it. */
const WATCH_ON_MS = 8_000;
/** After the beep the line is given so long to be quiet; the beep is told 60 ms after its end. */
const AFTER_BEEP_MS = 200;
/** Who talks on for so long after a beep had another one in mind. */
const TALKS_AFTER_BEEP_MS = 1_000;
/** Without a beep the message is said after so long a quiet; a beep that comes later has it said anew. */
const NO_BEEP_MS = 3_000;
/** Ringing and busy tones lie below this; such a tone counts only after a greeting. */
const SIGNAL_TONES_BELOW_HZ = 500;
/** More words are not what calls back to a caller who was taken for a machine. */
const MAX_CALL_OUT_WORDS = 6;
/** Of a greeting so many characters are kept. */
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

/** The agent neither speaks nor answers. */
export function suppressesReplies(state: AnsweringMachineState): boolean {
  return state.verdict === 'machine' || (state.suspected && !state.over);
}

/** Takes one input; changes `state` in place and says what follows. */
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

/** Keeps account of voice and words. */
function trackActivity(state: AnsweringMachineState, input: AnsweringMachineInput, nowMs: number): void {
  switch (input.type) {
    case 'voice_started':
      if (state.talkSinceMs === null || input.atMs - state.lastVoiceMs >= PAUSE_MS) state.talkSinceMs = input.atMs;
      state.voice = true;
      state.lastVoiceMs = nowMs;
      state.lastActivityMs = nowMs;
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
      if (state.voice) {
        state.lastVoiceMs = nowMs;
        state.lastActivityMs = nowMs;
      } else if (nowMs - state.lastActivityMs >= PAUSE_MS) {
        state.talkSinceMs = null;
        if (state.words === '') state.speechInWindow = false;
      }
      break;
  }
}

/** True when they are not the words that were known. */
function updateWords(state: AnsweringMachineState, text: string): boolean {
  const words = text.slice(-MAX_TEXT_CHARS);
  if (words === state.words) return false;
  state.words = words;
  state.clues = readGreeting(`${state.said} ${words}`, words);
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
    // Of a person who was heard before only what no person says makes a machine.
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
    // Words of a turn that is not over may be on their way; a turn that nobody ends is not waited for.
    const patienceMs = state.words === '' ? PERSON_WAITS_MS : 2 * PERSON_WAITS_MS;
    if (quietMs < patienceMs && !bounded) return;
    state.doubted = true;
    state.detectUntilMs = Math.max(state.detectUntilMs, nowMs + WATCH_ON_MS);
    decidePerson(state, effects);
  }
  // The first thing that is said is judged however late it comes; what comes after it, and after the window, is not.
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

/** From the verdict on: when does it record? */
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
    // Nobody is shut out for a long-winded greeting: who now calls "hello?" is a person.
    const takenBack = state.by === 'shape' && state.beepMs === null && state.recording === 'no' && callsOut(words);
    if (takenBack) {
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

function callsOut(text: string): boolean {
  const words = plainWords(text);
  if (words.length === 0 || words.length > MAX_CALL_OUT_WORDS) return false;
  return words.includes('hello') || words.includes('haan') || readGreeting('', text).person;
}

function beepCounts(state: AnsweringMachineState, hz: number, nowMs: number): boolean {
  const greeted = state.turns > 0 || state.words !== '' || state.talkSinceMs !== null;
  if (hz < SIGNAL_TONES_BELOW_HZ && !greeted) return false;
  if (state.suspected) return true;
  // Who has said more than one thing is in a conversation.
  return detectionOpen(state, nowMs) && (state.turns <= 1 || state.doubted);
}

/** The window is open, or what is said now began before it closed. */
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

/** It is a person, after all or from the first: what had to wait is answered now. */
function decidePerson(state: AnsweringMachineState, effects: AnsweringMachineEffect[]): void {
  const { held } = state;
  if (state.verdict === 'person' && !state.suspected) return;
  state.suspected = false;
  state.held = '';
  state.certainSinceMs = null;
  state.verdict = 'person';
  effects.push({ type: 'person', held });
}
