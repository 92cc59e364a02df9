import { SCRIPTS, type Script } from '../../shared/languages/language.ts';
import { phrasesOf } from '../../shared/languages/phrases.ts';
import { baseCode, LANGUAGES, languageOf } from '../../shared/languages/registry.ts';
import { plainWords } from '../../shared/words.ts';

/**
 * Which language the caller speaks, by the script and the frequent words of their turns and by what the transcriber says, and
 * when the conversation follows them into another one. Pure. Only languages with a file are followed.
 */

export interface CallerLanguageState {
  /** The agent's own language, as in its settings. */
  readonly own: string;
  /** Tag of the language that the conversation is in. */
  current: string;
  /** It was changed at least once. */
  changed: boolean;
  /** Another language that turns were in, and how many of them in a row. */
  candidate: string | null;
  turns: number;
}

/** Turns in another language that change the conversation's. */
const TURNS_TO_FOLLOW = 2;
/** A single turn of so many words does too, unless callers mix that language into theirs. */
const CLEAR_TURN_WORDS = 6;
/** Fewer words say nothing: "okay thank you" belongs to many languages. */
const MIN_WORDS = 3;
/** Share of the letters that belong to the script of the turn. */
const MIN_SCRIPT_SHARE = 0.6;
/** Languages without a file are written in this script too: a frequent word has to show that it is the one. */
const SHARED_SCRIPTS: readonly Script[] = ['Arabic'];

const SCRIPT_LETTERS = SCRIPTS.map((script) => ({ script, letters: new RegExp(`\\p{Script=${script}}`, 'gu') }));
const COMMON = LANGUAGES.map(({ code, common }) => ({ code, words: new Set(phrasesOf(common)) }));

export function startCallerLanguage(own: string): CallerLanguageState {
  return { own, current: own, changed: false, candidate: null, turns: 0 };
}

/**
 * Takes the words of a finished turn and the language that the transcriber names, '' for none. Returns the tag of the language
 * to go on in, or null to stay.
 */
export function followCaller(state: CallerLanguageState, text: string, transcriberTag: string): string | null {
  const words = plainWords(text).filter((word) => /\p{L}/u.test(word)).length;
  if (words < MIN_WORDS) return null;
  const byWords = languageOfText(text);
  const named = namedLanguage(state, transcriberTag);
  const code = byWords ?? named;
  if (code === null) return null;
  if (code === baseCode(state.current)) {
    state.candidate = null;
    return null;
  }
  state.turns = state.candidate === code ? state.turns + 1 : 1;
  state.candidate = code;
  const mixed = languageOf(state.current)?.mixes.includes(code) ?? false;
  // A transcriber that was told a language may name it whatever it hears.
  const contradicted = named !== null && named !== code;
  const clear = byWords !== null && !contradicted && words >= CLEAR_TURN_WORDS && !mixed;
  if (!clear && state.turns < TURNS_TO_FOLLOW) return null;
  state.candidate = null;
  state.changed = true;
  state.current = code === baseCode(state.own) ? state.own : code;
  return state.current;
}

/** The agent's own language may have no file. */
function namedLanguage({ own }: CallerLanguageState, tag: string): string | null {
  const code = baseCode(tag);
  return code !== '' && code === baseCode(own) ? code : (languageOf(code)?.code ?? null);
}

/** Returns the ISO 639-1 code of the language that a text is clearly in; null when it is not clear. */
export function languageOfText(text: string): string | null {
  const script = scriptOf(text);
  if (script === null) return null;
  const words = plainWords(text);
  const written = LANGUAGES.filter(({ scripts }) => scripts.includes(script));
  const hits = COMMON.filter(({ code }) => written.some((language) => language.code === code))
    .map(({ code, words: common }) => ({ code, count: words.filter((word) => common.has(word)).length }))
    .sort((a, b) => b.count - a.count);
  const [best, second] = hits;
  if (best === undefined) return null;
  if (second === undefined) return best.count > 0 || !SHARED_SCRIPTS.includes(script) ? best.code : null;
  const needed = script === 'Latin' ? 2 : 1;
  return best.count - second.count >= needed ? best.code : null;
}

/** The script of most letters. */
function scriptOf(text: string): Script | null {
  const all = text.match(/\p{L}/gu)?.length ?? 0;
  const counts = SCRIPT_LETTERS.map(({ script, letters }) => ({ script, count: text.match(letters)?.length ?? 0 }));
  const most = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return all > 0 && most.count >= all * MIN_SCRIPT_SHARE ? most.script : null;
}
