import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { t, tn } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { CopyButton, ShownOnce } from '../ui/copy.tsx';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { AppDialog } from './app-dialog.tsx';
import { type AppWithSecret, deleteApp, getApps, type RegisteredApp, rotateAppSecret } from './apps-api.ts';
import { scopesText } from './scopes.ts';
import { useChange } from './use-change.ts';

type Asking = { what: 'edit' | 'rotate' | 'delete'; app: RegisteredApp } | { what: 'register'; app: null };

/** OAuth apps of the workspace, which people of any workspace may connect. */
export function RegisteredApps() {
  const [asking, setAsking] = useState<Asking | null>(null);
  const [made, setMade] = useState<AppWithSecret | null>(null);
  const apps = useQuery({ queryKey: ['registered-apps'], queryFn: ({ signal }) => ok(getApps({ signal })) });
  const close = () => setAsking(null);
  const onSecret = (app: AppWithSecret) => {
    close();
    if (app.client_secret === null) toast(t('{{name}} is registered.', { name: app.name }));
    else setMade(app);
  };
  return (
    <section class="panel" aria-labelledby="registered-title">
      <div class="page-head">
        <h2 id="registered-title">{t('Apps of this workspace')}</h2>
        <button type="button" class="secondary" onClick={() => setAsking({ what: 'register', app: null })}>
          {t('Register an app')}
        </button>
      </div>
      <p class="quiet">
        {t('A program that people connect to their own workspaces by OAuth 2.0, with the authorization code and PKCE.')}
      </p>
      {made?.client_secret && (
        <ShownOnce
          title={t('The secret of {{name}}.', { name: made.name })}
          secret={made.client_secret}
          onStored={() => setMade(null)}
        />
      )}
      {apps.data ? (
        apps.data.length === 0 ? (
          <p>{t('No app is registered.')}</p>
        ) : (
          <ul class="rows" aria-label={t('Apps of this workspace')}>
            {apps.data.map((app) => (
              <AppRow key={app.client_id} app={app} onAsk={(what) => setAsking({ what, app })} />
            ))}
          </ul>
        )
      ) : apps.isError ? (
        <Problem error={apps.error} what={t('the apps')} onRetry={() => void apps.refetch()} />
      ) : (
        <Loading what={t('the apps')} />
      )}
      {asking?.what === 'register' && <AppDialog app={null} onClose={close} onRegistered={onSecret} />}
      {asking?.what === 'edit' && <AppDialog app={asking.app} onClose={close} onRegistered={onSecret} />}
      {asking?.what === 'rotate' && <RotateSecret app={asking.app} onClose={close} onSecret={onSecret} />}
      {asking?.what === 'delete' && <DeleteApp app={asking.app} onClose={close} />}
    </section>
  );
}

interface AppRowProps {
  app: RegisteredApp;
  onAsk: (what: 'edit' | 'rotate' | 'delete') => void;
}

function AppRow({ app, onAsk }: AppRowProps) {
  const { client_id, name, redirect_uris, confidential, scopes, connections, created_by, created_at } = app;
  const facts = [
    confidential ? t('With a secret') : t('Public, without a secret'),
    tn('{{count}} connection', '{{count}} connections', connections),
    t('made {{time}} by {{name}}', { time: timeText(created_at, Date.now()), name: created_by }),
  ];
  return (
    <li class="key-row">
      <div class="row-text">
        <span>{name}</span>
        <span class="client-id">
          <span class="quiet small">{t('Client ID')}</span> <code>{client_id}</code> <CopyButton text={client_id} />
        </span>
        <span class="quiet small">{redirect_uris.join(' ')}</span>
        <span class="quiet small">{scopesText(scopes)}</span>
        <span class="quiet small">{facts.join(' · ')}</span>
      </div>
      <div class="row-actions">
        <button type="button" class="plain" aria-label={t('Edit {{name}}', { name })} onClick={() => onAsk('edit')}>
          {t('Edit')}
        </button>
        {confidential && (
          <button
            type="button"
            class="plain"
            aria-label={t('New secret for {{name}}', { name })}
            onClick={() => onAsk('rotate')}
          >
            {t('New secret')}
          </button>
        )}
        <button type="button" class="plain" aria-label={t('Delete {{name}}', { name })} onClick={() => onAsk('delete')}>
          {t('Delete')}
        </button>
      </div>
    </li>
  );
}

interface RotateSecretProps {
  app: RegisteredApp;
  onClose: () => void;
  onSecret: (app: AppWithSecret) => void;
}

function RotateSecret({ app, onClose, onSecret }: RotateSecretProps) {
  const confirmed = useConfirmed();
  const rotating = useChange({
    change: () => confirmed.run(() => ok(rotateAppSecret(app.client_id))),
    reads: ['registered-apps'],
    what: t('the apps'),
    onDone: onSecret,
  });
  return (
    <>
      <ConfirmDialog
        title={t('A new secret for {{name}}?', { name: app.name })}
        action={t('Make a new secret')}
        busy={rotating.busy}
        error={rotating.problem}
        onConfirm={() => rotating.send()}
        onClose={onClose}
      >
        {t('The present secret stops working at once. Connections go on with the new one.')}
      </ConfirmDialog>
      {confirmed.dialog}
    </>
  );
}

function DeleteApp({ app, onClose }: { app: RegisteredApp; onClose: () => void }) {
  const deleting = useChange({
    change: () => ok(deleteApp(app.client_id)),
    reads: ['registered-apps', 'connected-apps'],
    what: t('the apps'),
    onDone: () => {
      onClose();
      toast(t('{{name}} is deleted.', { name: app.name }));
    },
  });
  return (
    <ConfirmDialog
      title={t('Delete {{name}}?', { name: app.name })}
      action={t('Delete')}
      busy={deleting.busy}
      error={deleting.problem}
      onConfirm={() => deleting.send()}
      onClose={onClose}
    >
      {t('All its connections end at once, with the keys and webhooks that it made. This cannot be undone.')}
    </ConfirmDialog>
  );
}
