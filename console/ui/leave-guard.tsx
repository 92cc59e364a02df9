import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { scopeOf } from '../address.ts';
import { t } from '../texts/texts.ts';
import { beforeBack } from './back.ts';
import { ConfirmDialog } from './dialog.tsx';

interface LeaveGuardProps {
  /** Something would be lost. */
  changed: boolean;
  /** The question; without it, that of a form whose changes are not saved. */
  title?: string;
  action?: string;
  children?: ComponentChildren;
}

/** Asks before a link or the browser's Back leads away from what would be lost, or the tab is closed. */
export function LeaveGuard({ changed, title, action, children }: LeaveGuardProps) {
  const { route, url } = useLocation();
  const agreed = useRef(false);
  const [href, setHref] = useState('');
  useEffect(() => {
    if (!changed) return;
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
      event.stopPropagation();
      setHref(link.pathname + link.search);
    };
    const onBack = (event: PopStateEvent) => {
      const wanted = location.pathname + location.search;
      if (wanted === url) return;
      // The browser is there already; the router is not told of it until the person agrees.
      event.stopImmediatePropagation();
      history.pushState(null, '', url);
      setHref(wanted);
    };
    addEventListener('beforeunload', onUnload);
    // Before the router, which listens on the way up.
    document.addEventListener('click', onClick, true);
    const stopWatching = beforeBack(onBack);
    return () => {
      removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, true);
      stopWatching();
    };
  }, [changed, url]);
  if (href === '') return null;
  return (
    <ConfirmDialog
      title={title ?? t('Leave without saving?')}
      action={action ?? t('Leave')}
      onClose={() => setHref('')}
      onConfirm={() => {
        agreed.current = true;
        if (scopeOf(location.pathname).test(href)) route(href);
        else location.assign(href);
      }}
    >
      {children ?? t('What you changed here is lost.')}
    </ConfirmDialog>
  );
}
