import type { Batch } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { progressParts } from './batch-texts.ts';

/** How far a batch is, by outcome; the colours say which. */
export function ProgressBar({ batch }: { batch: Pick<Batch, 'counts' | 'total' | 'progress'> }) {
  return (
    <div
      class="progress-bar"
      role="progressbar"
      aria-label={t('Progress')}
      aria-valuenow={batch.progress}
      aria-valuemin={0}
      aria-valuemax={100}
    >
      {progressParts(batch).map(({ part, percent }) => (
        <span key={part} data-part={part} style={{ width: `${percent}%` }} />
      ))}
    </div>
  );
}
