import { t } from '../../texts/texts.ts';
import { SelectField, TextArea, TextField } from '../../ui/fields.tsx';
import type { Extraction } from '../draft.ts';
import { EditedList } from '../edited-list.tsx';
import { Section, Setting } from '../setting.tsx';
import { TryAnalytics } from '../try-analytics.tsx';
import type { Editor } from '../use-draft.ts';

const MAX_EXTRACTIONS = 50;
const MAX_CHOICES = 20;
const PATH = 'analytics.extractions';

/** What is found out from a call once it ended. */
export function AfterGroup({ editor }: { editor: Editor }) {
  const { analytics } = editor.draft;
  return (
    <>
      <Section title={t('Summary')}>
        <Setting editor={editor} path="analytics.summarize" />
      </Section>
      <Section
        title={t('What to find out')}
        hint={t('Each is saved with the call, shown on its page, and sent to your webhooks.')}
      >
        <EditedList
          items={analytics.extractions}
          max={MAX_EXTRACTIONS}
          add={t('Add a question')}
          itemName={({ label, key }, at) => label || key || t('Question {{number}}', { number: at + 1 })}
          empty={(): Extraction => ({ key: '', label: '', type: 'text', description: '', choices: [] })}
          error={editor.errors[PATH]}
          onChange={(next) => editor.set(PATH, next)}
        >
          {(item, change, at) => (
            <ExtractionFields item={item} onChange={change} errors={editor.errors} path={`${PATH}.${at}`} />
          )}
        </EditedList>
      </Section>
      <Section title={t('More')}>
        <Setting editor={editor} path="analytics.extraction_prompt" />
      </Section>
      {editor.mayEdit && <TryAnalytics editor={editor} />}
      <Section title={t('Events')}>
        <Setting editor={editor} path="webhook_url" />
      </Section>
    </>
  );
}

interface ExtractionFieldsProps {
  item: Extraction;
  errors: Record<string, string>;
  path: string;
  onChange: (fields: Partial<Extraction>) => void;
}

function ExtractionFields({ item, errors, path, onChange }: ExtractionFieldsProps) {
  return (
    <>
      <div class="form-row">
        <TextField
          label={t('Label')}
          hint={t('As people read it.')}
          value={item.label}
          maxLength={80}
          error={errors[`${path}.label`]}
          onChange={(label) => onChange({ label })}
        />
        <TextField
          label={t('Key')}
          hint={t('As programs read it, such as order_number.')}
          value={item.key}
          maxLength={40}
          error={errors[`${path}.key`]}
          onChange={(key) => onChange({ key })}
        />
        <SelectField
          label={t('Kind')}
          hint={t('What cannot be read as one stays empty.')}
          value={item.type}
          options={kinds()}
          error={errors[`${path}.type`]}
          onChange={(type) => onChange({ type: type as Extraction['type'] })}
        />
      </div>
      <TextArea
        label={t('What to look for')}
        rows={2}
        maxLength={600}
        value={item.description}
        error={errors[`${path}.description`]}
        onChange={(description) => onChange({ description })}
      />
      {item.type === 'choice' && (
        <EditedList
          items={item.choices}
          max={MAX_CHOICES}
          add={t('Add a choice')}
          itemName={({ value }, at) => value || t('Choice {{number}}', { number: at + 1 })}
          empty={() => ({ value: '', when: '' })}
          error={errors[`${path}.choices`]}
          onChange={(choices) => onChange({ choices })}
        >
          {(choice, change, at) => (
            <div class="form-row">
              <TextField
                label={t('Value')}
                value={choice.value}
                maxLength={60}
                error={errors[`${path}.choices.${at}.value`]}
                onChange={(value) => change({ value })}
              />
              <TextField
                label={t('When this is the one')}
                value={choice.when}
                maxLength={300}
                error={errors[`${path}.choices.${at}.when`]}
                onChange={(when) => change({ when })}
              />
            </div>
          )}
        </EditedList>
      )}
    </>
  );
}

const kinds = () => [
  { value: 'text', label: t('Text') },
  { value: 'number', label: t('A number') },
  { value: 'boolean', label: t('Yes or no') },
  { value: 'choice', label: t('One of several') },
  { value: 'date', label: t('A date') },
  { value: 'list', label: t('A list') },
];
