import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { signUp } from './api.ts';
import { FormField } from './form-field.tsx';
import { Heading } from './heading.tsx';
import { Mark } from './icons.tsx';
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
    const result = await signUp(wanted);
    setBusy(false);
    if (result.ok) {
      route('/');
      onSignedIn();
      return;
    }
    const { field: about, text } = signUpRefusal(result);
    if (about) setErrors({ [about]: text });
    else setRefusal(text);
  }

  return (
    <main class="narrow sign-in">
      <Mark />
      <Heading title="Create an account" />
      <p class="quiet">You get a workspace of your own, with credits to try it out.</p>
      <form ref={form} onSubmit={submit} noValidate>
        <FormField
          name="name"
          label="Your name"
          inputRef={first}
          autocomplete="name"
          maxLength={80}
          required
          error={errors.name}
        />
        <FormField
          name="email"
          label="Email"
          type="email"
          autocomplete="username"
          maxLength={200}
          required
          error={errors.email}
        />
        <FormField
          name="password"
          label="Password"
          hint="At least 10 characters."
          type="password"
          autocomplete="new-password"
          maxLength={200}
          required
          error={errors.password}
        />
        <FormField
          name="workspace_name"
          label="Name of your workspace (optional)"
          autocomplete="organization"
          maxLength={120}
        />
        <p class="error" id="error" role="alert">
          {refusal}
        </p>
        <button type="submit" class="primary wide" aria-disabled={busy}>
          {busy ? 'One moment…' : 'Create account'}
        </button>
        <a class="plain" href="/">
          Sign in to an account you have
        </a>
      </form>
    </main>
  );
}
