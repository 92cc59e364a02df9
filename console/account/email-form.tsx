import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { type Account, postAccountEmail as askForEmail } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';
import { passwordFormProblems } from './account-texts.ts';
import { useAccountChanged } from './use-account.ts';

const EMPTY = { email: '', password: '' };

/** The address to sign in with, and another one, which counts once its link is followed. */
export function EmailForm({ account }: { account: Account }) {
  const changed = useAccountChanged();
  const form = useForm(EMPTY);
  const change = useMutation({
    mutationFn: ({ email, password }: typeof EMPTY) => ok(askForEmail({ email: email.trim(), password })),
    onSuccess: (after) => {
      changed(after);
      form.reset(EMPTY);
    },
    onError: (error) => {
      form.showErrors(error);
    },
  });
  const problems = passwordFormProblems(change.error);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!change.isPending) change.mutate(form.values);
  }

  return (
    <section class="card" aria-labelledby="email-title">
      <h2 id="email-title">{t('Email address')}</h2>
      <p class="breaking">
        {account.email} {account.email_verified && <span class="chip">{t('confirmed')}</span>}
      </p>
      {account.pending_email !== '' && (
        <p class="notice" role="status">
          {t('A link is on its way to {{email}}. The address changes once it is followed.', {
            email: account.pending_email,
          })}
        </p>
      )}
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label={t('New email address')}
          type="email"
          autocomplete="email"
          maxLength={200}
          value={form.values.email}
          onChange={(value) => form.set('email', value)}
          error={form.errors.email && t('Enter an email address, like asha@example.com.')}
        />
        <TextField
          label={t('Your password')}
          type="password"
          autocomplete="current-password"
          value={form.values.password}
          onChange={(value) => {
            form.set('password', value);
            change.reset();
          }}
          error={problems.password}
        />
        <p class="error" role="alert">
          {problems.form}
        </p>
        <button type="submit" class="secondary" aria-disabled={change.isPending}>
          {change.isPending ? t('One moment…') : t('Change the address')}
        </button>
      </form>
    </section>
  );
}
