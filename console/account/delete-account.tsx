import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useSession } from '../data/session.ts';
import { type Account, deleteAccount } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';
import { passwordProblemText } from './account-texts.ts';

/** The end of the account: asked about in a dialog, with the address typed. */
export function DeleteAccount({ account }: { account: Account }) {
  const [asked, setAsked] = useState(false);
  return (
    <section class="card" aria-labelledby="delete-title">
      <h2 id="delete-title">{t('Delete the account')}</h2>
      <p class="quiet">
        {t('You leave all workspaces. Those where nobody else is are closed, with their agents and numbers.')}
      </p>
      <div>
        <button type="button" class="danger" onClick={() => setAsked(true)}>
          {t('Delete the account')}
        </button>
      </div>
      {asked && <DeleteDialog email={account.email} onClose={() => setAsked(false)} />}
    </section>
  );
}

function DeleteDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const { signOut } = useSession();
  const [typed, setTyped] = useState('');
  const [password, setPassword] = useState('');
  const [unlike, setUnlike] = useState(false);
  const end = useMutation({
    mutationFn: (body: { password: string }) => ok(deleteAccount(body)),
    onSuccess: () => signOut(),
  });

  function confirm() {
    const same = typed.trim().toLowerCase() === email.toLowerCase();
    setUnlike(!same);
    if (same) end.mutate({ password });
  }

  return (
    <ConfirmDialog
      title={t('Delete the account?')}
      action={t('Delete')}
      busy={end.isPending}
      error={end.isError ? passwordProblemText(end.error) : undefined}
      onConfirm={confirm}
      onClose={onClose}
    >
      <div class="form">
        <p>{t('This cannot be undone.')}</p>
        <TextField
          label={t('Type {{email}} to confirm', { email })}
          value={typed}
          onChange={setTyped}
          error={unlike ? t('That is not the address of your account.') : undefined}
        />
        <TextField
          label={t('Your password')}
          type="password"
          autocomplete="current-password"
          value={password}
          onChange={setPassword}
        />
      </div>
    </ConfirmDialog>
  );
}
