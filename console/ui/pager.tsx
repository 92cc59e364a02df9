import { t, tn } from '../texts/texts.ts';

interface PagerProps {
  /** From 0. */
  page: number;
  pageSize: number;
  total: number;
  /** There are more than `total`. */
  isMinimum?: boolean | undefined;
  hrefOf: (page: number) => string;
}

/** Links to the pages before and after, and how much there is. */
export function Pager({ page, pageSize, total, isMinimum = false, hrefOf }: PagerProps) {
  const last = Math.max(0, Math.ceil(total / pageSize) - 1);
  const text = tn('{{count}} entry', '{{count}} entries', total);
  return (
    <nav class="pager" aria-label={t('Pages of the list')}>
      <span class="quiet">{isMinimum ? t('More than {{entries}}', { entries: text }) : text}</span>
      {page > 0 && <a href={hrefOf(page - 1)}>{t('Newer')}</a>}
      {page < last && <a href={hrefOf(page + 1)}>{t('Older')}</a>}
    </nav>
  );
}
