import { t } from '../../texts/texts.ts';
import { TextArea, TextField } from '../../ui/fields.tsx';
import { EditedList } from '../edited-list.tsx';
import { Section, Setting } from '../setting.tsx';
import type { Editor } from '../use-draft.ts';
import { HandoffsSection } from './handoffs-section.tsx';

const MAX_TARGETS = 5;

/** To whom the agent may hand a call. */
export function TransfersGroup({ editor }: { editor: Editor }) {
  const { call } = editor.draft;
  const path = 'call.transfer_targets';
  return (
    <>
      <Section title={t('Transfers')}>
        <Setting editor={editor} path="call.transfer_enabled" />
        <Setting editor={editor} path="call.transfer_message" />
        <Setting editor={editor} path="call.transfer_summary" />
        <Setting editor={editor} path="call.hold_music" />
      </Section>
      <Section title={t('People and teams')} hint={t('At most five. The agent chooses by what you write of each.')}>
        <EditedList
          items={call.transfer_targets}
          max={MAX_TARGETS}
          add={t('Add a person or team')}
          itemName={({ name }, at) => name || t('Person {{number}}', { number: at + 1 })}
          empty={() => ({ name: '', number: '', description: '' })}
          error={editor.errors[path]}
          onChange={(next) => editor.set(path, next)}
        >
          {(target, change, at) => (
            <>
              <div class="form-row">
                <TextField
                  label={t('Name')}
                  value={target.name}
                  maxLength={60}
                  error={editor.errors[`${path}.${at}.name`]}
                  onChange={(name) => change({ name })}
                />
                <TextField
                  label={t('Telephone number')}
                  type="tel"
                  placeholder="+919800000000"
                  value={target.number}
                  error={editor.errors[`${path}.${at}.number`]}
                  onChange={(number) => change({ number: number.replace(/[\s-]/g, '') })}
                />
              </div>
              <TextArea
                label={t('When to transfer here')}
                rows={2}
                maxLength={300}
                value={target.description}
                error={editor.errors[`${path}.${at}.description`]}
                onChange={(description) => change({ description })}
              />
            </>
          )}
        </EditedList>
      </Section>
      <HandoffsSection editor={editor} />
    </>
  );
}
