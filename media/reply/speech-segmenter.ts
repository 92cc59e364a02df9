import type { AlignedSpan, TextSegment } from '../playout/spoken-text.ts';
import { createMarkupReader, type MarkupUnit } from './markup.ts';
import { alignedSpokenForm } from './spoken-form.ts';
import { trimmed, withoutTags } from './traced-text.ts';

/** A stretch of a reply that a voice can speak on its own. */
export interface SpeakableSegment extends TextSegment {
  /**
   * Without markup, spaces collapsed, trimmed; in words where the voice would stumble, when the language is known. Empty
   * only in a last piece that holds nothing but markup.
   */
  spoken: string;
  /** The model's own characters. The originals of all pieces, one after the other, are exactly its text. */
  original: string;
  /** Which words of `spoken` stand for which of the original, less blocks of code; absent where it goes without saying. */
  spans?: readonly AlignedSpan[];
}

export interface SpeechSegmenterOptions {
  /** What the voice speaks, like "en" or "hi-IN". Without it, and for other languages, numbers stay as they are. */
  language?: string;
  /** The first piece ends at the first clause of at least so many characters. */
  firstMinChars?: number;
  /** Without a clause, the first piece ends at a word about here. */
  firstMaxChars?: number;
  /** Sentences shorter than this are spoken together with the next. */
  laterMinChars?: number;
  /** A sentence longer than this is cut at a clause, or at a word. */
  laterMaxChars?: number;
}

export interface SpeechSegmenter {
  push(text: string): SpeakableSegment[];
  /** The rest, at the end of the reply. */
  flush(): SpeakableSegment[];
}

/** Where the text may be cut: offsets into what is gathered of a piece. */
interface Cut {
  spoken: number;
  original: number;
  audible: number;
}

/** Punctuation just read, whose meaning is open until what follows is seen. */
interface PendingPunctuation {
  kind: 'sentence' | 'clause';
  /** Ends the stretch without a space after it. */
  bare: boolean;
  /** A space after it is enough to know; otherwise the next word decides. */
  certain: boolean;
  /** A full stop after a dotted abbreviation, or an ellipsis: a sentence ends here only before a capital. */
  weak: boolean;
}

const WHITESPACE = /\s/u;
const DIGIT = /\p{Nd}/u;
const WORD = /[\p{L}\p{M}\p{N}]/u;
const LOWER = /\p{Ll}/u;
const CLOSERS = '"\'”’»)]}';
const BARE_ENDS = '।॥。！？';
const ENDS = `.!?…؟۔${BARE_ENDS}`;
const BARE_CLAUSES = '—，、；';
const CLAUSES = `,;:،–-${BARE_CLAUSES}`;
const DASH = /[-–]/;
/** What a number, or an amount, begins with. */
const AMOUNT = /[\p{Nd}\p{Sc}]/u;
/** After these a dash means "to": "7 p.m. - 9 p.m.", "Mon - Fri", "12 Nov - 3 Dec". */
const BEGINS_RANGE =
  /(?:[\p{Nd}%]|\d\s?(?:k|l|cr)|^(?:[ap]\.?m\.?|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)|^\d{1,2}[ap]m)$/iu;
/** The stop of these ends a sentence before a capital, and nothing before a small letter. */
const CONTINUES_BEFORE_LOWERCASE = /(?:[ap]\.?m|ft|min|hrs)\.$/i;
/** The next word tells what these are. */
const LEAD_IN_WORDS = /^(?:dr|mr|mrs|ms|prof|smt|sq|otp|pin|code|passcode|id|number|ओटीपी|पिन|कोड|नंबर)$/i;
/** "21st" belongs to its month. */
const ORDINAL = /\d(?:st|nd|rd|th)$/i;

