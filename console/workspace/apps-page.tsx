import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useMay } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { toast } from '../ui/toasts.tsx';
import { type ConnectedApp, deleteConnectedApp, getConnectedApps } from './apps-api.ts';
import { RegisteredApps } from './registered-apps.tsx';
import { useChange } from './use-change.ts';
import { useIsActive, WorkspaceFrame } from './workspace-frame.tsx';

/** Apps that act for the person, and those that the workspace offers to people. */
export function AppsPage() {
  const may = useMay();
  const active = useIsActive();
  const connected = useQuery({
    queryKey: ['connected-apps'],
    queryFn: ({ signal }) => ok(getConnectedApps({ signal })),
  });
  return (
    <WorkspaceFrame title={t('Apps')}>
      <section class="panel" aria-labelledby="connected-title">
        <h2 id="connected-title">{t('Apps that you connected')}</h2>
        <p class="quiet">{t('They act for you in a workspace, and may do no more than an API key there.')}</p>
        {connected.data ? (
          connected.data.length === 0 ? (
            <p>{t('No app is connected.')}</p>
          ) : (
            <ul class="rows" aria-label={t('Apps that you connected')}>
              {connected.data.map((each) => (
                <ConnectedRow key={each.id} app={each} />
              ))}
            </ul>
          )
        ) : connected.isError ? (
          <Problem error={connected.error} what={t('the apps')} onRetry={() => void connected.refetch()} />
        ) : (
          <Loading what={t('the apps')} />
        )}
      </section>
      {active && may('members.manage') && <RegisteredApps />}
    </WorkspaceFrame>
  );
}

function ConnectedRow({ app }: { app: ConnectedApp }) {
  const { id, name, workspace_name, created_at, last_used_at } = app;
  const [asking, setAsking] = useState(false);
  const ending = useChange({
    change: () => ok(deleteConnectedApp(id)),
    reads: ['connected-apps', 'registered-apps'],
    what: t('the apps'),
    onDone: () => toast(t('{{name}} is no longer connected.', { name })),
  });
  const text = (at: string) => timeText(at, Date.now());
  return (
    <li>
      <div class="row-text">
        <span>{name}</span>
        <span class="quiet small">
          {t('In {{workspace}} since {{time}}', { workspace: workspace_name, time: text(created_at) })} ·{' '}
          {last_used_at ? t('last used {{time}}', { time: text(last_used_at) }) : t('never used')}
        </span>
      </div>
      <button
        type="button"
        class="plain"
        aria-label={t('Disconnect {{name}}', { name })}
        onClick={() => setAsking(true)}
      >
        {t('Disconnect')}
      </button>
      {asking && (
        <ConfirmDialog
          title={t('Disconnect {{name}}?', { name })}
          action={t('Disconnect')}
          busy={ending.busy}
          error={ending.problem}
          onConfirm={() => ending.send()}
          onClose={() => setAsking(false)}
        >
          {t('It can do nothing more for you. Keys and webhooks that it made stop working too.')}
        </ConfirmDialog>
      )}
    </li>
  );
}
