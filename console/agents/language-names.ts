import { language } from '../texts/texts.ts';

/** Returns a language in the language of the person; the code itself where it is none of BCP 47. */
export function languageName(code: string): string {
  try {
    return (code && new Intl.DisplayNames(language(), { type: 'language' }).of(code)) || code;
  } catch {
    return code;
  }
}
