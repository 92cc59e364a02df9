import { useMemo } from 'preact/hooks';
import type { Agent } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { SelectField, TextField } from '../ui/fields.tsx';
import type { Form } from '../ui/use-form.ts';
import type { NewBatchValues } from './new-batch-values.ts';
import { localTimeOf } from './zoned-time.ts';

const HOUR_MS = 3_600_000;

interface ScheduleFieldsProps {
  form: Form<NewBatchValues>;
  agent: Agent;
  missing?: string | undefined;
}

/** When the batch begins; the hours within which it calls are the agent's. */
export function ScheduleFields({ form: { values, set, errors }, agent, missing }: ScheduleFieldsProps) {
  const zones = useMemo(() => [...new Set([values.zone, 'UTC', ...Intl.supportedValuesOf('timeZone')])], []);
  return (
    <>
      <fieldset class="choices radios">
        <legend class="hidden-title">{t('When the calls begin')}</legend>
        {(['now', 'later'] as const).map((when) => (
          <label key={when}>
            <input
              type="radio"
              name="when"
              checked={values.when === when}
              onChange={() => {
                set('when', when);
                if (when === 'later' && values.scheduled_at === '') {
                  set('scheduled_at', `${localTimeOf(Date.now() + HOUR_MS, values.zone).slice(0, 13)}:00`);
                }
              }}
            />
            {when === 'now' ? t('At once') : t('At a time')}
          </label>
        ))}
      </fieldset>
      {values.when === 'later' && (
        <div class="form-row">
          <TextField
            label={t('Begins at')}
            hint={t('At most 30 days ahead.')}
            type="datetime-local"
            value={values.scheduled_at}
            onChange={(at) => set('scheduled_at', at)}
            error={missing ?? errors.scheduled_at}
          />
          <SelectField
            label={t('Time zone')}
            hint={t('In which the time is meant.')}
            value={values.zone}
            onChange={(zone) => set('zone', zone)}
            options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
          />
        </div>
      )}
      <p class="quiet">
        {hoursText(agent)} <a href={`/agents/${agent.id}`}>{t('Change it in the agent’s settings')}</a>
      </p>
    </>
  );
}

function hoursText({ call: { calling_hours, call_start_hour, call_end_hour, timezone } }: Agent): string {
  if (!calling_hours) return t('The agent calls at any hour of any day.');
  return t(
    'The agent calls from {{start}} to {{end}} ({{zone}}), on every day. What is left then waits for the next day.',
    {
      start: `${call_start_hour}:00`,
      end: `${call_end_hour}:00`,
      zone: timezone.replaceAll('_', ' '),
    },
  );
}
