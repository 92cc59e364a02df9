import { t } from '../../texts/texts.ts';
import { TextArea } from '../../ui/fields.tsx';
import type { Draft } from '../draft.ts';
import { EditedList } from '../edited-list.tsx';
import { LanguageField } from '../language-field.tsx';
import { ModelPicker } from '../model-picker.tsx';
import { FINDS_TURNS } from '../provider-names.ts';
import { Section, Setting, SettingsOf } from '../setting.tsx';
import { fieldLabel } from '../settings.ts';
import type { Editor } from '../use-draft.ts';

const MAX_FALLBACKS = 2;
type Transcriber = Pick<Draft['transcriber'], 'provider' | 'model' | 'language'>;

/** Who writes down what the caller says, and when the agent answers. */
export function ListeningGroup({ editor }: { editor: Editor }) {
  const { transcriber } = editor.draft;
  return (
    <>
      <Section title={t('Transcriber')} hint={t('It turns what the caller says into text for the model.')}>
        <TranscriberFields
          editor={editor}
          path="transcriber"
          value={transcriber}
          onChange={(next) => editor.set('transcriber', { ...transcriber, ...next })}
        />
        <TextArea
          label={fieldLabel('transcriber.keyterms')}
          hint={t('One a line: names, products and places that are hard to recognise.')}
          rows={4}
          value={transcriber.keyterms.join('\n')}
          error={firstError(editor, 'transcriber.keyterms')}
          onChange={(text) => editor.set('transcriber.keyterms', text === '' ? [] : text.split('\n'))}
        />
      </Section>
      <Section title={t('Taking turns')}>
        <Setting editor={editor} path="transcriber.turn_detection" />
        {!FINDS_TURNS.has(transcriber.provider) && <Setting editor={editor} path="transcriber.endpointing_ms" />}
        <SettingsOf editor={editor} when="call.allow_interruptions" paths={['call.interruption_min_words']} />
      </Section>
      <Section title={t('Noise and keys')}>
        <SettingsOf editor={editor} when="call.noise_cancellation" paths={['call.noise_cancellation_strength']} />
        <SettingsOf editor={editor} when="call.dtmf_input" paths={['call.dtmf_wait_seconds']} />
      </Section>
      <Section
        title={fieldLabel('transcriber.fallbacks')}
        hint={t('When the transcriber fails during a call, the first of these takes over, then the next.')}
      >
        <EditedList
          items={transcriber.fallbacks}
          max={MAX_FALLBACKS}
          add={t('Add a transcriber')}
          itemName={(_, at) => t('Transcriber {{number}} in reserve', { number: at + 1 })}
          empty={() => ({ provider: transcriber.provider, model: transcriber.model, language: transcriber.language })}
          error={editor.errors['transcriber.fallbacks']}
          onChange={(next) => editor.set('transcriber.fallbacks', next)}
        >
          {(fallback, change, at) => (
            <TranscriberFields
              editor={editor}
              path={`transcriber.fallbacks.${at}`}
              value={fallback}
              onChange={change}
            />
          )}
        </EditedList>
      </Section>
    </>
  );
}

interface TranscriberFieldsProps {
  editor: Editor;
  path: string;
  value: Transcriber;
  onChange: (next: Partial<Transcriber>) => void;
}

function TranscriberFields({ editor: { errors }, path, value, onChange }: TranscriberFieldsProps) {
  return (
    <>
      <LanguageField
        label={t('Language of the caller')}
        value={value.language}
        error={errors[`${path}.language`]}
        onChange={(language) => onChange({ language })}
      />
      <ModelPicker
        kind="stt"
        provider={value.provider}
        model={value.model}
        language={value.language}
        labels={{ provider: t('Provider of the transcriber'), model: t('Model of the transcriber') }}
        errors={{ provider: errors[`${path}.provider`], model: errors[`${path}.model`] }}
        onChange={(next) => onChange(next as Partial<Transcriber>)}
      />
    </>
  );
}

/** The error of the list or of one of its items. */
const firstError = ({ errors }: Editor, path: string): string | undefined =>
  errors[path] ?? Object.entries(errors).find(([each]) => each.startsWith(`${path}.`))?.[1];
