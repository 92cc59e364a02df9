import { useEffect, useRef, useState } from 'preact/hooks';
import { signInError } from '../error-messages.ts';
import { FormField } from '../form-field.tsx';
import { confirmationChallenge, confirmWithPasskey, confirmWithPassword } from './account-api.ts';
import { type Signed, usePasskey } from './use-passkey.ts';

interface ConfirmFormProps {
  hasPasskey: boolean;
  onConfirmed: () => void;
  onCanceled: () => void;
}

/** Asks for the password, or a passkey, once more before the sign-in of the account is changed. */
export function ConfirmForm({ hasPasskey, onConfirmed, onCanceled }: ConfirmFormProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.focus(), []);

  async function send(ask: () => Promise<Signed<object>>) {
    if (busy) return;
    setBusy(true);
    setError(null);
    const result = await ask();
    setBusy(false);
    if (result.ok) return onConfirmed();
    const wrong = result.status === 401 && 'That is not right. Try again.';
    setError(result.refusal ?? (wrong || signInError(result, true)));
    field.current?.focus();
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget as HTMLFormElement).get('password') ?? '');
    void send(() => confirmWithPassword(password));
  }

  return (
    <form class="card confirm" aria-labelledby="confirm-title" onSubmit={submit} noValidate>
      <h2 id="confirm-title">Confirm that it is you</h2>
      <FormField
        name="password"
        label="Password"
        inputRef={field}
        type="password"
        autocomplete="current-password"
        maxLength={200}
        required
        errorElsewhere={error ? 'confirm-error' : undefined}
      />
      <p class="error" id="confirm-error" role="alert">
        {error}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? 'One moment…' : 'Confirm'}
        </button>
        {hasPasskey && (
          <button
            type="button"
            class="secondary"
            onClick={() => send(() => usePasskey(confirmationChallenge, confirmWithPasskey))}
          >
            Use a passkey
          </button>
        )}
        <button type="button" class="plain" onClick={onCanceled}>
          Cancel
        </button>
      </div>
    </form>
  );
}
