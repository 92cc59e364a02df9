import { useState } from 'preact/hooks';
import { variablesOf } from '../../../shared/variables.ts';
import { t } from '../../texts/texts.ts';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { Section, Setting, SettingsOf } from '../setting.tsx';
import { settings } from '../settings.ts';
import type { Editor } from '../use-draft.ts';
import { WritePromptDialog } from '../write-prompt-dialog.tsx';

/** The name, the welcome, the prompt, and how the conversation ends. */
export function WordsGroup({ editor }: { editor: Editor }) {
  const { agent, draft, mayEdit } = editor;
  const [writing, setWriting] = useState(false);
  const variables = variablesOf(draft.welcome_message, draft.system_prompt);
  return (
    <>
      <Section title={t('The agent')}>
        <div class="form-row">
          <Setting editor={editor} path="name" />
          {agent.status !== 'frozen' && <Setting editor={editor} path="status" />}
        </div>
        <TextField
          label={settings().avatar!.label}
          hint={t('The https address of a picture, for pages that show the agent.')}
          type="url"
          maxLength={500}
          value={draft.avatar === null ? '' : String(draft.avatar)}
          error={editor.errors.avatar}
          onChange={(value) => editor.set('avatar', avatarOf(value))}
        />
      </Section>
      <Section title={t('Welcome and prompt')}>
        <Setting editor={editor} path="welcome_message" />
        <Setting editor={editor} path="system_prompt" />
        {mayEdit && (
          <div class="buttons">
            <button type="button" class="secondary" onClick={() => setWriting(true)}>
              {t('Have it written')}
            </button>
          </div>
        )}
        {variables.length > 0 && (
          <div>
            <p class="quiet hint">{t('Values that each call must bring:')}</p>
            <p class="variables">
              {variables.map((each) => (
                <code key={each}>{`{${each}}`}</code>
              ))}
            </p>
          </div>
        )}
      </Section>
      <Section title={t('A silent caller')}>
        <SettingsOf
          editor={editor}
          when="call.check_user_online"
          paths={['call.user_online_message', 'call.user_online_after_seconds']}
        />
      </Section>
      <Section title={t('While it takes long')}>
        <Setting editor={editor} path="call.filler_after_ms" />
        <TextArea
          label={settings()['call.filler_phrases']!.label}
          hint={t('One phrase in a line, said in turn. Left empty: phrases of the language of the voice.')}
          rows={3}
          value={draft.call.filler_phrases.join('\n')}
          error={Object.entries(editor.errors).find(([path]) => path.startsWith('call.filler_phrases'))?.[1]}
          onChange={(text) => editor.set('call.filler_phrases', text === '' ? [] : text.split('\n'))}
        />
      </Section>
      <Section title={t('The end of the conversation')}>
        <Setting editor={editor} path="call.hangup_message" />
        <Setting editor={editor} path="call.hangup_interruptible" />
        <SettingsOf editor={editor} when="call.hangup_on_prompt" paths={['call.hangup_prompt']} />
      </Section>
      {writing && <WritePromptDialog editor={editor} onClose={() => setWriting(false)} />}
    </>
  );
}

/** A number is one of the drawings of the service. */
const avatarOf = (text: string): string | number | null => {
  if (text.trim() === '') return null;
  return /^\d+$/.test(text) ? Number(text) : text;
};
