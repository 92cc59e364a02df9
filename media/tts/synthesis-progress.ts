/**
 * What one voice has said of a text, as far as is known: where its characters lie, if it tells, and how much sound it gave.
 */
export interface SynthesisProgress {
  /** Sound given, milliseconds. */
  audioMs: number;
  /** More text was given to the voice. */
  add(text: string): void;
  /** As the voice tells it; continues where the last timing ended. */
  timing(text: string, startMs: readonly number[]): void;
  /** The timings of the whole words whose sound has been given, once each; `all`: of everything. Null: none. */
  takeTimings(all: boolean): { text: string; startMs: number[] } | null;
  /** Its voice tells where characters lie. */
  readonly hasTimings: boolean;
  /** By all signs it has said everything it was given. */
  isSpoken(): boolean;
  /** How much of the text, in characters, was said to the end of a word: where another voice would begin. */
  spokenCharacters(text: string): number;
}

/** What voices take for a character when they do not tell; only used when one of them has died. */
const MS_PER_CHARACTER = 65;

export function createSynthesisProgress(): SynthesisProgress {
  let given = '';
  let timed = '';
  const starts: number[] = [];
  let told = 0;

  /** Timed characters that lie before the end of the sound, up to a whole word. */
  function wholeWords(soundMs: number): number {
    let count = 0;
    while (count < starts.length && starts[count]! < soundMs) count++;
    // A character ends where the next one begins; the last one that began may not be over.
    if (count < timed.length || !/\s$/.test(timed)) {
      while (count > 0 && !(/\s/.test(timed[count - 1]!) || (count < timed.length && /\s/.test(timed[count]!))))
        count--;
    }
    return count;
  }

  const part: SynthesisProgress = {
    audioMs: 0,
    add(text) {
      given += text;
    },
    timing(text, startMs) {
      const count = Math.min(text.length, startMs.length);
      timed += text.slice(0, count);
      for (let index = 0; index < count; index++) starts.push(startMs[index]!);
    },
    takeTimings(all) {
      const until = all ? timed.length : wholeWords(part.audioMs);
      if (until <= told) return null;
      const taken = { text: timed.slice(told, until), startMs: starts.slice(told, until) };
      told = until;
      return taken;
    },
    get hasTimings() {
      return starts.length > 0;
    },
    isSpoken() {
      if (starts.length > 0) return letters(timed) >= letters(given);
      return part.audioMs >= given.trim().length * MS_PER_CHARACTER * 0.6;
    },
    spokenCharacters(text) {
      if (part.audioMs === 0) return 0;
      if (starts.length === 0) return wordBefore(text, Math.floor(part.audioMs / MS_PER_CHARACTER));
      return afterLetters(text, letters(timed.slice(0, Math.max(told, wholeWords(part.audioMs)))));
    },
  };
  return part;
}

const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** Voices leave out signs and add spaces: letters are what both sides count alike. */
function letters(text: string): number {
  let count = 0;
  for (const character of text) if (LETTER.test(character)) count++;
  return count;
}

/** The position behind so many letters, and behind the signs and the space that follow them. */
function afterLetters(text: string, count: number): number {
  if (count === 0) return 0;
  let at = 0;
  let left = count;
  for (const character of text) {
    if (LETTER.test(character)) {
      if (left === 0) break;
      left--;
    }
    at += character.length;
  }
  return at;
}

/** The start of the word that lies at this position, or the end of the text. */
function wordBefore(text: string, position: number): number {
  if (position >= text.length) return text.length;
  let at = position;
  while (at > 0 && !/\s/.test(text[at - 1]!)) at--;
  return at;
}
