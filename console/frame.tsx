import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { useSession } from './data/session.ts';
import { Mark, MenuIcon } from './icons.tsx';
import { pageLinks } from './page-links.ts';
import { usePalette } from './palette/use-palette.tsx';
import { t } from './texts/texts.ts';
import { leave } from './ui/leaving.ts';
import { OfflineBar } from './ui/offline-bar.tsx';
import { Toasts } from './ui/toasts.tsx';

/** What stands around every page of a signed-in user: the pages, the workspace, the way out. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { path } = useLocation();
  const { signOut, me } = useSession();
  const { permissions } = me;
  const content = useRef<HTMLDivElement>(null);
  const pages = useMemo(
    () =>
      pageLinks().map((group) =>
        group.filter(({ permission }) => permission === null || permissions.includes(permission)),
      ),
    [permissions],
  );
  const palette = usePalette(useMemo(() => pages.flat(), [pages]));
  const [open, setOpen] = useState(false);
  // Another page was chosen.
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="frame" data-menu={open ? 'open' : 'closed'}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on the page */}
      <a
        class="skip-link"
        href="#content"
        onClick={(event) => {
          // The address stays the page's own.
          event.preventDefault();
          content.current?.focus();
        }}
      >
        {t('Skip to the content')}
      </a>
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
          {palette.button}
          <nav aria-label={t('Pages')}>
            {pages.map(
              (group) =>
                group.length > 0 && (
                  <ul key={group[0]!.href}>
                    {group.map(({ href, text }) => (
                      <li key={href}>
                        <a href={href} aria-current={isAt(path, href) ? 'page' : undefined}>
                          {text}
                        </a>
                      </li>
                    ))}
                  </ul>
                ),
            )}
          </nav>
          <button type="button" class="plain" onClick={() => leave(() => void signOut())}>
            {t('Sign out')}
          </button>
        </div>
      </header>
      <div class="page-content" id="content" ref={content} tabIndex={-1}>
        <OfflineBar />
        {children}
      </div>
      {palette.dialog}
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
      onChange={(event) => {
        const { value } = event.currentTarget;
        // The person may stay.
        event.currentTarget.value = me.workspace?.id ?? '';
        leave(() => chooseWorkspace(value));
      }}
    >
      {open.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}
