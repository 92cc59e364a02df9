import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { scopeOf } from '../address.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from './dialog.tsx';

/** Asks before a link leads away from a form with changes that are not saved, or the tab is closed. */
export function LeaveGuard({ changed }: { changed: boolean }) {
  const { route } = useLocation();
  const [href, setHref] = useState('');
  useEffect(() => {
    if (!changed) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element).closest?.('a[href]');
      const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0;
      if (!(link instanceof HTMLAnchorElement) || elsewhere || link.target !== '' || link.origin !== location.origin) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      setHref(link.pathname + link.search);
    };
    addEventListener('beforeunload', onUnload);
    // Before the router, which listens on the way up.
    document.addEventListener('click', onClick, true);
    return () => {
      removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, true);
    };
  }, [changed]);
  if (href === '') return null;
  return (
    <ConfirmDialog
      title={t('Leave without saving?')}
      action={t('Leave')}
      onClose={() => setHref('')}
      onConfirm={() => (scopeOf(location.pathname).test(href) ? route(href) : location.assign(href))}
    >
      {t('What you changed here is lost.')}
    </ConfirmDialog>
  );
}
