import { HttpError, ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { confirmWithPasskey, PasskeyRefusal } from '../account/passkeys.ts';
import { needsConfirmation } from '../data/confirmation.ts';
import { problemText } from '../data/problem-text.ts';
import { postAccountConfirm as confirm, getAccountPasskeys as readPasskeys } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { Dialog } from './dialog.tsx';
import { TextField } from './fields.tsx';

interface Confirmed {
  /** Carries it out; where the API asks for a confirmation, asks the person and carries it out again. Throws what it throws. */
  run: <Value>(change: () => Promise<Value>) => Promise<Value>;
  /** The dialog, or nothing; to be drawn on the page. */
  dialog: ComponentChildren;
}

/** For changes that need the password of the last 15 minutes. A person who gives up gets the API's refusal. */
export function useConfirmed(): Confirmed {
  const [asking, setAsking] = useState<{ resolve: (confirmed: boolean) => void } | null>(null);
  const run = async <Value,>(change: () => Promise<Value>): Promise<Value> => {
    try {
      return await change();
    } catch (error) {
      if (!needsConfirmation(error)) throw error;
      const confirmed = await new Promise<boolean>((resolve) => setAsking({ resolve }));
      setAsking(null);
      if (!confirmed) throw error;
      return change();
    }
  };
  const dialog = asking && <ConfirmSession onDone={asking.resolve} />;
  return { run, dialog };
}

function ConfirmSession({ onDone }: { onDone: (confirmed: boolean) => void }) {
  const [password, setPassword] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: ({ signal }) => ok(readPasskeys({}, { signal })) });

  async function submit(event: SubmitEvent) {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    try {
      await ok(confirm({ password }));
      onDone(true);
    } catch (failure) {
      const wrong = failure instanceof HttpError && failure.status === 401;
      setError(wrong ? t('That is not right. Try again.') : problemText(failure, t('Account')));
      setBusy(false);
    }
  }

  async function withPasskey() {
    try {
      await confirmWithPasskey();
      onDone(true);
    } catch (failure) {
      setError(failure instanceof PasskeyRefusal ? failure.message : t('That is not right. Try again.'));
    }
  }

  return (
    <Dialog title={t('Confirm that it is you')} onClose={() => onDone(false)}>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label={t('Password')}
          type="password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
          error={error || undefined}
        />
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={busy}>
            {busy ? t('One moment…') : t('Confirm')}
          </button>
          {(passkeys.data?.length ?? 0) > 0 && (
            <button type="button" class="secondary" onClick={withPasskey}>
              {t('Use a passkey')}
            </button>
          )}
          <button type="button" class="plain" onClick={() => onDone(false)}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
