import { ok } from '@oazapfts/runtime';
import { type ApiKey, type NewApiKey, postKeys, postKeysKeyIdRotate } from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { SelectField, TextArea, TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { EMPTY_KEY, keyBody } from './key-form.ts';
import { ScopeField } from './scope-field.tsx';
import { useChange } from './use-change.ts';

interface DialogProps {
  onClose: () => void;
  onMade: (key: NewApiKey) => void;
}

/** Makes an API key, with the limits it has for good. */
export function NewKeyDialog({ onClose, onMade }: DialogProps) {
  const form = useForm(EMPTY_KEY);
  const confirmed = useConfirmed();
  const { values, errors, set } = form;
  const making = useChange({
    change: () => confirmed.run(() => ok(postKeys(keyBody(values)))),
    reads: ['keys'],
    what: t('the API keys'),
    form,
    onDone: onMade,
  });
  // `allowed_addresses.0`: one of the lines.
  const addressError = Object.entries(errors).find(([path]) => path.startsWith('allowed_addresses'))?.[1];
  return (
    <>
      <Dialog title={t('Make a key')} onClose={onClose}>
        <form class="form" onSubmit={onSubmit(() => making.send())} noValidate>
          <TextField
            label={t('Name')}
            hint={t('What uses it, such as the name of a program.')}
            value={values.name}
            error={errors.name}
            maxLength={80}
            onChange={(value) => set('name', value)}
          />
          <ScopeField value={values.scopes} error={errors.scopes} onChange={(value) => set('scopes', value)} />
          <TextField
            label={t('Last day')}
            hint={t('Empty: it works until it is revoked.')}
            type="date"
            value={values.last_day}
            error={errors.expires_at}
            onChange={(value) => set('last_day', value)}
          />
          <TextArea
            label={t('Allowed addresses')}
            hint={t('IP addresses and networks such as 203.0.113.0/24, one to a line. Empty: from anywhere.')}
            rows={2}
            value={values.allowed_addresses}
            error={addressError}
            onChange={(value) => set('allowed_addresses', value)}
          />
          <FormEnd
            action={t('Make the key')}
            busy={making.busy}
            problem={making.problem}
            call={(opts) => postKeys(keyBody(values), {}, opts)}
          />
        </form>
      </Dialog>
      {confirmed.dialog}
    </>
  );
}

const OVERLAPS_HOURS = [0, 1, 24, 72, 168];

/** Makes a key with the same limits in place of one, which goes on for a while. */
export function RotateKeyDialog({ apiKey, onClose, onMade }: DialogProps & { apiKey: ApiKey }) {
  const form = useForm({ overlap_hours: 24 });
  const confirmed = useConfirmed();
  const { values, set } = form;
  const rotating = useChange({
    change: () => confirmed.run(() => ok(postKeysKeyIdRotate(apiKey.id, values))),
    reads: ['keys'],
    what: t('the API keys'),
    form,
    onDone: onMade,
  });
  return (
    <>
      <Dialog title={t('Replace {{name}}', { name: apiKey.name })} onClose={onClose}>
        <form class="form" onSubmit={onSubmit(() => rotating.send())}>
          <p>{t('A new key with the same name and limits is made. The present one goes on for a while.')}</p>
          <SelectField
            label={t('The present key works for')}
            value={String(values.overlap_hours)}
            onChange={(value) => set('overlap_hours', Number(value))}
            options={OVERLAPS_HOURS.map((hours) => ({
              value: String(hours),
              label: hours === 0 ? t('no longer') : tn('{{count}} hour more', '{{count}} hours more', hours),
            }))}
          />
          <FormEnd
            action={t('Replace')}
            busy={rotating.busy}
            problem={rotating.problem}
            call={(opts) => postKeysKeyIdRotate(apiKey.id, values, {}, opts)}
          />
        </form>
      </Dialog>
      {confirmed.dialog}
    </>
  );
}
