import { ok } from '@oazapfts/runtime';
import { useMutation } from '@tanstack/preact-query';
import { formProblemText } from '../data/problem-text.ts';
import { type Batch, patchBatchesBatchId as patchBatch } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { NumberField, TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';

interface EditBatchProps {
  batch: Batch;
  onSaved: (batch: Batch) => void;
  onClose: () => void;
}

/** What of a batch can still be changed after it was made. */
export function EditBatch({ batch, onSaved, onClose }: EditBatchProps) {
  const { name, webhook_url, concurrency } = batch;
  const form = useForm({ name, webhook_url, concurrency });
  const { values, set, errors } = form;
  const saving = useMutation({
    mutationFn: () => ok(patchBatch(batch.id, values)),
    onSuccess: onSaved,
    onError: (error) => form.showErrors(error),
  });
  return (
    <Dialog title={t('Edit the batch')} onClose={onClose}>
      <form
        class="form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!saving.isPending) saving.mutate();
        }}
      >
        <TextField
          label={t('Name of the batch')}
          value={values.name}
          onChange={(next) => set('name', next)}
          maxLength={120}
          error={errors.name}
        />
        <NumberField
          label={t('Calls at the same time at most')}
          value={values.concurrency}
          onChange={(next) => set('concurrency', next)}
          min={1}
          max={100}
          step={1}
          error={errors.concurrency}
        />
        <TextField
          label={t('Webhook of this batch')}
          type="url"
          placeholder="https://"
          value={values.webhook_url}
          onChange={(next) => set('webhook_url', next)}
          error={errors.webhook_url}
        />
        <p class="error" role="alert">
          {formProblemText(saving.error)}
        </p>
        <div class="buttons">
          <button type="submit" class="primary" aria-disabled={saving.isPending}>
            {saving.isPending ? t('One moment…') : t('Save')}
          </button>
          <button type="button" class="secondary" onClick={onClose}>
            {t('Cancel')}
          </button>
          <CopyCurl call={(opts) => patchBatch(batch.id, values, {}, opts)} />
        </div>
      </form>
    </Dialog>
  );
}
