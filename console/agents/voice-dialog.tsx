import { useState } from 'preact/hooks';
import type { Voice } from '../generated/api.ts';
import { SearchIcon } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { languageName } from './language-names.ts';
import { ListenButton } from './listen-button.tsx';
import { useVoices } from './queries.ts';
import { fittingVoices } from './voice-search.ts';

/** More are shown on request: a provider may have thousands. */
const SHOWN_AT_ONCE = 40;

interface VoiceDialogProps {
  provider: Voice['provider'];
  model: string;
  language: string;
  voiceId: string;
  onChoose: (voice: Pick<Voice, 'id' | 'name'>) => void;
  onClose: () => void;
}

/** The voices of a provider, to listen to and to choose one. */
export function VoiceDialog({ provider, model, language, voiceId, onChoose, onClose }: VoiceDialogProps) {
  const voices = useVoices(provider, model);
  const [words, setWords] = useState('');
  const [gender, setGender] = useState('');
  const [only, setOnly] = useState(language);
  const [count, setCount] = useState(SHOWN_AT_ONCE);
  const all = voices.data ?? [];
  const fitting = fittingVoices(all, { words, gender, language: only });
  const languages = [...new Set([...all.flatMap((each) => each.languages), language])].filter(Boolean);

  return (
    <Dialog title={t('Choose a voice')} wide onClose={onClose}>
      <search class="filters" aria-label={t('Voices')}>
        <div class="search">
          <SearchIcon />
          <input
            type="search"
            aria-label={t('Search voices')}
            placeholder={t('Search')}
            value={words}
            onInput={(event) => setWords(event.currentTarget.value)}
          />
        </div>
        <label class="filter">
          <span>{t('Language')}</span>
          <select value={only} onChange={(event) => setOnly(event.currentTarget.value)}>
            <option value="">{t('Any')}</option>
            {languages.map((code) => (
              <option key={code} value={code}>
                {languageName(code)}
              </option>
            ))}
          </select>
        </label>
        <label class="filter">
          <span>{t('Gender')}</span>
          <select value={gender} onChange={(event) => setGender(event.currentTarget.value)}>
            <option value="">{t('Any')}</option>
            {(['female', 'male', 'neutral'] as const).map((each) => (
              <option key={each} value={each}>
                {genderText(each)}
              </option>
            ))}
          </select>
        </label>
      </search>
      {voices.isPending ? (
        <Loading what={t('the voices')} />
      ) : voices.isError ? (
        <Problem error={voices.error} what={t('the voices')} onRetry={() => void voices.refetch()} />
      ) : fitting.length === 0 ? (
        <Nothing title={all.length === 0 ? t('This provider lists no voices.') : t('No voice fits.')} />
      ) : (
        <ul class="rows voices" aria-label={t('Voices')}>
          {fitting.slice(0, count).map((voice) => (
            <VoiceRow
              key={voice.id}
              voice={voice}
              language={only || language}
              chosen={voice.id === voiceId}
              onChoose={() => onChoose(voice)}
            />
          ))}
        </ul>
      )}
      <div class="buttons">
        {fitting.length > count && (
          <button type="button" class="secondary" onClick={() => setCount(count + SHOWN_AT_ONCE)}>
            {t('Show more')}
          </button>
        )}
        <button type="button" class="plain" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
    </Dialog>
  );
}

interface VoiceRowProps {
  voice: Voice;
  language: string;
  chosen: boolean;
  onChoose: () => void;
}

function VoiceRow({ voice, language, chosen, onChoose }: VoiceRowProps) {
  const { id, provider, name, gender, languages, accent, description, preview } = voice;
  const spoken =
    languages.length > 4
      ? t('{{count}} languages', { count: languages.length })
      : languages.map(languageName).join(', ');
  return (
    <li>
      <span class="row-text">
        <strong>{name}</strong>
        <span class="quiet small">{[genderText(gender), accent, spoken].filter(Boolean).join(' · ')}</span>
        {description && <span class="quiet small">{description}</span>}
      </span>
      {preview && <ListenButton path={previewPath(id, provider, language)} name={name} />}
      <button
        type="button"
        class="secondary"
        aria-pressed={chosen}
        aria-label={t('Choose {{name}}', { name })}
        onClick={onChoose}
      >
        {chosen ? t('Chosen') : t('Choose')}
      </button>
    </li>
  );
}

/** Where the voice says a sentence in the language. */
export const previewPath = (id: string, provider: string, language: string): string =>
  `/voices/${encodeURIComponent(id)}/preview?${new URLSearchParams({ provider, ...(language && { language }) })}`;

const genderText = (gender: Voice['gender']): string =>
  gender === 'female' ? t('Female') : gender === 'male' ? t('Male') : t('Neutral');
