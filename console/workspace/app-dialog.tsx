import { ok, type RequestOpts } from '@oazapfts/runtime';
import { t } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';
import { type AppWithSecret, patchApp, postApps, type RegisteredApp } from './apps-api.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { ScopeField } from './scope-field.tsx';
import type { Scope } from './scopes.ts';
import { useChange } from './use-change.ts';
import { listOf } from './workspace-texts.ts';

interface AppDialogProps {
  /** Null: a new one. */
  app: RegisteredApp | null;
  onClose: () => void;
  onRegistered: (app: AppWithSecret) => void;
}

/** Registers an app, or changes its name and addresses; its scopes stay, because people consented to them. */
export function AppDialog({ app, onClose, onRegistered }: AppDialogProps) {
  const form = useForm({
    name: app?.name ?? '',
    redirect_uris: app?.redirect_uris.join('\n') ?? '',
    confidential: app?.confidential ?? true,
    scopes: (app?.scopes ?? null) as Scope[] | null,
  });
  const confirmed = useConfirmed();
  const { values, errors, set } = form;
  const call = (opts?: RequestOpts) => {
    const { name, confidential, scopes } = values;
    const redirect_uris = listOf(values.redirect_uris);
    if (app) return patchApp(app.client_id, { name, redirect_uris }, opts);
    return postApps({ name, redirect_uris, confidential, ...(scopes === null ? {} : { scopes }) }, opts);
  };
  const saving = useChange({
    change: () => confirmed.run(() => ok(call())),
    reads: ['registered-apps'],
    what: t('the apps'),
    form,
    onDone: (saved) => (app ? onClose() : onRegistered(saved as AppWithSecret)),
  });
  // `redirect_uris.0`: one of the lines.
  const addressError = Object.entries(errors).find(([path]) => path.startsWith('redirect_uris'))?.[1];
  return (
    <>
      <Dialog title={app ? t('Edit {{name}}', { name: app.name }) : t('Register an app')} onClose={onClose}>
        <form class="form" onSubmit={onSubmit(() => saving.send())} noValidate>
          <TextField
            label={t('Name')}
            hint={t('People see it when they connect the app.')}
            value={values.name}
            error={errors.name}
            maxLength={80}
            onChange={(value) => set('name', value)}
          />
          <TextArea
            label={t('Redirect addresses')}
            hint={t('Where people are sent back to, one to a line: https, or http on this machine itself.')}
            rows={3}
            placeholder="https://app.example.com/callback"
            value={values.redirect_uris}
            error={addressError}
            onChange={(value) => set('redirect_uris', value)}
          />
          {!app && (
            <>
              <CheckField
                label={t('It can keep a secret')}
                hint={t('A server can. An app on a phone, or in a page, cannot: it needs none.')}
                checked={values.confidential}
                onChange={(value) => set('confidential', value)}
              />
              <ScopeField value={values.scopes} error={errors.scopes} onChange={(value) => set('scopes', value)} />
              <p class="quiet small">{t('What it may do cannot be changed later, because people agree to it.')}</p>
            </>
          )}
          <FormEnd action={app ? t('Save') : t('Register')} busy={saving.busy} problem={saving.problem} call={call} />
        </form>
      </Dialog>
      {confirmed.dialog}
    </>
  );
}
