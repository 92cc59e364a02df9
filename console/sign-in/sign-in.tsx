import { ok } from '@oazapfts/runtime';
import { useEffect, useRef, useState } from 'preact/hooks';
import { PasskeyRefusal, signInWithPasskey } from '../account/passkeys.ts';
import { failureOf } from '../data/failure.ts';
import {
  type AuthResult,
  postAuthLogin as signIn,
  postAuthLogin2Fa as signInWithCode,
  type TwoFactorRequired,
} from '../generated/api.ts';
import { Heading } from '../heading.tsx';
import { Mark } from '../icons.tsx';
import { t } from '../texts/texts.ts';
import { FormField } from './form-field.tsx';
import { LanguageSwitch } from './language-switch.tsx';
import { isExpired, signInError } from './sign-in-texts.ts';

/** What the second step may be made with. */
type SecondStep = NonNullable<TwoFactorRequired['methods']>[number];

/** Email and password, then a code or a passkey where two-step sign-in is on. `isConfirmed`: the link of an address was followed. */
export function SignIn({ onSignedIn, isConfirmed }: { onSignedIn: () => void; isConfirmed: boolean }) {
  const [loginToken, setLoginToken] = useState<string | null>(null);
  const [methods, setMethods] = useState<readonly SecondStep[]>([]);
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
        ? ok(signInWithCode({ login_token: loginToken, code: field('code') }))
        : ok(signIn({ email: field('email'), password: String(form.get('password') ?? '') })),
    );
  }

  async function take(step: () => Promise<AuthResult | TwoFactorRequired>) {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const result = await step();
      if ('two_factor_required' in result) {
        setMethods(result.methods ?? []);
        setLoginToken(result.login_token);
      } else onSignedIn();
    } catch (failure) {
      const { status, detail } = failureOf(failure);
      setError(
        failure instanceof PasskeyRefusal ? failure.message : signInError({ status, detail }, loginToken !== null),
      );
      // An expired login token needs the first step again.
      if (loginToken && isExpired(detail)) setLoginToken(null);
      first.current?.focus();
      first.current?.select();
    }
    setBusy(false);
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
      <Heading title={loginToken ? t('One more step') : t('Sign in')} />
      {isConfirmed && !loginToken && (
        <p class="notice" role="status">
          {t('Your email address is confirmed.')}
        </p>
      )}
      {loginToken && hasPasskey && (
        <button
          type="button"
          class="primary wide"
          aria-disabled={busy}
          onClick={() => take(() => signInWithPasskey(loginToken))}
        >
          {busy ? t('One moment…') : t('Use a passkey')}
        </button>
      )}
      <form onSubmit={submit} noValidate>
        {loginToken ? (
          <FormField
            key="code"
            name="code"
            label={hasPasskey ? t('Code instead') : t('Code')}
            hint={
              hasPasskey && !methods.includes('authenticator')
                ? t('Enter one of your recovery codes.')
                : t('Enter the six digits your authenticator shows, or one of your recovery codes.')
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
              label={t('Email')}
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
              label={t('Password')}
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
          {busy ? t('One moment…') : loginToken ? t('Continue') : t('Sign in')}
        </button>
        {loginToken ? (
          <button type="button" class="plain" onClick={startOver}>
            {t('Start over')}
          </button>
        ) : (
          <>
            <a class="plain" href="/api/auth/password-reset">
              {t('Forgotten your password?')}
            </a>
            <a class="plain" href="/sign-up">
              {t('Create an account')}
            </a>
          </>
        )}
      </form>
      {!loginToken && <LanguageSwitch />}
    </main>
  );
}
