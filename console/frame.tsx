import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { BILLING_PATH } from './address.ts';
import type { Me } from './api-records.ts';
import { Mark } from './icons.tsx';

interface FrameProps {
  me: Me;
  onWorkspace: (id: string) => void;
  onSignOut: () => void;
  children: ComponentChildren;
}

/** The pages that are linked at the top, for those who may see them. */
const LINKS = [
  { href: '/agents', text: 'Agents', permission: 'agents.view' },
  { href: '/calls', text: 'Calls', permission: 'calls.view' },
  { href: BILLING_PATH, text: 'Billing', permission: 'billing.view' },
  // Everybody's own.
  { href: '/account', text: 'Account', permission: null },
] as const;

/** What stands around every page of a signed-in user: the pages, the workspace, the way out. */
export function Frame({ me, onWorkspace, onSignOut, children }: FrameProps) {
  const { path } = useLocation();
  const seen = LINKS.filter(({ permission }) => permission === null || me.permissions.includes(permission));
  const at = path === '/' ? '/agents' : path;
  return (
    <>
      <header class="top">
        <a class="brand" href="/">
          <Mark />
          Antiphon
        </a>
        <nav class="pages" aria-label="Pages">
          {seen.map(({ href, text }) => (
            <a key={href} href={href} aria-current={at === href || at.startsWith(`${href}/`) ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        <div class="who">
          <WorkspaceSelect me={me} onWorkspace={onWorkspace} />
          <button type="button" class="plain" onClick={onSignOut}>
            Sign out
          </button>
        </div>
      </header>
      {children}
    </>
  );
}

function WorkspaceSelect({ me, onWorkspace }: Pick<FrameProps, 'me' | 'onWorkspace'>) {
  const open = me.workspaces.filter(({ state }) => state !== 'closed');
  if (open.length < 2) return <span class="workspace">{me.workspace?.name}</span>;
  return (
    <select
      class="quiet-select"
      aria-label="Workspace"
      value={me.workspace?.id ?? ''}
      onChange={(event) => onWorkspace(event.currentTarget.value)}
    >
      {open.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
