import i18next from 'i18next';

/**
 * The console's texts in the language of the person who reads. A text's key is the English text itself, so that a page can be read
 * as it is; `texts/hi/*.json` have the Hindi ones, by area. `test/console-texts.test.ts` holds that none is missing.
 */

export const LANGUAGES = [
  { code: 'en', name: 'English' },
  { code: 'hi', name: 'हिन्दी' },
] as const;

export type Language = (typeof LANGUAGES)[number]['code'];
type Values = Record<string, string | number>;

/** The catalogue of what the service itself writes (`service-text.ts`), beside that of the console's own texts. */
export const SERVICE_CATALOGUE = 'service';

const LANGUAGE_KEY = 'antiphon.language';

// English needs no catalogue, so that texts work from the first line, and in tests.
void i18next.init({
  lng: 'en',
  resources: {},
  keySeparator: false,
  nsSeparator: false,
  initAsync: false,
  interpolation: { escapeValue: false },
});

/** Returns the text in the language of the person. `{{name}}` in it stands for a value; numbers are written with separators. */
export const t = (text: string, values: Values = {}): string => i18next.t(text, { replace: written(values) });

/** The same for a number of things: `tn('{{count}} call', '{{count}} calls', count)`. */
export const tn = (one: string, many: string, count: number, values: Values = {}): string =>
  i18next.t(many, { count, defaultValue_one: one, defaultValue_other: many, replace: written({ ...values, count }) });

const written = (values: Values): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toLocaleString(language())]));

export const language = (): Language => (i18next.language === 'hi' ? 'hi' : 'en');

/** How times and numbers are written: the browser's manner, unless the person chose Hindi. */
export const locale = (): string | undefined => (language() === 'hi' ? 'hi-IN' : undefined);

function wantedLanguage(): Language {
  let wanted: string | null = null;
  try {
    wanted = localStorage.getItem(LANGUAGE_KEY);
  } catch {
    // Storage may be forbidden; the browser's language counts then.
  }
  return (wanted ?? navigator.language).startsWith('hi') ? 'hi' : 'en';
}

/** Loads the texts of the person's language; called before anything is drawn. */
export async function startTexts(): Promise<void> {
  const wanted = wantedLanguage();
  document.documentElement.lang = wanted;
  if (wanted === 'en') return;
  const { HINDI, SERVICE_HINDI } = await import('./hindi.ts');
  i18next.addResourceBundle(wanted, 'translation', HINDI);
  i18next.addResourceBundle(wanted, SERVICE_CATALOGUE, SERVICE_HINDI);
  await i18next.changeLanguage(wanted);
}

/** Sets the language of this browser, and draws the page anew in it. */
export function chooseLanguage(code: Language): void {
  try {
    localStorage.setItem(LANGUAGE_KEY, code);
  } catch {
    // Without storage the browser's language stays.
  }
  location.reload();
}
