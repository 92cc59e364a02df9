import { useState } from 'preact/hooks';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/fields.tsx';
import type { Draft } from '../draft.ts';
import { EditedList } from '../edited-list.tsx';
import { LanguageField } from '../language-field.tsx';
import { languageName } from '../language-names.ts';
import { ListenButton } from '../listen-button.tsx';
import { ModelPicker } from '../model-picker.tsx';
import { useVoices } from '../queries.ts';
import { Section, Setting } from '../setting.tsx';
import { fieldLabel } from '../settings.ts';
import type { Editor } from '../use-draft.ts';
import { previewPath, VoiceDialog } from '../voice-dialog.tsx';

const MAX_FALLBACKS = 3;
const MAX_LANGUAGES = 10;
const MAX_PRONUNCIATIONS = 200;
type Spoken = Pick<Draft['voice'], 'provider' | 'model' | 'voice_id' | 'voice_name' | 'language'>;

/** Whose voice the agent has, and who speaks when that one fails. */
export function VoiceGroup({ editor }: { editor: Editor }) {
  const { voice } = editor.draft;
  const { fallbacks } = voice;
  return (
    <>
      <Section title={t('Voice')}>
        <SpokenFields
          editor={editor}
          path="voice"
          value={voice}
          onChange={(next) => editor.set('voice', { ...voice, ...next })}
        />
        <Setting editor={editor} path="voice.speed" />
      </Section>
      <Section
        title={fieldLabel('voice.fallbacks')}
        hint={t('When the voice fails during a call, the first of these speaks on, then the next.')}
      >
        <EditedList
          items={fallbacks}
          max={MAX_FALLBACKS}
          add={t('Add a voice')}
          itemName={(_, at) => t('Voice {{number}} in reserve', { number: at + 1 })}
          empty={() => ({
            provider: voice.provider,
            model: voice.model,
            voice_id: '',
            voice_name: '',
            language: voice.language,
          })}
          error={editor.errors['voice.fallbacks']}
          onChange={(next) => editor.set('voice.fallbacks', next)}
        >
          {(fallback, change, at) => (
            <SpokenFields
              editor={editor}
              path={`voice.fallbacks.${at}`}
              value={{ ...fallback, model: fallback.model ?? '' }}
              onChange={change}
            />
          )}
        </EditedList>
      </Section>
      <Section title={fieldLabel('voice.by_language')}>
        <Setting editor={editor} path="call.follow_language" />
        {editor.draft.call.follow_language && (
          <div class="sub-settings">
            <p class="hint">
              {t(
                'A voice for each language that callers may change to. In others the agent speaks with its own voice.',
              )}
            </p>
            <EditedList
              items={voice.by_language}
              max={MAX_LANGUAGES}
              add={t('Add a language')}
              itemName={({ language }) => languageName(language)}
              empty={() => ({
                provider: voice.provider,
                model: voice.model,
                voice_id: '',
                voice_name: '',
                language: voice.language === 'en' ? 'hi' : 'en',
              })}
              error={editor.errors['voice.by_language']}
              onChange={(next) => editor.set('voice.by_language', next)}
            >
              {(spoken, change, at) => (
                <SpokenFields
                  editor={editor}
                  path={`voice.by_language.${at}`}
                  value={{ ...spoken, model: spoken.model ?? '' }}
                  onChange={change}
                />
              )}
            </EditedList>
          </div>
        )}
      </Section>
      <Section
        title={fieldLabel('voice.pronunciations')}
        hint={t('For names and words that the voice reads wrongly. Transcripts keep the word as it is written.')}
      >
        <EditedList
          items={voice.pronunciations}
          max={MAX_PRONUNCIATIONS}
          add={t('Add a word')}
          itemName={({ word }, at) => word || t('Word {{count}}', { count: at + 1 })}
          empty={() => ({ word: '', say: '', ipa: '' })}
          error={editor.errors['voice.pronunciations']}
          onChange={(next) => editor.set('voice.pronunciations', next)}
        >
          {({ word, say, ipa }, change, at) => (
            <div class="form-row">
              <TextField
                label={t('Word')}
                hint={t('Small letters or capitals do not matter, except for a word in capitals alone.')}
                placeholder="Siobhan"
                value={word}
                onChange={(value) => change({ word: value })}
                error={editor.errors[`voice.pronunciations.${at}.word`]}
                maxLength={80}
              />
              <TextField
                label={t('Say')}
                hint={t('In letters that the voice reads as it should.')}
                placeholder="shivawn"
                value={say ?? ''}
                onChange={(value) => change({ say: value })}
                error={editor.errors[`voice.pronunciations.${at}.say`]}
                maxLength={200}
              />
              <TextField
                label={t('IPA')}
                hint={t(
                  'Without slashes. Used by voices of Cartesia, and by those of Deepgram in English and Spanish.',
                )}
                placeholder="ʃɪˈvɔːn"
                value={ipa ?? ''}
                onChange={(value) => change({ ipa: value })}
                error={editor.errors[`voice.pronunciations.${at}.ipa`]}
                maxLength={200}
              />
            </div>
          )}
        </EditedList>
      </Section>
    </>
  );
}

interface SpokenFieldsProps {
  editor: Editor;
  path: string;
  value: Spoken;
  onChange: (next: Partial<Spoken>) => void;
}

function SpokenFields({ editor, path, value, onChange }: SpokenFieldsProps) {
  const { errors } = editor;
  const [choosing, setChoosing] = useState(false);
  const { provider, model, voice_id, voice_name, language } = value;
  const voices = useVoices(provider, model, voice_id !== '' && voice_name === '');
  const name = voice_name || (voices.data?.find(({ id }) => id === voice_id)?.name ?? voice_id);
  return (
    <>
      <LanguageField
        label={t('Language it speaks')}
        value={language}
        error={errors[`${path}.language`]}
        onChange={(next) => onChange({ language: next })}
      />
      <ModelPicker
        kind="tts"
        provider={provider}
        model={model}
        language={language}
        labels={{ provider: t('Provider of the voice'), model: t('Model of the voice') }}
        errors={{ provider: errors[`${path}.provider`], model: errors[`${path}.model`] }}
        onChange={(next) => {
          const other = next.provider !== provider;
          onChange({
            ...(next as Pick<Spoken, 'provider' | 'model'>),
            // A voice belongs to its provider.
            ...(other && { voice_id: '', voice_name: '' }),
          });
        }}
      />
      <div class="chosen-voice">
        <div class="row-text">
          <strong>{t('Voice')}</strong>
          <span>{name || t('The usual one of the provider')}</span>
          {errors[`${path}.voice_id`] && <span class="error">{errors[`${path}.voice_id`]}</span>}
        </div>
        {voice_id && <ListenButton path={previewPath(voice_id, provider, language)} name={name} />}
        <button type="button" class="secondary" onClick={() => setChoosing(true)}>
          {t('Choose a voice')}
        </button>
      </div>
      {choosing && (
        <VoiceDialog
          provider={provider}
          model={model}
          language={language}
          voiceId={voice_id}
          onClose={() => setChoosing(false)}
          onChoose={({ id, name }) => {
            onChange({ voice_id: id, voice_name: name });
            setChoosing(false);
          }}
        />
      )}
    </>
  );
}
