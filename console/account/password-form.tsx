import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { postAccountPassword as changePassword } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { TextField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { passwordFormProblems } from './account-texts.ts';

const EMPTY = { current_password: '', new_password: '' };
const MIN_LENGTH = 10;

/** Another password; other sessions end with it. */
export function PasswordForm() {
  const client = useQueryClient();
  const form = useForm(EMPTY);
  const change = useMutation({
    mutationFn: (values: typeof EMPTY) => ok(changePassword(values)),
    onSuccess: () => {
      form.reset(EMPTY);
      toast(t('Your password was changed. You were signed out everywhere else.'));
      void client.invalidateQueries({ queryKey: ['sessions'] });
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
    <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">{t('Password')}</h2>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label={t('Present password')}
          type="password"
          autocomplete="current-password"
          value={form.values.current_password}
          onChange={(value) => {
            form.set('current_password', value);
            change.reset();
          }}
          error={problems.password}
        />
        <TextField
          label={t('New password')}
          hint={t('At least 10 characters.')}
          type="password"
          autocomplete="new-password"
          maxLength={200}
          value={form.values.new_password}
          onChange={(value) => form.set('new_password', value)}
          error={newPasswordError(form.errors.new_password, form.values.new_password)}
        />
        <p class="error" role="alert">
          {problems.form}
        </p>
        <button type="submit" class="secondary" aria-disabled={change.isPending}>
          {change.isPending ? t('One moment…') : t('Change the password')}
        </button>
        <p class="quiet small">{t('You are signed out everywhere else.')}</p>
      </form>
    </section>
  );
}

const newPasswordError = (error: string | undefined, password: string): string | undefined =>
  error && password.length < MIN_LENGTH ? t('Choose at least 10 characters.') : error;
