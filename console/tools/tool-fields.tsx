import { t } from '../texts/texts.ts';
import { NumberField, SelectField, TextArea, TextField } from '../ui/fields.tsx';
import { HeaderFields } from './header-fields.tsx';
import { ParameterFields } from './parameter-fields.tsx';
import { ResultFields } from './result-fields.tsx';
import type { ToolFieldsProps, ToolValues } from './tool-form.ts';
import './tools.css';

/** Every field of a tool. */
export function ToolFields({ values, onChange, errors }: ToolFieldsProps) {
  return (
    <>
      <TextField
        label={t('Name')}
        hint={t('What the model and the timeline call it: letters, digits and underscores.')}
        placeholder="find_slots"
        value={values.name}
        onChange={(value) => onChange('name', value)}
        error={errors.name}
        maxLength={64}
      />
      <TextArea
        label={t('Description')}
        hint={t('When the model should use it, and what it gets back.')}
        value={values.description}
        onChange={(value) => onChange('description', value)}
        error={errors.description}
        rows={3}
        maxLength={1_000}
      />
      {values.kind === 'http' && <RequestFields values={values} onChange={onChange} errors={errors} />}
      <ParameterFields
        parameters={values.parameters}
        onChange={(value) => onChange('parameters', value)}
        error={errors.parameters}
      />
      <TextField
        label={t('Said meanwhile')}
        hint={t('The agent says this while the request runs. Left empty: nothing.')}
        placeholder={t('One moment, I am looking that up.')}
        value={values.pre_call_message}
        onChange={(value) => onChange('pre_call_message', value)}
        error={errors.pre_call_message}
        maxLength={1_000}
      />
      <NumberField
        label={t('Time-out')}
        unit={t('seconds')}
        hint={t('The request is given up after this time, 1 to 30 seconds.')}
        value={values.timeout_seconds}
        onChange={(value) => onChange('timeout_seconds', value)}
        error={errors.timeout_seconds}
        min={1}
        max={30}
      />
      <ResultFields values={values} onChange={onChange} errors={errors} />
    </>
  );
}

/** Where the request goes, and how. */
function RequestFields({ values, onChange, errors }: ToolFieldsProps) {
  return (
    <>
      <div class="tool-request">
        <SelectField
          label={t('Method')}
          value={values.method}
          onChange={(value) => onChange('method', value as ToolValues['method'])}
          error={errors.method}
          options={[
            { value: 'POST', label: 'POST' },
            { value: 'GET', label: 'GET' },
          ]}
        />
        <TextField
          type="url"
          label={t('Address')}
          placeholder="https://api.example.com/slots"
          value={values.url}
          onChange={(value) => onChange('url', value)}
          error={errors.url}
          maxLength={2_000}
        />
      </div>
      <p class="quiet hint">
        {values.method === 'GET'
          ? t('The parameters are sent in the query of the address.')
          : t('The parameters are sent as JSON in the body.')}
      </p>
      <HeaderFields headers={values.headers} onChange={(value) => onChange('headers', value)} errors={errors} />
    </>
  );
}
