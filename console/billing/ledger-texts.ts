import type { LedgerItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

export type LedgerKind = LedgerItem['kind'];

/** Why credits moved, in words; the order is that of the choices. */
export const ledgerKinds = (): readonly { kind: LedgerKind; text: string }[] => [
  { kind: 'call', text: t('Calls') },
  { kind: 'topup', text: t('Top-ups') },
  { kind: 'grant', text: t('Free credits') },
  { kind: 'coupon', text: t('Codes') },
  { kind: 'plan', text: t('Plan') },
  { kind: 'lines', text: t('Call lines') },
  { kind: 'number', text: t('Numbers') },
  { kind: 'caller_id', text: t('Caller ids') },
  { kind: 'composer', text: t('Written prompts') },
  { kind: 'test', text: t('Tests of agents') },
  { kind: 'conversion', text: t('Change of currency') },
  { kind: 'adjustment', text: t('Corrections') },
];

export const ledgerKindText = (kind: LedgerKind): string =>
  ledgerKinds().find((each) => each.kind === kind)?.text ?? kind;

export const LEDGER_PAGE = 50;

/** Reads which page the address names; anything odd is the first. */
export const skipIn = (query: Record<string, string>): number =>
  /^\d{1,8}$/.test(query.skip ?? '') ? Number(query.skip) : 0;

/** Which rows a page shows, such as `51–100 of 1,234`. `more`: there are more than `total`. */
export function rangeText(skip: number, shown: number, total: number, more = false): string {
  const range = { from: skip + 1, to: skip + shown, total };
  return more ? t('{{from}}–{{to}} of more than {{total}}', range) : t('{{from}}–{{to}} of {{total}}', range);
}

/** Reads the kind that the address names; null: every kind. */
export const kindIn = (query: Record<string, string>): LedgerKind | null =>
  ledgerKinds().find(({ kind }) => kind === query.kind)?.kind ?? null;

/** The address with another filter, or another page. A filter leads to the first page. */
export function withLedgerFilter(path: string, query: Record<string, string>, name: string, value: string): string {
  const next = new URLSearchParams(query);
  if (name !== 'skip') next.delete('skip');
  if (value === '') next.delete(name);
  else next.set(name, value);
  return next.size === 0 ? path : `${path}?${next}`;
}
