import { chooseLanguage, LANGUAGES, language, t } from '../texts/texts.ts';

/** The console's languages, each in its own, for people who have not signed in. */
export const LanguageSwitch = () => (
  <fieldset class="language-switch">
    <legend class="hidden-title">{t('Language')}</legend>
    {LANGUAGES.map(({ code, name }) => (
      <button
        key={code}
        type="button"
        class="plain"
        lang={code}
        aria-pressed={code === language()}
        onClick={() => code !== language() && chooseLanguage(code)}
      >
        {name}
      </button>
    ))}
  </fieldset>
);
