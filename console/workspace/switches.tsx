import { ok } from '@oazapfts/runtime';
import { useQueryClient } from '@tanstack/preact-query';
import { patchWorkspaceSecurity, patchWorkspaceSystemLogs, type Workspace } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { useConfirmed } from '../ui/confirmed.tsx';
import { CopyCurl } from '../ui/copy.tsx';
import { CheckField, SelectField } from '../ui/fields.tsx';
import { toast } from '../ui/toasts.tsx';
import { useChange } from './use-change.ts';

type Logs = Workspace['system_logs'];
type Security = Workspace['security'];

/** What of the service's work for the workspace is logged. A change counts at once. */
export function LogsSection({ workspace }: { workspace: Workspace }) {
  const client = useQueryClient();
  const logs = workspace.system_logs;
  const changing = useChange<Partial<Logs>>({
    change: (change) => {
      client.setQueryData(['workspace'], { ...workspace, system_logs: { ...logs, ...change } });
      return ok(patchWorkspaceSystemLogs(change)).catch((error) => {
        client.setQueryData(['workspace'], workspace);
        throw error;
      });
    },
    reads: ['workspace'],
    what: t('the workspace'),
    onDone: () => toast(t('Saved.')),
  });
  return (
    <section class="panel" aria-labelledby="logs-title">
      <h2 id="logs-title">{t('Server logs')}</h2>
      <div class="form">
        <CheckField
          label={t('Write server logs')}
          hint={t('Lines about calls and requests, to find out why something failed.')}
          checked={logs.enabled}
          onChange={(enabled) => changing.send({ enabled })}
        />
        <SelectField
          label={t('Lowest level that is written')}
          value={logs.level}
          disabled={!logs.enabled}
          onChange={(level) => changing.send({ level: level as Logs['level'] })}
          options={[
            { value: 'info', label: t('Everything') },
            { value: 'warning', label: t('Warnings and errors') },
            { value: 'error', label: t('Errors only') },
          ]}
        />
        <p class="error" role="alert">
          {changing.problem}
        </p>
        <div class="buttons">
          <CopyCurl call={(opts) => patchWorkspaceSystemLogs(logs, {}, opts)} />
        </div>
      </div>
    </section>
  );
}

/** What asks for more than a role; only owners see and change it. */
export function SecuritySection({ workspace }: { workspace: Workspace }) {
  const { security } = workspace;
  const confirmed = useConfirmed();
  const changing = useChange<Partial<Security>>({
    change: (change) => confirmed.run(() => ok(patchWorkspaceSecurity(change))),
    reads: ['workspace'],
    what: t('the workspace'),
    onDone: () => toast(t('Saved.')),
  });
  return (
    <section class="panel" aria-labelledby="security-title">
      <h2 id="security-title">{t('Security')}</h2>
      <div class="form">
        <CheckField
          label={t('Ask for the password again')}
          hint={t(
            'Before keys, members, invites, exports and these settings are changed, and before secrets are shown.',
          )}
          checked={security.confirm_password}
          disabled={changing.busy}
          onChange={(confirm_password) => changing.send({ confirm_password })}
        />
        <CheckField
          label={t('Let keys make keys')}
          hint={t('API keys without limits, and connected apps, may then make and rotate keys without a person.')}
          checked={security.keys_may_make_keys}
          disabled={changing.busy}
          onChange={(keys_may_make_keys) => changing.send({ keys_may_make_keys })}
        />
        <p class="error" role="alert">
          {changing.problem}
        </p>
        <div class="buttons">
          <CopyCurl call={(opts) => patchWorkspaceSecurity(security, {}, opts)} />
        </div>
      </div>
      {confirmed.dialog}
    </section>
  );
}
