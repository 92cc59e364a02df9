import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useRef } from 'preact/hooks';
import { useReachability } from '../data/reachable.ts';
import { t } from '../texts/texts.ts';

/** Says that the service cannot be reached, for as long as that lasts; then what the page shows is read again. */
export function OfflineBar() {
  const state = useReachability();
  const client = useQueryClient();
  const wasAway = useRef(false);
  useEffect(() => {
    if (state === 'reachable' && wasAway.current) void client.invalidateQueries();
    wasAway.current = state !== 'reachable';
  }, [state, client]);
  return (
    <div class="offline-bar" role="status">
      {state === 'offline' && <p>{t('This browser is offline. What you see may be old.')}</p>}
      {state === 'unreachable' && <p>{t('The service cannot be reached. It is asked again every few seconds.')}</p>}
    </div>
  );
}
