import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { scopeOf } from '../address.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from './dialog.tsx';
import { guardLeaving } from './leaving.ts';

interface LeaveGuardProps {
  /** Something would be lost. */
  changed: boolean;
  /** The question; without it, that of a form whose changes are not saved. */
  title?: string;
  action?: string;
  children?: ComponentChildren;
}

/** Asks before a link, the browser's Back, signing out or another workspace leads away from what would be lost, or the tab is closed. */
export function LeaveGuard({ changed, title, action, children }: LeaveGuardProps) {
  const { route, url } = useLocation();
  const agreed = useRef(false);
  /** What leaves the page, when the person agrees. */
  const [waiting, setWaiting] = useState<{ go: () => void } | null>(null);
  // Not after the next paint: who leaves at once is asked as well.
  useLayoutEffect(() => {
    if (!changed) return;
    const ask = (go: () => void) => setWaiting({ go });
    const askFor = (href: string) =>
      ask(() => {
        if (scopeOf(location.pathname).test(href)) route(href);
        else location.assign(href);
      });
    const onUnload = (event: BeforeUnloadEvent) => {
      if (!agreed.current) event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a[href]');
      const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
      if (!(link instanceof HTMLAnchorElement) || elsewhere || link.target !== '' || link.origin !== location.origin) {
        return;
      }
      // A file, or a place on this page.
      if (link.download !== '' || link.getAttribute('href')!.startsWith('#')) return;
      event.preventDefault();
      // Nor another guard of the page.
      event.stopImmediatePropagation();
      askFor(link.pathname + link.search);
    };
    const onBack = (event: PopStateEvent) => {
      const wanted = location.pathname + location.search;
      if (wanted === url) return;
      // The browser is there already; the router is not told of it until the person agrees.
      event.stopImmediatePropagation();
      history.pushState(null, '', url);
      askFor(wanted);
    };
    addEventListener('beforeunload', onUnload);
    // Before the router, which listens on the way up.
    document.addEventListener('click', onClick, true);
    const endGuard = guardLeaving({ onBack, ask });
    return () => {
      removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, true);
      endGuard();
    };
  }, [changed, route, url]);
  if (!waiting) return null;
  return (
    <ConfirmDialog
      title={title ?? t('Leave without saving?')}
      action={action ?? t('Leave')}
      onClose={() => setWaiting(null)}
      onConfirm={() => {
        agreed.current = true;
        waiting.go();
      }}
    >
      {children ?? t('What you changed here is lost.')}
    </ConfirmDialog>
  );
}
