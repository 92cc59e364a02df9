import type { ComponentChildren } from 'preact';
import { useMay, useSession } from '../data/session.ts';
import { Heading } from '../heading.tsx';
import { t } from '../texts/texts.ts';
import { Tabs } from '../ui/tabs.tsx';
import './workspace.css';

interface WorkspaceFrameProps {
  title: string;
  /** Beside the heading. */
  aside?: ComponentChildren;
  children: ComponentChildren;
}

/** A page of the workspace: its heading, and the tabs to the others. */
export function WorkspaceFrame({ title, aside, children }: WorkspaceFrameProps) {
  const may = useMay();
  const active = useIsActive();
  const tabs = [
    { href: '/workspace', text: t('Settings'), shown: true },
    { href: '/workspace/members', text: t('Members'), shown: may('members.view') },
    { href: '/workspace/keys', text: t('API keys'), shown: active },
    { href: '/workspace/kyc', text: t('Business details'), shown: may('kyc.manage') },
    { href: '/workspace/limits', text: t('Limits'), shown: true },
    { href: '/workspace/guardrails', text: t('Guardrails'), shown: active },
    { href: '/workspace/apps', text: t('Apps'), shown: true },
  ];
  return (
    <main class="wide-page workspace-page">
      <div class="page-head">
        <Heading title={title} />
        {aside}
      </div>
      <Tabs label={t('Workspace')} tabs={tabs.filter(({ shown }) => shown)} />
      {children}
    </main>
  );
}

/** Returns whether the workspace is active; until then only some pages have something to show. */
export const useIsActive = (): boolean => useSession().me.workspace?.state === 'active';
