import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useSession } from '../data/session.ts';
import { FormField } from '../form-field.tsx';
import { Heading } from '../heading.tsx';
import {
  addPasskey,
  listPasskeys,
  needsConfirmation,
  type Passkey,
  readSignIn,
  removePasskey,
  type SignInSettings,
  setUpPasskey,
} from './account-api.ts';
import { ConfirmForm } from './confirm-form.tsx';
import { PasskeyList } from './passkey-list.tsx';
import { makePasskey, type Signed } from './use-passkey.ts';

/** What is to be done, again after a confirmation. */
type Change = () => Promise<Signed<{ recovery_codes: string[] } | undefined>>;

/** How one signs in: two-step sign-in, and passkeys to add and remove. */
export function AccountPage() {
  const { onSignedOut } = useSession();
  const [account, setAccount] = useState<SignInSettings | null>(null);
  const [passkeys, setPasskeys] = useState<Passkey[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [codes, setCodes] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const [waiting, setWaiting] = useState<Change | null>(null);
  const form = useRef<HTMLFormElement>(null);

  const read = useCallback(async () => {
    const [person, list] = await Promise.all([readSignIn(), listPasskeys()]);
    if (!person.ok && person.status === 401) return onSignedOut();
    if (!person.ok || !list.ok) return setError('Your account could not be loaded. Reload the page to try again.');
    setAccount(person.value);
    setPasskeys(list.value);
  }, [onSignedOut]);

  useEffect(() => void read(), [read]);

  async function carryOut(change: Change) {
    if (busy) return;
    setBusy(true);
    setError(null);
    setWaiting(null);
    const result = await change();
    setBusy(false);
    if (needsConfirmation(result)) {
      // A function in a state is set by a function.
      setWaiting(() => change);
      return;
    }
    if (!result.ok) setError(result.refusal ?? changeError(result));
    else {
      if (result.value) {
        form.current?.reset();
        setCodes(result.value.recovery_codes);
      }
      await read();
    }
  }

  function submit(event: SubmitEvent) {
    event.preventDefault();
    const entered = new FormData(event.currentTarget as HTMLFormElement).get('passkey-name');
    const name = String(entered ?? '').trim() || 'Passkey';
    void carryOut(() => makePasskey(setUpPasskey, (response) => addPasskey(name, response)));
  }

  return (
    <main class="list-page account-page">
      <Heading title="Your account" />
      {account && passkeys && (
        <>
          <section class="card" aria-labelledby="two-step-title">
            <h2 id="two-step-title">Two-step sign-in</h2>
            <p>
              {account.two_factor
                ? `On: after your password you are asked for a second step. ${account.recovery_codes_left} recovery codes are left.`
                : 'Off: your password is enough to sign in. A passkey switches it on.'}
            </p>
          </section>
          {codes.length > 0 && <RecoveryCodes codes={codes} onStored={() => setCodes([])} />}
          <section class="card" aria-labelledby="passkeys-title">
            <h2 id="passkeys-title">Passkeys</h2>
            <p class="quiet">
              A passkey is on your phone, computer or security key. It only works on this site, so that nobody can ask
              you for it elsewhere.
            </p>
            <PasskeyList
              passkeys={passkeys}
              lastStep={!account.two_factor || passkeys.length === 1}
              onRemove={(id) => carryOut(() => removePasskey(id))}
            />
            <form ref={form} onSubmit={submit} noValidate>
              <FormField
                name="passkey-name"
                label="Name of a new passkey"
                hint="Such as the device it is on."
                autocomplete="off"
                maxLength={80}
              />
              <button type="submit" class="primary" aria-disabled={busy}>
                {busy ? 'One moment…' : 'Add a passkey'}
              </button>
            </form>
          </section>
        </>
      )}
      {waiting && (
        <ConfirmForm
          hasPasskey={(passkeys?.length ?? 0) > 0}
          onConfirmed={() => carryOut(waiting)}
          onCanceled={() => setWaiting(null)}
        />
      )}
      <p class="error" role="alert">
        {error}
      </p>
    </main>
  );
}

function RecoveryCodes({ codes, onStored }: { codes: readonly string[]; onStored: () => void }) {
  return (
    <section class="card recovery-codes" aria-labelledby="codes-title">
      <h2 id="codes-title">Your recovery codes</h2>
      <p>
        Each signs you in once, when your passkey is not at hand. They are shown only now: keep them in a safe place.
      </p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div>
        <button type="button" class="primary" onClick={onStored}>
          I have stored them
        </button>
      </div>
    </section>
  );
}

/** Why a passkey was not added or removed. Status 0: no response. */
function changeError({ status, detail }: { status: number; detail: string }): string {
  if (status === 0) return 'The service cannot be reached. Check your connection and try again.';
  if (status === 401) return 'That took too long. Try again.';
  if (status === 409 && detail.includes('domain')) return 'Passkeys need a domain name; this service has none.';
  if (status === 409) return 'This passkey cannot be added: there is one on this device already, or there are 20.';
  return 'That could not be done. Try again in a moment.';
}
