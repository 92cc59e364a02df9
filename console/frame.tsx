import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { BILLING_PATH } from './address.ts';
import { useMay, useSession } from './data/session.ts';
import { Mark, MenuIcon } from './icons.tsx';
import { t } from './texts/texts.ts';
import { Toasts } from './ui/toasts.tsx';

export interface PageLink {
  href: string;
  text: string;
  permission: string | null;
}

/** The pages that are linked at the side, in groups, for those who may see them. */
export const pageLinks = (): readonly (readonly PageLink[])[] => [
  [{ href: '/', text: t('Home'), permission: 'calls.view' }],
  [
    { href: '/agents', text: t('Agents'), permission: 'agents.view' },
    { href: '/knowledge', text: t('Knowledge'), permission: 'agents.view' },
    { href: '/tools', text: t('Tools'), permission: 'agents.view' },
    { href: '/numbers', text: t('Numbers'), permission: 'agents.view' },
  ],
  [
    { href: '/calls', text: t('Calls'), permission: 'calls.view' },
    { href: '/batches', text: t('Batches'), permission: 'calls.view' },
  ],
  [
    { href: '/webhooks', text: t('Webhooks'), permission: 'keys.manage' },
    { href: '/logs', text: t('Logs'), permission: 'logs.view' },
  ],
  [
    { href: '/workspace', text: t('Workspace'), permission: 'agents.view' },
    { href: BILLING_PATH, text: t('Billing'), permission: 'billing.view' },
    // Everybody's own.
    { href: '/account', text: t('Account'), permission: null },
  ],
];

/** What stands around every page of a signed-in user: the pages, the workspace, the way out. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const { signOut } = useSession();
  const may = useMay();
  const [open, setOpen] = useState(false);
  // Another page was chosen.
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="frame" data-menu={open ? 'open' : 'closed'}>
      <header class="frame-side">
        <div class="frame-head">
          <a class="brand" href="/">
            <Mark />
            Antiphon
          </a>
          <button
            type="button"
            class="menu-button"
            aria-expanded={open}
            aria-controls="frame-pages"
            aria-label={t('Pages')}
            onClick={() => setOpen(!open)}
          >
            <MenuIcon />
          </button>
        </div>
        <div class="frame-content" id="frame-pages">
          <WorkspaceSelect />
          <nav aria-label={t('Pages')}>
            {pageLinks().map((group) => (
              <ul key={group[0]!.href}>
                {group
                  .filter(({ permission }) => permission === null || may(permission))
                  .map(({ href, text }) => (
                    <li key={href}>
                      <a href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
                        {text}
                      </a>
                    </li>
                  ))}
              </ul>
            ))}
          </nav>
          <button type="button" class="plain" onClick={() => void signOut()}>
            {t('Sign out')}
          </button>
        </div>
      </header>
      <div class="page-content">{children}</div>
      <Toasts />
    </div>
  );
}

const isAt = (path: string, href: string): boolean => path === href || (href !== '/' && path.startsWith(`${href}/`));

function WorkspaceSelect() {
  const { me, chooseWorkspace } = useSession();
  const open = me.workspaces.filter(({ state }) => state !== 'closed');
  if (open.length < 2) return <span class="workspace">{me.workspace?.name}</span>;
  return (
    <select
      class="quiet-select"
      aria-label={t('Workspace')}
      value={me.workspace?.id ?? ''}
      onChange={(event) => chooseWorkspace(event.currentTarget.value)}
    >
      {open.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