/** Never the end of a sentence. */
const TITLES = new Set(
  'dr mr mrs ms mx prof st sr jr smt shri sri km rs approx dept gen col capt lt sgt rev hon vs cf al e.g i.e viz govt sq डॉ प्रो कु रु रू नं मो उदा'.split(
    ' ',
  ),
);
/** A number follows: no end of a sentence. */
const NUMBERED = new Set(
  'no nos art sec fig vol ch p pp ext flat apt jan feb mar apr jun jul aug sep sept oct nov dec'.split(' '),
);
/** May end a sentence; does not before a small letter. */
const WEAK = new Set('etc inc ltd co corp pvt rd ave blvd ft min hrs a.m p.m am pm'.split(' '));
const MAX_ABBREVIATION_CHARACTERS = 12;

/**
 * Cuts a reply, while it is being written, into pieces for the voice: the first as early as it makes sense, so that the
 * caller waits for a clause and not for a sentence; the others by sentence, because a voice speaks whole sentences best.
 * Nothing is cut inside numbers, times, abbreviations, initials or addresses. It works character by character: how the
 * text was split on its way makes no difference to the pieces. Time grows with the length of the text only.
 */
export function createSpeechSegmenter(options: SpeechSegmenterOptions = {}): SpeechSegmenter {
  const { language = '', firstMinChars = 8, firstMaxChars = 50, laterMinChars = 20, laterMaxChars = 220 } = options;
  const markup = createMarkupReader();
  let pieces: SpeakableSegment[] = [];
  let isFirst = true;

  let spoken = '';
  let original = '';
  /** The original less blocks of code: what there is to hear. */
  let audible = '';
  /** Where in `audible` each unit of `spoken` comes from. */
  let begins: number[] = [];
  let mark: PendingPunctuation | null = null;
  /** The last character that was no space. */
  let last = '';
  /** The end of the word being read: as much as tells an abbreviation. */
  let tail = '';
  /** The word before it. */
  let wordBefore = '';
  /** Where the spaces after it end; null while there are none. */
  let gap: Cut | null = null;
  /** A line ended in the gap; `item` when the next begins with a list marker. */
  let lineEnd: 'line' | 'item' | null = null;
  /** Where the current line begins in `spoken`; -1 before it. */
  let lineBegin = 0;
  let clause: Cut | null = null;
  let word: Cut | null = null;
  let anySpace: Cut | null = null;

  function piece(at: Cut): SpeakableSegment {
    const source = original.slice(0, at.original);
    const toHear = audible.slice(0, at.audible);
    const written = trimmed(withoutTags({ text: spoken.slice(0, at.spoken), offsets: begins }));
    const said = alignedSpokenForm(written.text, language);
    const whole = { spoken: said.spoken, original: source };
    if (toHear === source && (said.spoken === '' || said.spoken === source.trim())) return whole;
    let from = 0;
    const stretches = said.alignment.map((joint): AlignedSpan => {
      const to = written.offsets[joint.written] ?? toHear.length;
      const stretch = { spokenEnd: joint.spoken, original: toHear.slice(from, to) };
      from = to;
      return stretch;
    });
    return { ...whole, spans: stretches };
  }

  function cut(at: Cut): void {
    pieces.push(piece(at));
    const rest = spoken.slice(at.spoken);
    const removed = at.spoken + (rest.length - rest.trimStart().length);
    const moved = (other: Cut | null) =>
      other !== null && other.spoken > removed
        ? { spoken: other.spoken - removed, original: other.original - at.original, audible: other.audible - at.audible }
        : null;
    spoken = spoken.slice(removed);
    original = original.slice(at.original);
    audible = audible.slice(at.audible);
    begins = begins.slice(removed).map((place) => Math.max(0, place - at.audible));
    clause = moved(clause);
    word = moved(word);
    anySpace = moved(anySpace);
    if (gap !== null) {
      gap = {
        spoken: Math.max(0, gap.spoken - removed),
        original: Math.max(0, gap.original - at.original),
        audible: Math.max(0, gap.audible - at.audible),
      };
    }
    lineBegin = lineBegin >= removed ? lineBegin - removed : -1;
    isFirst = false;
  }

  /** A sentence or clause ends at `at`: the piece ends there, or remembers it. */
  function mayCut(kind: PendingPunctuation['kind'], at: Cut): void {
    if (at.spoken === 0) return;
    const length = at.spoken - (gap === null ? 0 : 1);
    if (isFirst ? length >= firstMinChars : kind === 'sentence' && length >= laterMinChars) cut(at);
    else clause = at;
  }

  /** Without punctuation in sight, the piece ends when it is long enough. */
  function cutWhenLong(): void {
    const limit = isFirst ? firstMaxChars : laterMaxChars;
    if (spoken.length < limit) return;
    const long = [clause, word].find((at) => at !== null && at.spoken * 4 >= limit);
    if (long) cut(long);
    else if (spoken.length >= 2 * laterMaxChars && anySpace !== null) cut(anySpace);
  }

  /** All that was read so far. */
  function here(): Cut {
    return { spoken: spoken.length, original: original.length, audible: audible.length };
  }

  function speak(text: string, place: number): void {
    for (let at = 0; at < text.length; at++) begins.push(place);
    spoken += text;
  }

  /** `place`: where the space lies in `audible`. */
  function space(character: string, place: number): void {
    if (character === '\n') lineEnd ??= 'line';
    if (spoken !== '' && !spoken.endsWith(' ')) speak(' ', place);
    gap = here();
    if (mark?.certain && lineEnd === null) {
      const { kind } = mark;
      mark = null;
      mayCut(kind, gap);
    }
  }

  /** The first character after spaces decides what the punctuation before them was. */
  function beginWord(next: string, after: Cut): void {
    const [open, ended] = [mark, lineEnd];
    mark = null;
    lineEnd = null;
    if (ended !== null) {
      lineBegin = after.spoken;
      const wrapped = ended === 'line' && LOWER.test(next);
      if (!wrapped || open !== null) {
        let at = after;
        if (WORD.test(last) && !wrapped) {
          // A voice runs lines together that end without a stop.
          spoken = spoken.trimEnd();
          const place = begins[spoken.length] ?? after.audible;
          begins.length = spoken.length;
          speak(ended === 'item' ? ', ' : '. ', place);
          at = { ...after, spoken: spoken.length };
          lineBegin = at.spoken;
        }
        mayCut(wrapped ? open!.kind : 'sentence', at);
        return;
      }
    } else if (open !== null) {
      const amountNext = AMOUNT.test(next);
      if (open.weak && LOWER.test(next)) {
        if (!CONTINUES_BEFORE_LOWERCASE.test(tail)) mayCut('clause', after);
      } else if (!((open.weak && (amountNext || DASH.test(next))) || (open.kind === 'clause' && amountNext))) {
        mayCut(open.kind, after);
      }
      return;
    }
    if (spoken === '') return;
    anySpace = after;
    const besideNumber = DIGIT.test(last) || DIGIT.test(next) || DASH.test(next) || /[\p{Sc}#–-]/u.test(last);
    const tied = besideNumber || last === '.' || ORDINAL.test(tail) || LEAD_IN_WORDS.test(tail);
    if (!tied && !(tail === 'of' && ORDINAL.test(wordBefore))) word = after;
  }

  /** The meaning of a punctuation mark that was just appended. */
  function markOf(character: string, spaceBefore: boolean): PendingPunctuation | null {
    if (ENDS.includes(character)) {
      const bare = BARE_ENDS.includes(character);
      if (character === '…') return { kind: 'sentence', bare, certain: false, weak: true };
      if (character !== '.') return { kind: 'sentence', bare, certain: true, weak: false };
      return fullStop();
    }
    if (!CLAUSES.includes(character)) return null;
    const bare = BARE_CLAUSES.includes(character);
    if (DASH.test(character)) {
      if (!spaceBefore || BEGINS_RANGE.test(wordBefore)) return null;
      return { kind: 'clause', bare, certain: false, weak: false };
    }
    return { kind: 'clause', bare, certain: bare || !DIGIT.test(last), weak: false };
  }

  function fullStop(): PendingPunctuation | null {
    const abbreviation = tail.slice(0, -1).replace(/^["'“‘(]+/, '');
    const small = abbreviation.toLowerCase();
    if (TITLES.has(small) || /^\p{Lu}(\.\p{Lu})*$/u.test(abbreviation)) return null;
    // "1." at the start of a line counts an item.
    if (lineBegin >= 0 && spoken.length - lineBegin <= 4 && /^\d{1,3}$/.test(spoken.slice(lineBegin, -1))) return null;
    const weak = WEAK.has(small) || small.includes('.');
    const certain = !weak && !NUMBERED.has(small) && !DIGIT.test(last);
    return { kind: 'sentence', bare: false, certain, weak: weak || NUMBERED.has(small) };
  }

  /** What follows a mark without a space: true when it belongs to the mark and has been taken. */
  function endsMark(open: PendingPunctuation, unit: MarkupUnit): boolean {
    const character = unit.spoken;
    const isEnd = ENDS.includes(character);
    if (!isEnd && !CLOSERS.includes(character)) {
      mark = null;
      if (open.bare) mayCut(open.kind, here());
      return false;
    }
    voice(unit);
    if (!isEnd) return true;
    // "...", "?!": one mark together.
    const dots = last === '.' && character === '.';
    mark = dots
      ? { kind: 'sentence', bare: false, certain: false, weak: true }
      : { kind: 'sentence', bare: open.bare || BARE_ENDS.includes(character), certain: true, weak: false };
    last = character;
    return true;
  }

  function takeOriginal(unit: MarkupUnit): void {
    original += unit.original;
    // The space in place of a block of code is all that is heard of it.
    audible += unit.code ? unit.spoken : unit.original;
  }

  function voice(unit: MarkupUnit): void {
    speak(unit.spoken, audible.length);
    takeOriginal(unit);
  }

  /** The line before a block of code is over, and does not wait for what comes after the block. */
  function beginCode(): void {
    if (gap === null || lineEnd === null) return;
    if (spoken !== '') {
      beginWord('`', gap);
      last = '.';
    }
    gap = null;
  }

  function append(unit: MarkupUnit): void {
    const character = unit.spoken;
    if (WHITESPACE.test(character)) {
      const place = audible.length;
      takeOriginal(unit);
      space(character, place);
      return;
    }
    const spaceBefore = gap !== null;
    if (gap !== null) {
      beginWord(character, gap);
      gap = null;
      wordBefore = tail;
      tail = character;
    } else {
      tail = (tail + character).slice(-MAX_ABBREVIATION_CHARACTERS);
      if (mark !== null && endsMark(mark, unit)) return;
    }
    voice(unit);
    mark = markOf(character, spaceBefore);
    last = character;
    cutWhenLong();
  }

  function take(units: MarkupUnit[]): SpeakableSegment[] {
    for (const unit of units) {
      if (unit.item && lineEnd !== null) lineEnd = 'item';
      if (unit.code === 'begins') beginCode();
      if (unit.spoken === '') takeOriginal(unit);
      else append(unit);
    }
    const taken = pieces;
    pieces = [];
    return taken;
  }

  return {
    push: (text) => take(markup.push(text)),
    flush() {
      const taken = take(markup.end());
      if (original !== '') taken.push(piece(here()));
      spoken = '';
      original = '';
      audible = '';
      begins = [];
      return taken;
    },
  };
}

/** A text that is known as a whole, like a welcome message. */
export function segmentText(text: string, language: string): SpeakableSegment[] {
  const speakable = createSpeechSegmenter({ language });
  return [...speakable.push(text), ...speakable.flush()];
}
