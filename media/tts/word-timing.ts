/**
 * Where the characters of a context lie, for providers that tell where its words do. The words are sought in the text
 * as it was sent, so that what comes out is that text again, with the spaces and signs the provider leaves out.
 */
export interface WordTiming {
  /** Text that will be spoken. */
  add(text: string): void;
  /** Words with their times in ms from the start of the context's sound. Null where none of them is in the text. */
  words(words: readonly TimedWord[]): TimedText | null;
  /** All that was sent is spoken by `endMs`: the part no word was told for. Null where there is none, or no times at all. */
  rest(endMs: number): TimedText | null;
  /** Everything that was added has its time. */
  readonly complete: boolean;
}

export interface TimedWord {
  word: string;
  startMs: number;
  endMs: number;
}

export interface TimedText {
  text: string;
  /** One for each UTF-16 unit, never falling. */
  startMs: number[];
}

/** A word further away than this is another one of the same letters. */
const MAX_SKIPPED = 80;

export function createWordTiming(): WordTiming {
  let untimed = '';
  let lastMs = 0;
  let anyTimed = false;

  function spread(text: string, fromMs: number, toMs: number, into: TimedText): void {
    for (let unit = 0; unit < text.length; unit++) {
      lastMs = Math.max(lastMs, fromMs + ((toMs - fromMs) * unit) / text.length);
      into.startMs.push(lastMs);
    }
    into.text += text;
  }

  return {
    add(text) {
      untimed += text;
    },
    words(words) {
      const told: TimedText = { text: '', startMs: [] };
      for (const { word, startMs, endMs } of words) {
        const at = word === '' ? -1 : untimed.indexOf(word);
        if (at < 0 || at > MAX_SKIPPED) continue;
        spread(untimed.slice(0, at), startMs, startMs, told);
        spread(word, startMs, endMs, told);
        const after = untimed.slice(at + word.length);
        const space = after.length - after.trimStart().length;
        spread(after.slice(0, space), endMs, endMs, told);
        untimed = after.slice(space);
      }
      if (told.text === '') return null;
      anyTimed = true;
      return told;
    },
    rest(endMs) {
      if (untimed === '' || !anyTimed) return null;
      const told: TimedText = { text: '', startMs: [] };
      spread(untimed, lastMs, Math.max(lastMs, endMs), told);
      untimed = '';
      return told;
    },
    get complete() {
      return untimed.trim() === '';
    },
  };
}
