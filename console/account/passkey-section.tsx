import { ok } from '@oazapfts/runtime';
import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import {
  type Account,
  getAccountPasskeys as readPasskeys,
  deleteAccountPasskeysPasskeyId as removePasskey,
  patchAccountPasskeysPasskeyId as renamePasskey,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { TextField } from '../ui/fields.tsx';
import { Loading, Problem } from '../ui/states.tsx';
import { passkeyProblemText } from './account-texts.ts';
import { PasskeyList } from './passkey-list.tsx';
import { makePasskey } from './passkeys.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { useAccountChanged } from './use-account.ts';

/** The passkeys of the person, to add, rename and remove. */
export function PasskeySection({ account }: { account: Account }) {
  const client = useQueryClient();
  const accountChanged = useAccountChanged();
  const { run, dialog } = useConfirmed();
  const [name, setName] = useState('');
  const [codes, setCodes] = useState<readonly string[]>([]);
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: ({ signal }) => ok(readPasskeys({}, { signal })) });
  const readAgain = () => {
    void client.invalidateQueries({ queryKey: ['passkeys'] });
    accountChanged();
  };
  const change = useMutation({
    mutationFn: (make: () => Promise<unknown>) => run(make),
    onSuccess: readAgain,
  });

  function add(event: SubmitEvent) {
    event.preventDefault();
    if (change.isPending) return;
    change.mutate(async () => {
      const { recovery_codes } = await makePasskey(name.trim() || t('Passkey'));
      setCodes(recovery_codes);
      setName('');
    });
  }

  return (
    <>
      {codes.length > 0 && <RecoveryCodes codes={codes} onStored={() => setCodes([])} />}
      <section class="card" aria-labelledby="passkeys-title">
        <h2 id="passkeys-title">{t('Passkeys')}</h2>
        <p class="quiet">
          {t(
            'A passkey is on your phone, computer or security key. It only works on this site, so that nobody can ask you for it elsewhere.',
          )}
        </p>
        {passkeys.data ? (
          <PasskeyList
            passkeys={passkeys.data}
            lastStep={!account.authenticator && passkeys.data.length === 1}
            onRemove={(id) => change.mutate(() => ok(removePasskey(id)))}
            onRename={(id, name) => change.mutate(() => ok(renamePasskey(id, { name })))}
          />
        ) : passkeys.isPending ? (
          <Loading what={t('your passkeys')} />
        ) : (
          <Problem error={passkeys.error} what={t('your passkeys')} onRetry={() => void passkeys.refetch()} />
        )}
        <form onSubmit={add} noValidate>
          <TextField
            label={t('Name of a new passkey')}
            hint={t('Such as the device it is on.')}
            maxLength={80}
            value={name}
            onChange={setName}
          />
          <button type="submit" class="primary" aria-disabled={change.isPending}>
            {change.isPending ? t('One moment…') : t('Add a passkey')}
          </button>
        </form>
        <p class="error" role="alert">
          {change.isError && passkeyProblemText(change.error)}
        </p>
      </section>
      {dialog}
    </>
  );
}
