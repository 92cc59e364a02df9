import { t } from '../texts/texts.ts';
import { SelectField, TextField } from '../ui/fields.tsx';
import { ModelPicker } from './model-picker.tsx';
import { useCatalog } from './queries.ts';
import type { Editor } from './use-draft.ts';

type Llm = Editor['draft']['llm'];
type Realtime = NonNullable<Llm['realtime']>;

/** What applies when the model hears and speaks itself; nothing for any other model. */
export function RealtimeSettings({ editor }: { editor: Editor }) {
  const { draft, errors } = editor;
  const { data } = useCatalog();
  const { provider, model, realtime } = draft.llm;
  const chosen = data?.llm_models?.find((each) => each.provider === provider && each.id === model);
  if (!chosen?.realtime) return null;
  const set = (changed: Partial<Realtime>) =>
    editor.set('llm', { ...draft.llm, realtime: { ...realtime, ...changed } });
  return (
    <>
      <p class="quiet hint">
        {t(
          'This model hears the caller and speaks itself. The voice and the transcriber of this agent say its fixed texts, and take over when the model cannot be reached.',
        )}
      </p>
      <div class="form-row">
        <TextField
          label={t('Voice of the model')}
          hint={t('Empty: the usual one of the provider.')}
          maxLength={100}
          value={realtime?.voice ?? ''}
          error={errors['llm.realtime.voice']}
          onChange={(voice) => set({ voice })}
        />
        <SelectField
          label={t('What it answers with')}
          value={realtime?.output ?? 'audio'}
          options={[
            { value: 'audio', label: t('Its own voice') },
            { value: 'text', label: t('Text, spoken by the voice of the agent') },
          ]}
          error={errors['llm.realtime.output']}
          onChange={(output) => set({ output: output as NonNullable<Realtime['output']> })}
        />
      </div>
      <SelectField
        label={t('Who finds the end of what the caller says')}
        value={realtime?.turn_detection ?? 'service'}
        options={[
          { value: 'service', label: t('The service, as in every call') },
          { value: 'model', label: t('The model') },
        ]}
        error={errors['llm.realtime.turn_detection']}
        onChange={(finds) => set({ turn_detection: finds as NonNullable<Realtime['turn_detection']> })}
      />
      <ModelPicker
        kind="llm"
        provider={realtime?.text_provider ?? provider}
        model={realtime?.text_model ?? ''}
        offers={(each) => !each.realtime}
        labels={{ provider: t('Provider of the model that writes'), model: t('Model that writes') }}
        errors={{ provider: errors['llm.realtime.text_provider'], model: errors['llm.realtime.text_model'] }}
        onChange={(next) =>
          set({ text_provider: next.provider as NonNullable<Realtime['text_provider']>, text_model: next.model })
        }
      />
      <p class="quiet hint">
        {t('It writes summaries and checks, and answers in place of the other one when that cannot be reached.')}
      </p>
    </>
  );
}
