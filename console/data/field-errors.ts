import { HttpError } from '@oazapfts/runtime';
import { language, t } from '../texts/texts.ts';

/** Returns what a 422 says is wrong with the fields of a request: path such as `voice.language` → a sentence. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof HttpError) || error.status !== 422) return {};
  const items: unknown = error.data?.detail;
  if (!Array.isArray(items)) return {};
  const found: Record<string, string> = {};
  for (const { loc, msg, type } of items) {
    if (!Array.isArray(loc) || typeof msg !== 'string') continue;
    // The first part says where the field was: body, query or path.
    const path = loc.slice(1).join('.');
    found[path] ??= fieldText(type, msg);
  }
  return found;
}

/** Returns it in the words of a form; the API's own rules, and types that are rare, have the API's words. */
function fieldText(type: unknown, msg: string): string {
  const size = Number(/-?\d+(\.\d+)?(?=( characters?| items?)?$)/.exec(msg)?.[0]);
  if (type === 'missing' || (size === 1 && /^(string_)?too_short$/.test(String(type)))) return t('This is needed.');
  switch (type) {
    case 'string_too_short':
      return t('Enter at least {{size}} characters.', { size });
    case 'string_too_long':
      return t('Enter at most {{size}} characters.', { size });
    case 'greater_than_equal':
      return t('Enter {{size}} or more.', { size });
    case 'less_than_equal':
      return t('Enter {{size}} or less.', { size });
    case 'string_pattern_mismatch':
      return t('This is not written as it should be.');
    case 'url_parsing':
      return t('Enter an address such as https://example.com.');
    default:
      return apiWords(t('This is not right.'), msg);
  }
}

/** The API's own words, which are English: in another language behind what they mean. */
export const apiWords = (meaning: string, words: string): string =>
  language() === 'en' ? sentence(words) : `${meaning} (${words})`;

/** With a capital at its beginning and a full stop at its end, in both languages; empty stays empty. */
export const sentence = (text: string): string =>
  text === '' ? '' : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${/[.!?।]$/.test(text) ? '' : fullStop(text)}`;

const fullStop = (text: string): string => (/\p{Script=Devanagari}/u.test(text) ? '।' : '.');
