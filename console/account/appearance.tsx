import { useState } from 'preact/hooks';
import { chooseLanguage, LANGUAGES, type Language, language, t } from '../texts/texts.ts';
import { chooseTheme, chosenTheme, THEMES, type Theme } from '../theme.ts';
import { SelectField } from '../ui/fields.tsx';

const themeText = (theme: Theme): string => {
  switch (theme) {
    case 'light':
      return t('Light');
    case 'dark':
      return t('Dark');
    default:
      return t('As on this device');
  }
};

/** The language and the colours of the console in this browser. */
export function Appearance() {
  const [theme, setTheme] = useState(chosenTheme);
  return (
    <section class="card" aria-labelledby="appearance-title">
      <h2 id="appearance-title">{t('In this browser')}</h2>
      <div class="form form-row">
        <SelectField
          label={t('Language')}
          value={language()}
          onChange={(code) => chooseLanguage(code as Language)}
          options={LANGUAGES.map(({ code, name }) => ({ value: code, label: name }))}
        />
        <SelectField
          label={t('Colours')}
          value={theme}
          onChange={(value) => {
            chooseTheme(value as Theme);
            setTheme(value as Theme);
          }}
          options={THEMES.map((each) => ({ value: each, label: themeText(each) }))}
        />
      </div>
    </section>
  );
}
