import { ar } from './ar.ts';
import { bn } from './bn.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { hi } from './hi.ts';
import type { Language } from './language.ts';
import { mr } from './mr.ts';
import { pt } from './pt.ts';
import { ta } from './ta.ts';
import { te } from './te.ts';

/** Every language that there is a file for. */
export const LANGUAGES: readonly Language[] = [en, hi, ta, te, bn, mr, es, fr, de, pt, ar];

/** The language of an agent that names none. */
export const DEFAULT_LANGUAGE = 'hi';

const BY_CODE = new Map(LANGUAGES.map((language) => [language.code, language]));

/** Returns the ISO 639-1 code in a tag: `hi` of `hi-IN`, `en` of `EN_us`. */
export function baseCode(tag: string): string {
  return tag.trim().toLowerCase().split(/[-_]/)[0]!;
}

/** Returns what is known of the language of a tag, with or without a region; null for one without a file. */
export function languageOf(tag: string): Language | null {
  return BY_CODE.get(baseCode(tag)) ?? null;
}
