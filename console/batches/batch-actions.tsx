import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { download } from '../api.ts';
import { changeProblemText } from '../data/problem-text.ts';
import { useMay } from '../data/session.ts';
import {
  type Batch,
  postBatchesBatchIdCancel as cancelBatch,
  deleteBatchesBatchId as deleteBatch,
  postBatchesBatchIdPause as pauseBatch,
  postBatchesBatchIdResume as resumeBatch,
} from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { isOver } from './batch-texts.ts';
import { EditBatch } from './edit-batch.tsx';

/** What can be done with a batch in its present state. */
export function BatchActions({ batch }: { batch: Batch }) {
  const may = useMay();
  const client = useQueryClient();
  const [open, setOpen] = useState<'edit' | 'cancel' | 'delete' | null>(null);
  const changed = (next: Batch) => {
    client.setQueryData(['batch', batch.id], next);
    for (const key of ['batches', 'batch-contacts']) void client.invalidateQueries({ queryKey: [key] });
    setOpen(null);
  };
  const pausing = useMutation({
    mutationFn: () => ok(batch.status === 'paused' ? resumeBatch(batch.id) : pauseBatch(batch.id)),
    onSuccess: changed,
  });
  const { status } = batch;
  const over = isOver(status);
  const mayChange = may('calls.place');
  return (
    <>
      <div class="buttons">
        {mayChange && !over && (
          <button
            type="button"
            class={status === 'paused' ? 'primary' : 'secondary'}
            aria-disabled={pausing.isPending}
            onClick={() => !pausing.isPending && pausing.mutate()}
          >
            {status === 'paused' ? t('Resume') : t('Pause')}
          </button>
        )}
        {mayChange && !over && (
          <button type="button" class="secondary" onClick={() => setOpen('edit')}>
            {t('Edit')}
          </button>
        )}
        <button type="button" class="secondary" onClick={() => void saveResults(batch)}>
          {t('Download the results')}
        </button>
        {mayChange && !over && (
          <button type="button" class="danger" onClick={() => setOpen('cancel')}>
            {t('End the batch')}
          </button>
        )}
        {mayChange && (over || status === 'scheduled') && (
          <button type="button" class="danger" onClick={() => setOpen('delete')}>
            {t('Delete')}
          </button>
        )}
      </div>
      <p class="error" role="alert">
        {pausing.isError && changeProblemText(pausing.error)}
      </p>
      {open === 'edit' && <EditBatch batch={batch} onSaved={changed} onClose={() => setOpen(null)} />}
      {open === 'cancel' && <CancelBatch batch={batch} onDone={changed} onClose={() => setOpen(null)} />}
      {open === 'delete' && <DeleteBatch batch={batch} onClose={() => setOpen(null)} />}
    </>
  );
}

async function saveResults({ id, name }: Batch): Promise<void> {
  const file = `${name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'batch'}.csv`;
  if (!(await download(`/batches/${id}/results`, file))) {
    toast(t('The results could not be read. Try again in a moment.'), { tone: 'error' });
  }
}

interface CancelBatchProps {
  batch: Batch;
  onDone: (batch: Batch) => void;
  onClose: () => void;
}

function CancelBatch({ batch, onDone, onClose }: CancelBatchProps) {
  const canceling = useMutation({ mutationFn: () => ok(cancelBatch(batch.id)), onSuccess: onDone });
  return (
    <ConfirmDialog
      title={t('End this batch?')}
      action={t('End the batch')}
      busy={canceling.isPending}
      error={canceling.isError ? changeProblemText(canceling.error) : undefined}
      onConfirm={() => canceling.mutate()}
      onClose={onClose}
    >
      {t('Nobody else is called. Calls that are live go on. A batch that was ended cannot be resumed.')}
    </ConfirmDialog>
  );
}

function DeleteBatch({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const client = useQueryClient();
  const { route } = useLocation();
  const deleting = useMutation({
    mutationFn: () => ok(deleteBatch(batch.id)),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['batches'] });
      toast(t('The batch was deleted.'));
      route('/batches');
    },
  });
  return (
    <ConfirmDialog
      title={t('Delete this batch?')}
      action={t('Delete')}
      busy={deleting.isPending}
      error={deleting.isError ? changeProblemText(deleting.error) : undefined}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      {t('Its contacts and results are deleted for good. Its calls stay in the list of calls.')}
    </ConfirmDialog>
  );
}
