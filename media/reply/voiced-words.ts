import type { TextSegment } from '../playout/spoken-text.ts';

/**
 * The words of a model that speaks itself, as segments of whole words: nothing in them is changed, because nobody reads them out, and
 * a word is played out or it is not.
 */
export interface VoicedWords {
  push(text: string): TextSegment[];
  /** The last word. */
  flush(): TextSegment[];
}

export function createVoicedWords(): VoicedWords {
  let rest = '';
  const segment = (original: string): TextSegment[] =>
    original === '' ? [] : [{ original, spoken: original.trim(), voiced: true }];
  return {
    push(text) {
      rest += text;
      const end = rest.search(/\S*$/u);
      const whole = rest.slice(0, end);
      if (whole.trim() === '') return [];
      rest = rest.slice(end);
      return segment(whole);
    },
    flush() {
      const last = rest;
      rest = '';
      return segment(last);
    },
  };
}
