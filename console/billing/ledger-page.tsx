import { ok } from '@oazapfts/runtime';
import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useLocation } from 'preact-iso';
import { type LedgerItem, getBillingLedger as readLedger } from '../generated/api.ts';
import { serviceText } from '../texts/service-text.ts';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Nothing, Problem } from '../ui/states.tsx';
import { BillingHead } from './billing-head.tsx';
import {
  kindIn,
  LEDGER_PAGE,
  ledgerKinds,
  ledgerKindText,
  rangeText,
  skipIn,
  withLedgerFilter,
} from './ledger-texts.ts';
import { money } from './money.ts';

/** Every movement of credits, newest first; the kind and the page are in the address. */
export function LedgerPage() {
  const { path, query, route } = useLocation();
  const kind = kindIn(query);
  const skip = skipIn(query);
  const ledger = useQuery({
    queryKey: ['billing', 'ledger', kind, skip],
    queryFn: ({ signal }) => ok(readLedger({ ...(kind && { kind }), limit: LEDGER_PAGE, skip }, { signal })),
    placeholderData: keepPreviousData,
  });
  const set = (name: string, value: string) => route(withLedgerFilter(path, query, name, value), true);
  const { items = [], total = 0, total_is_estimate: more = false } = ledger.data ?? {};
  return (
    <main class="list-page billing-page">
      <BillingHead title={t('Ledger')} />
      <search class="filters" aria-label={t('Filters')}>
        <label class="filter">
          <span>{t('What for')}</span>
          <select value={kind ?? ''} onChange={(event) => set('kind', event.currentTarget.value)}>
            <option value="">{t('Everything')}</option>
            {ledgerKinds().map(({ kind, text }) => (
              <option key={kind} value={kind}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </search>
      {ledger.isPending ? (
        <Loading what={t('the ledger')} />
      ) : !ledger.data ? (
        <Problem error={ledger.error} what={t('the ledger')} onRetry={() => void ledger.refetch()} />
      ) : items.length === 0 ? (
        <Nothing title={kind ? t('There is nothing of this kind.') : t('No credits have moved yet.')} />
      ) : (
        <>
          <LedgerTable items={items} />
          <nav class="paging" aria-label={t('Pages of the ledger')}>
            <span class="quiet" role="status">
              {rangeText(skip, items.length, total, more)}
            </span>
            {skip > 0 && (
              <button type="button" class="secondary" onClick={() => set('skip', pageAt(skip - LEDGER_PAGE))}>
                {t('Newer')}
              </button>
            )}
            {(more || skip + items.length < total) && (
              <button type="button" class="secondary" onClick={() => set('skip', pageAt(skip + LEDGER_PAGE))}>
                {t('Older')}
              </button>
            )}
          </nav>
        </>
      )}
    </main>
  );
}

/** The first page has no number in its address. */
const pageAt = (skip: number): string => (skip > 0 ? String(skip) : '');

function LedgerTable({ items }: { items: readonly LedgerItem[] }) {
  const nowMs = Date.now();
  return (
    <table class="table ledger">
      <thead>
        <tr>
          <th scope="col">{t('What for')}</th>
          <th scope="col" class="number">
            {t('Amount')}
          </th>
          <th scope="col" class="number">
            {t('Credits after it')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={item.id}>
            <td>
              {item.call_id ? <a href={`/calls/${item.call_id}`}>{noteOf(item)}</a> : noteOf(item)}
              <span class="quiet small ledger-facts">
                {[timeText(item.at, nowMs), ledgerKindText(item.kind), item.by_name].filter(Boolean).join(' · ')}
              </span>
            </td>
            <td class="number" data-sign={item.amount_paise > 0 ? 'plus' : undefined}>
              {item.amount_paise > 0 ? '+' : ''}
              {money(item.amount_paise, item.currency, { column: true })}
            </td>
            <td class="number quiet">{money(item.balance_after_paise, item.currency, { column: true })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function noteOf({ note, kind }: LedgerItem): string {
  if (note === '') return ledgerKindText(kind);
  const text = serviceText(note);
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}
