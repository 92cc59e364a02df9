import { t } from '../texts/texts.ts';
import { CheckField, NumberField } from '../ui/fields.tsx';
import type { Form } from '../ui/use-form.ts';
import { contactStatus } from './batch-texts.ts';
import { type NewBatchValues, RETRY_OUTCOMES } from './new-batch-values.ts';

/** How often each contact is called, and how many calls there are at a time. */
export function RetryFields({ form: { values, set, errors } }: { form: Form<NewBatchValues> }) {
  const again = (values.max_attempts ?? 1) > 1;
  const { retry_on } = values;
  return (
    <>
      <div class="form-row">
        <NumberField
          label={t('Calls to each person at most')}
          hint={t('From 1 to 5.')}
          value={values.max_attempts}
          onChange={(count) => set('max_attempts', count)}
          min={1}
          max={5}
          step={1}
          error={errors.max_attempts}
        />
        {again && (
          <NumberField
            label={t('Minutes until the next call')}
            hint={t('From 5 minutes to a day (1,440).')}
            value={values.retry_after_minutes}
            onChange={(minutes) => set('retry_after_minutes', minutes)}
            min={5}
            max={1440}
            step={1}
            error={errors.retry_after_minutes}
          />
        )}
        <NumberField
          label={t('Calls at the same time at most')}
          hint={t('Empty: as many as the workspace has lines for. One fifth of them stays free for other calls.')}
          value={values.concurrency}
          onChange={(count) => set('concurrency', count)}
          min={1}
          max={100}
          step={1}
          error={errors.concurrency}
        />
      </div>
      {again && (
        <fieldset class="choices">
          <legend>{t('Call again after')}</legend>
          {RETRY_OUTCOMES.map((outcome) => (
            <CheckField
              key={outcome}
              label={contactStatus(outcome)}
              checked={retry_on.includes(outcome)}
              onChange={(on) =>
                set('retry_on', on ? [...retry_on, outcome] : retry_on.filter((each) => each !== outcome))
              }
            />
          ))}
          {errors.retry_on && <p class="error">{errors.retry_on}</p>}
        </fieldset>
      )}
    </>
  );
}
