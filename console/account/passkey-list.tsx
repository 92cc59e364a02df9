import { useState } from 'preact/hooks';
import type { Passkey } from '../generated/api.ts';
import { locale, t } from '../texts/texts.ts';
import { ConfirmDialog, Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/fields.tsx';

const day = (time: string) => new Date(time).toLocaleDateString(locale(), { dateStyle: 'medium' });

interface PasskeyListProps {
  passkeys: readonly Passkey[];
  /** Without this one the password is enough to sign in. */
  lastStep: boolean;
  onRemove: (id: string) => void;
  onRename: (id: string, name: string) => void;
}

/** The passkeys, each with what renames and removes it. */
export function PasskeyList({ passkeys, lastStep, onRemove, onRename }: PasskeyListProps) {
  const [asked, setAsked] = useState<{ passkey: Passkey; what: 'remove' | 'rename' } | null>(null);
  if (passkeys.length === 0) return <p class="quiet">{t('There are none yet.')}</p>;
  const close = () => setAsked(null);
  return (
    <>
      <ul class="rows">
        {passkeys.map((passkey) => (
          <li key={passkey.id}>
            <span class="row-text">
              <span>
                {passkey.name} {passkey.synced && <span class="chip">{t('on several devices')}</span>}
              </span>
              <span class="quiet small">{usedText(passkey)}</span>
            </span>
            <span class="row-buttons">
              <button
                type="button"
                class="plain"
                aria-label={t('Rename {{name}}', { name: passkey.name })}
                onClick={() => setAsked({ passkey, what: 'rename' })}
              >
                {t('Rename')}
              </button>
              <button
                type="button"
                class="plain"
                aria-label={t('Remove {{name}}', { name: passkey.name })}
                onClick={() => setAsked({ passkey, what: 'remove' })}
              >
                {t('Remove')}
              </button>
            </span>
          </li>
        ))}
      </ul>
      {asked?.what === 'remove' && (
        <ConfirmDialog
          title={t('Remove {{name}}?', { name: asked.passkey.name })}
          action={t('Remove')}
          onConfirm={() => {
            close();
            onRemove(asked.passkey.id);
          }}
          onClose={close}
        >
          {lastStep
            ? t('It is your last second step: without it your password is enough to sign in.')
            : t('You cannot sign in with it any more.')}
        </ConfirmDialog>
      )}
      {asked?.what === 'rename' && (
        <RenameDialog
          passkey={asked.passkey}
          onRename={(name) => {
            close();
            onRename(asked.passkey.id, name);
          }}
          onClose={close}
        />
      )}
    </>
  );
}

const usedText = ({ created_at, last_used_at }: Passkey): string =>
  last_used_at
    ? t('added {{day}} · last used {{used}}', { day: day(created_at), used: day(last_used_at) })
    : t('added {{day}} · not used yet', { day: day(created_at) });

interface RenameDialogProps {
  passkey: Passkey;
  onRename: (name: string) => void;
  onClose: () => void;
}

function RenameDialog({ passkey, onRename, onClose }: RenameDialogProps) {
  const [name, setName] = useState(passkey.name);
  const [empty, setEmpty] = useState(false);

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (name.trim() === '') setEmpty(true);
    else onRename(name.trim());
  }

  return (
    <Dialog title={t('Rename {{name}}', { name: passkey.name })} onClose={onClose}>
      <form class="form" onSubmit={submit} noValidate>
        <TextField
          label={t('Name')}
          maxLength={80}
          value={name}
          onChange={setName}
          error={empty ? t('Enter a name.') : undefined}
        />
        <div class="buttons">
          <button type="submit" class="primary">
            {t('Save')}
          </button>
          <button type="button" class="plain" onClick={onClose}>
            {t('Cancel')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
