import type { ComponentChildren } from 'preact';
import { problemText } from '../data/problem-text.ts';
import { t } from '../texts/texts.ts';

/** What a page shows in place of data that is not there: on its way, failed, or none yet. `what` is in the person's language. */

export function Loading({ what }: { what: string }) {
  return (
    <p class="state quiet" role="status">
      {t('Loading {{what}} …', { what })}
    </p>
  );
}

export function Problem({ error, what, onRetry }: { error: unknown; what: string; onRetry: () => void }) {
  return (
    <div class="state" role="alert">
      <p>{problemText(error, what)}</p>
      <button type="button" class="secondary" onClick={onRetry}>
        {t('Try again')}
      </button>
    </div>
  );
}

export function Nothing({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <p>{title}</p>
      {children && <div class="quiet">{children}</div>}
    </div>
  );
}
