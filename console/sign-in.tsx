import { useEffect, useRef, useState } from 'preact/hooks';
import { signInChallenge, signInWithPasskey } from './account/account-api.ts';
import { type Signed, usePasskey } from './account/use-passkey.ts';
import { signIn, signInWithCode } from './api.ts';
import type { LoginResult, SecondStep } from './api-records.ts';
import { isExpired, signInError } from './error-messages.ts';
import { FormField } from './form-field.tsx';
import { Heading } from './heading.tsx';
import { Mark } from './icons.tsx';

/** Email and password, then a code or a passkey where two-step sign-in is on. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const [loginToken, setLoginToken] = useState<string | null>(null);
  const [methods, setMethods] = useState<SecondStep[]>([]);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const first = useRef<HTMLInputElement>(null);

  useEffect(() => first.current?.focus(), [loginToken]);

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const field = (name: string) => String(form.get(name) ?? '').trim();
    await take(() =>
      loginToken
        ? signInWithCode(loginToken, field('code'))
        : signIn(field('email'), String(form.get('password') ?? '')),
    );
  }

  const withPasskey = (token: string) =>
    take(() =>
      usePasskey(
        () => signInChallenge(token),
        (response) => signInWithPasskey(token, response),
      ),
    );

  async function take(step: () => Promise<Signed<LoginResult>>) {
    if (busy) return;
    setBusy(true);
    setError(null);
    const result = await step();
    setBusy(false);
    if (!result.ok) {
      setError(result.refusal ?? signInError(result, loginToken !== null));
      // An expired login token needs the first step again.
      if (loginToken && isExpired(result.detail)) setLoginToken(null);
      first.current?.focus();
      first.current?.select();
    } else if (result.value.two_factor_required) {
      setMethods(result.value.methods ?? []);
      setLoginToken(result.value.login_token);
    } else onSignedIn();
  }

  function startOver() {
    setLoginToken(null);
    // The error was about the code.
    setError(null);
  }

  const hasPasskey = methods.includes('passkey');
  return (
    <main class="narrow sign-in">
      <Mark />
      <Heading title={loginToken ? 'One more step' : 'Sign in'} />
      {loginToken && hasPasskey && (
        <button type="button" class="primary wide" aria-disabled={busy} onClick={() => withPasskey(loginToken)}>
          {busy ? 'One moment…' : 'Use a passkey'}
        </button>
      )}
      <form onSubmit={submit} noValidate>
        {loginToken ? (
          <FormField
            key="code"
            name="code"
            label={hasPasskey ? 'Code instead' : 'Code'}
            hint={
              hasPasskey && !methods.includes('authenticator')
                ? 'Enter one of your recovery codes.'
                : 'Enter the six digits your authenticator shows, or one of your recovery codes.'
            }
            inputRef={first}
            autocomplete="one-time-code"
            inputMode="text"
            maxLength={40}
            required
            errorElsewhere={error ? 'error' : undefined}
          />
        ) : (
          <>
            <FormField
              key="email"
              name="email"
              label="Email"
              inputRef={first}
              type="email"
              autocomplete="username"
              maxLength={200}
              required
              errorElsewhere={error ? 'error' : undefined}
            />
            <FormField
              key="password"
              name="password"
              label="Password"
              type="password"
              autocomplete="current-password"
              maxLength={200}
              required
              errorElsewhere={error ? 'error' : undefined}
            />
          </>
        )}
        <p class="error" id="error" role="alert">
          {error}
        </p>
        <button type="submit" class={`${loginToken && hasPasskey ? 'secondary' : 'primary'} wide`} aria-disabled={busy}>
          {busy ? 'One moment…' : loginToken ? 'Continue' : 'Sign in'}
        </button>
        {loginToken ? (
          <button type="button" class="plain" onClick={startOver}>
            Start over
          </button>
        ) : (
          <>
            <a class="plain" href="/api/auth/password-reset">
              Forgotten your password?
            </a>
            <a class="plain" href="/sign-up">
              Create an account
            </a>
          </>
        )}
      </form>
    </main>
  );
}
