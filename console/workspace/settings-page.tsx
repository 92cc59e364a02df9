import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useMay } from '../data/session.ts';
import { getWorkspace, type Workspace } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { ErasureSection } from './erasure-section.tsx';
import { ExportsSection } from './exports-section.tsx';
import { BasicsForm, ProfileForm } from './profile-forms.tsx';
import { LogsSection, SecuritySection } from './switches.tsx';
import { useIsActive, WorkspaceFrame } from './workspace-frame.tsx';
import { workspaceState } from './workspace-texts.ts';

/** The workspace itself: its name and profile, what is logged, how safe it is, and all its data in an archive. */
export function SettingsPage() {
  const may = useMay();
  const active = useIsActive();
  const workspace = useQuery({ queryKey: ['workspace'], queryFn: ({ signal }) => ok(getWorkspace({}, { signal })) });
  const { data } = workspace;
  return (
    <WorkspaceFrame title={data?.name ?? t('Workspace')} aside={data && <StateChip workspace={data} />}>
      {data ? (
        <>
          <Facts workspace={data} />
          {may('members.manage') && (
            <div class="settings-columns">
              <div>
                <BasicsForm key={data.id} workspace={data} />
                {active && <LogsSection workspace={data} />}
              </div>
              <div>
                <ProfileForm key={`${data.id}-profile`} profile={data.profile} />
                {/* Only owners manage the business details. */}
                {may('kyc.manage') && <SecuritySection workspace={data} />}
              </div>
            </div>
          )}
          {may('kyc.manage') && <ExportsSection />}
          {may('kyc.manage') && <ErasureSection />}
        </>
      ) : workspace.isError ? (
        <Problem error={workspace.error} what={t('the workspace')} onRetry={() => void workspace.refetch()} />
      ) : (
        <Loading what={t('the workspace')} />
      )}
    </WorkspaceFrame>
  );
}

function StateChip({ workspace }: { workspace: Workspace }) {
  const { text, tone } = workspaceState(workspace.state);
  return (
    <span class="chip" data-tone={tone}>
      {text}
    </span>
  );
}

function Facts({ workspace }: { workspace: Workspace }) {
  const facts: [string, string][] = [
    [t('Plan'), workspace.plan_name],
    [t('Currency'), workspace.currency],
    [t('Time zone'), workspace.timezone.replaceAll('_', ' ')],
    [t('Created'), timeText(workspace.created_at, Date.now())],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
