import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { useMemo } from 'preact/hooks';
import { formProblemText } from '../data/problem-text.ts';
import { useSession } from '../data/session.ts';
import { type Account, patchAccount } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { SelectField, TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { zonesWith } from './account-texts.ts';
import { useAccountChanged } from './use-account.ts';

/** Name and time zone. */
export function ProfileForm({ account }: { account: Account }) {
  const { refresh } = useSession();
  const changed = useAccountChanged();
  const form = useForm({ name: account.name, timezone: account.timezone });
  const zones = useMemo(() => zonesWith(account.timezone, Intl.supportedValuesOf('timeZone')), [account.timezone]);
  const save = useMutation({
    mutationFn: ({ name, timezone }: typeof form.values) => ok(patchAccount({ name: name.trim(), timezone })),
    onSuccess: (after) => {
      changed(after);
      form.reset({ name: after.name, timezone: after.timezone });
      toast(t('Saved.'));
      void refresh();
    },
    onError: (error) => {
      form.showErrors(error);
    },
  });

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!save.isPending) save.mutate(form.values);
  }

  const refused = formProblemText(save.error);
  return (
    <section class="card" aria-labelledby="profile-title">
      <h2 id="profile-title">{t('Profile')}</h2>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label={t('Name')}
          autocomplete="name"
          maxLength={80}
          value={form.values.name}
          onChange={(value) => form.set('name', value)}
          error={form.errors.name && t('Enter your name.')}
        />
        <SelectField
          label={t('Time zone')}
          hint={t('For emails and for requests that name none.')}
          value={form.values.timezone}
          onChange={(value) => form.set('timezone', value)}
          options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
          error={form.errors.timezone}
        />
        <p class="error" role="alert">
          {refused}
        </p>
        <button type="submit" class="primary" aria-disabled={save.isPending || !form.changed}>
          {save.isPending ? t('One moment…') : t('Save')}
        </button>
      </form>
    </section>
  );
}
