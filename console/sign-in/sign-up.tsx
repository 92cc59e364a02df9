import { ok } from '@oazapfts/runtime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { failureOf } from '../data/failure.ts';
import { postAuthSignup as signUp } from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { Mark } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { FormField } from './form-field.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { type SignUpErrors, type SignUpForm, signUpErrors, signUpRefusal } from './sign-up-form.ts';

/** A new user with a workspace of their own, signed in at once. */
export function SignUp({ onSignedIn }: { onSignedIn: () => void }) {
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<SignUpErrors>({});
  const [refusal, setRefusal] = useState<string | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const first = useRef<HTMLInputElement>(null);

  useEffect(() => first.current?.focus(), []);
  // The first field with an error gets the focus, once the error's text is there to be read out.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('[aria-invalid="true"]')?.focus(), [errors]);

  const { route } = useLocation();

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (busy) return;
    const entered = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: keyof SignUpForm) => String(entered.get(name) ?? '');
    const wanted: SignUpForm = {
      name: field('name').trim(),
      email: field('email').trim(),
      password: field('password'),
      workspace_name: field('workspace_name').trim(),
    };
    const wrong = signUpErrors(wanted);
    setErrors(wrong);
    setRefusal(null);
    if (Object.keys(wrong).length > 0) return;
    setBusy(true);
    const { workspace_name, ...person } = wanted;
    // The workspace gets the zone of this browser.
    const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions();
    try {
      await ok(signUp({ ...person, timezone, ...(workspace_name === '' ? {} : { workspace_name }) }));
      route('/');
      onSignedIn();
    } catch (failure) {
      const { field: about, text } = signUpRefusal(failureOf(failure));
      if (about) setErrors({ [about]: text });
      else setRefusal(text);
    }
    setBusy(false);
  }

  return (
    <main class="narrow sign-in">
      <Mark />
      <Heading title={t('Create an account')} />
      <p class="quiet">{t('You get a workspace of your own, with credits to try it out.')}</p>
      <form ref={form} onSubmit={submit} noValidate>
        <FormField
          name="name"
          label={t('Your name')}
          inputRef={first}
          autocomplete="name"
          maxLength={80}
          required
          error={errors.name}
        />
        <FormField
          name="email"
          label={t('Email')}
          type="email"
          autocomplete="username"
          maxLength={200}
          required
          error={errors.email}
        />
        <FormField
          name="password"
          label={t('Password')}
          hint={t('At least 10 characters.')}
          type="password"
          autocomplete="new-password"
          maxLength={200}
          required
          error={errors.password}
        />
        <FormField
          name="workspace_name"
          label={t('Name of your workspace (optional)')}
          autocomplete="organization"
          maxLength={120}
        />
        <p class="error" id="error" role="alert">
          {refusal}
        </p>
        <button type="submit" class="primary wide" aria-disabled={busy}>
          {busy ? t('One moment…') : t('Create account')}
        </button>
        <a class="plain" href="/">
          {t('Sign in to an account you have')}
        </a>
      </form>
      <LanguageSwitch />
    </main>
  );
}
