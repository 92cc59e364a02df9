/**
 * Derives character timings from a provider's word timings. The words are searched in the text as it was sent, so that the
 * result is that text again, with the spaces and punctuation that the provider leaves out.
 */
export interface WordTiming {
  /** Appends text that was sent. */
  add(text: string): void;
  /** Returns the timed part of the text; times are in ms from the start of the context's audio. Null if no word is in the text. */
  words(words: readonly TimedWord[]): TimedText | null;
  /** Times the rest of the text, which is spoken by `endMs`. Null if there is none, or if no word was ever timed. */
  rest(endMs: number): TimedText | null;
  /** All text has its time. */
  readonly complete: boolean;
}

export interface TimedWord {
  word: string;
  startMs: number;
  endMs: number;
}

export interface TimedText {
  text: string;
  /** One for each UTF-16 unit, never decreasing. */
  startMs: number[];
}

/** A match further away than this is another word of the same letters. */
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
      const timed: TimedText = { text: '', startMs: [] };
      for (const { word, startMs, endMs } of words) {
        const at = word === '' ? -1 : untimed.indexOf(word);
        if (at < 0 || at > MAX_SKIPPED) continue;
        spread(untimed.slice(0, at), startMs, startMs, timed);
        spread(word, startMs, endMs, timed);
        const after = untimed.slice(at + word.length);
        const space = after.length - after.trimStart().length;
        spread(after.slice(0, space), endMs, endMs, timed);
        untimed = after.slice(space);
      }
      if (timed.text === '') return null;
      anyTimed = true;
      return timed;
    },
    rest(endMs) {
      if (untimed === '' || !anyTimed) return null;
      const timed: TimedText = { text: '', startMs: [] };
      spread(untimed, lastMs, Math.max(lastMs, endMs), timed);
      untimed = '';
      return timed;
    },
    get complete() {
      return untimed.trim() === '';
    },
  };
}
