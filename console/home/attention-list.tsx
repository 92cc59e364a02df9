import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useMay } from '../data/session.ts';
import {
  getBilling as readBalance,
  getBatches as readBatches,
  getWebhooksDeliveries as readDeliveries,
  getGuardrailsIncidents as readIncidents,
  getObservabilitySummary as readSummary,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { attentionOf } from './attention.ts';
import { countedBy } from './periods.ts';

const REFRESH_MS = 60_000;

/** What a person should look at, each with the page where that is; nothing while all is well. */
export function AttentionList() {
  const may = useMay();
  const often = { refetchInterval: REFRESH_MS };
  const balance = useQuery({
    ...{ queryKey: ['balance'], enabled: may('billing.view'), ...often },
    queryFn: ({ signal }) => ok(readBalance({}, { signal })),
  });
  const lastDay = useQuery({
    ...{ queryKey: ['summary', 'day'], ...often },
    queryFn: ({ signal }) => ok(readSummary(countedBy('day', Date.now()), { signal })),
  });
  const incidents = useQuery({
    ...{ queryKey: ['incidents', 'open'], ...often },
    queryFn: ({ signal }) => ok(readIncidents({ status: ['open'] }, { signal })),
  });
  const paused = useQuery({
    ...{ queryKey: ['batches', 'paused'], ...often },
    queryFn: ({ signal }) => ok(readBatches({ status: ['paused'] }, { signal })),
  });
  const failed = useQuery({
    ...{ queryKey: ['deliveries', 'failed of a day'], enabled: may('keys.manage'), ...often },
    queryFn: ({ signal }) =>
      ok(readDeliveries({ status: ['failed'], since: countedBy('day', Date.now()).since, limit: 1 }, { signal })),
  });
  const found = attentionOf({
    balance: balance.data,
    totals: lastDay.data?.totals,
    incidents: incidents.data,
    pausedBatches: paused.data?.items,
    failedDeliveries: failed.data?.total,
  });
  if (found.length === 0) return null;
  return (
    <section aria-labelledby="attention-title">
      <h2 id="attention-title" class="hidden-title">
        {t('Needs attention')}
      </h2>
      <ul class="attention">
        {found.map(({ text, href, urgent }) => (
          <li key={text} class={urgent ? 'notice urgent' : 'notice'}>
            <span>{text}</span> <a href={href}>{t('Look')}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}
