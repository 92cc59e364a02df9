import { type Rule, sticky, stopAfter, WORD_END } from './spoken-language.ts';

/** An abbreviation and its full words. The stop is required where the letters alone are another word or name. */
interface Abbreviation {
  /** Source of a case-insensitive pattern. */
  written: string;
  said: string;
  /** Cannot end a sentence, so its stop is dropped. */
  leads?: true;
  /** Like `leads`, and a name must follow. */
  title?: true;
}

/** A capital, or "&" as in "Mr. & Mrs. Iyer". */
const NAME = /^\s(?:[\p{Lu}\p{Lo}]|(?:&|and)\s)/u;

const ENGLISH: Abbreviation[] = [
  { written: `Dr\\.?`, said: 'Doctor', title: true },
  { written: `Mr\\.?`, said: 'Mister', title: true },
  { written: `Mrs\\.?`, said: 'Missus', title: true },
  { written: 'Ms\\.', said: 'Miz', title: true },
  { written: `Prof\\.?`, said: 'Professor', title: true },
  { written: `Smt\\.?`, said: 'Shrimati', title: true },
  { written: `Capt\\.`, said: 'Captain', title: true },
  { written: `Col\\.`, said: 'Colonel', title: true },
  { written: `Gen\\.`, said: 'General', title: true },
  { written: `Lt\\.`, said: 'Lieutenant', title: true },
  { written: `St\\.`, said: 'Saint', title: true },
  { written: 'St\\.', said: 'street' },
  { written: 'e\\.g\\.', said: 'for example', leads: true },
  { written: 'i\\.e\\.', said: 'that is', leads: true },
  { written: `etc${WORD_END}\\.?`, said: 'et cetera' },
  { written: `vs${WORD_END}\\.?`, said: 'versus', leads: true },
  { written: 'approx\\.', said: 'approximately', leads: true },
  { written: 'nos?\\.(?=\\s?[\\d#])', said: 'number', leads: true },
  { written: 'ext\\.(?=\\s?\\d)', said: 'extension', leads: true },
  { written: 'apt\\.(?=\\s?\\d)', said: 'apartment', leads: true },
  { written: 'p\\.a\\.', said: 'per annum' },
  { written: 'dept\\.', said: 'department' },
  { written: 'govt\\.', said: 'government' },
  { written: 'pvt\\.', said: 'private', leads: true },
  { written: 'ltd\\.', said: 'limited' },
  { written: 'jr\\.', said: 'junior' },
  { written: 'rd\\.', said: 'road' },
  { written: 'ave\\.', said: 'avenue' },
  { written: 'blvd\\.', said: 'boulevard' },
  { written: 'w/o(?=\\s)', said: 'without' },
  { written: 'w/(?=\\s)', said: 'with' },
  { written: `per\\skg${WORD_END}`, said: 'per kilogram' },
  { written: `per\\skm${WORD_END}`, said: 'per kilometre' },
  { written: `per\\shr${WORD_END}`, said: 'per hour' },
  { written: `and/or${WORD_END}`, said: 'and or' },
];

const HINDI: Abbreviation[] = [
  { written: 'डॉ\\.', said: 'डॉक्टर', leads: true },
  { written: 'प्रो\\.', said: 'प्रोफ़ेसर', leads: true },
  { written: 'कु\\.', said: 'कुमारी', leads: true },
  { written: 'उदा\\.', said: 'उदाहरण के लिए', leads: true },
  { written: 'नं\\.', said: 'नंबर', leads: true },
  { written: 'मो\\.(?=\\s?[\\d+])', said: 'मोबाइल', leads: true },
  { written: `Dr\\.?`, said: 'डॉक्टर', title: true },
  { written: `Mr\\.?`, said: 'मिस्टर', title: true },
  { written: `Mrs\\.?`, said: 'मिसेज़', title: true },
  { written: `Prof\\.?`, said: 'प्रोफ़ेसर', title: true },
  { written: 'e\\.g\\.', said: 'उदाहरण के लिए', leads: true },
  { written: 'i\\.e\\.', said: 'यानी', leads: true },
  { written: `etc${WORD_END}\\.?`, said: 'वगैरह' },
  { written: `vs${WORD_END}\\.?`, said: 'बनाम', leads: true },
  { written: 'nos?\\.(?=\\s?[\\d#])', said: 'नंबर', leads: true },
];

export function abbreviationRules(language: 'english' | 'hindi'): Rule[] {
  return (language === 'english' ? ENGLISH : HINDI).map(({ written, said, leads, title }) => ({
    pattern: sticky(written),
    say([read], _before, after) {
      if (title) return NAME.test(after) ? said : null;
      return said + (leads ? '' : stopAfter(read, after));
    },
  }));
}
