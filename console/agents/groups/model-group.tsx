import { t } from '../../texts/texts.ts';
import { ModelPicker } from '../model-picker.tsx';
import { RealtimeSettings } from '../realtime-settings.tsx';
import { Section, Setting } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';

/** Which language model answers. */
export function ModelGroup({ editor }: { editor: Editor }) {
  const { draft, errors } = editor;
  // They belong to the model that was chosen before.
  const { realtime: _, ...written } = draft.llm;
  return (
    <Section
      title={t('Language model')}
      hint={t(
        'It writes every answer. Small models answer sooner and cost less; large ones follow long prompts better.',
      )}
    >
      <ModelPicker
        kind="llm"
        provider={draft.llm.provider}
        model={draft.llm.model}
        labels={{ provider: t('Provider of the model'), model: t('Model') }}
        errors={{ provider: errors['llm.provider'], model: errors['llm.model'] }}
        onChange={(next) => editor.set('llm', { ...written, ...next })}
      />
      <RealtimeSettings editor={editor} />
      <div class="form-row">
        <Setting editor={editor} path="llm.temperature" />
        <Setting editor={editor} path="llm.max_tokens" />
      </div>
    </Section>
  );
}
