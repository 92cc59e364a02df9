import { ok } from '@oazapfts/runtime';
import { useMutation, useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import type { ApiCall } from '../data/curl.ts';
import { formProblemText } from '../data/problem-text.ts';
import {
  deleteKnowledgeBasesKbId as deleteBase,
  type KnowledgeBase,
  patchKnowledgeBasesKbId as patchBase,
  postKnowledgeBases as postBase,
} from '../generated/api.ts';
import { t, tn } from '../texts/texts.ts';
import { CopyCurl } from '../ui/copy.tsx';
import { DeleteDialog } from '../ui/delete-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextArea, TextField } from '../ui/fields.tsx';
import { useForm } from '../ui/use-form.ts';

interface BaseDialogProps {
  /** Missing: a new one. */
  base?: KnowledgeBase;
  onClose: () => void;
  onSaved: (base: KnowledgeBase) => void;
}

/** Makes a knowledge base, or renames and describes one. */
export function BaseDialog({ base, onClose, onSaved }: BaseDialogProps) {
  const client = useQueryClient();
  const form = useForm({ name: base?.name ?? '', description: base?.description ?? '' });
  const call = (opts?: Parameters<ApiCall>[0]) =>
    base ? patchBase(base.id, form.values, {}, opts) : postBase(form.values, {}, opts);
  const saving = useMutation({
    mutationFn: () => (base ? ok(patchBase(base.id, form.values)) : ok(postBase(form.values))),
    onSuccess: (saved) => {
      void client.invalidateQueries({ queryKey: ['knowledge-bases'] });
      void client.invalidateQueries({ queryKey: ['knowledge-base', saved.id] });
      onSaved(saved);
    },
    onError: (error) => void form.showErrors(error),
  });
  return (
    <Dialog title={base ? t('Name and description') : t('New knowledge base')} onClose={onClose}>
      <SendForm
        action={base ? t('Save') : t('Make it')}
        busy={saving.isPending}
        error={formProblemText(saving.error)}
        call={call}
        onSubmit={() => saving.mutate()}
        onClose={onClose}
      >
        <TextField
          label={t('Name')}
          value={form.values.name}
          onChange={(value) => form.set('name', value)}
          error={form.errors.name}
          maxLength={120}
        />
        <TextArea
          label={t('Description')}
          hint={t('For people: agents do not read it.')}
          value={form.values.description}
          onChange={(value) => form.set('description', value)}
          error={form.errors.description}
          maxLength={500}
          rows={3}
        />
      </SendForm>
    </Dialog>
  );
}

interface SendFormProps {
  action: string;
  busy: boolean;
  error: string;
  call: ApiCall;
  onSubmit: () => void;
  onClose: () => void;
  children: ComponentChildren;
}

/** A form within a dialog, with its buttons. */
export function SendForm({ action, busy, error, call, onSubmit, onClose, children }: SendFormProps) {
  return (
    <form
      class="form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy) onSubmit();
      }}
    >
      {children}
      <p class="error" role="alert">
        {error}
      </p>
      <div class="buttons">
        <button type="submit" class="primary" aria-disabled={busy}>
          {busy ? t('One moment…') : action}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          {t('Cancel')}
        </button>
        <CopyCurl call={call} />
      </div>
    </form>
  );
}

interface DeleteBaseProps {
  base: KnowledgeBase;
  onClose: () => void;
  onDeleted: () => void;
}

export function DeleteBase({ base, onClose, onDeleted }: DeleteBaseProps) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      name={base.name}
      send={() => ok(deleteBase(base.id))}
      onDeleted={() => {
        onDeleted();
        void client.invalidateQueries({ queryKey: ['knowledge-bases'] });
      }}
      onClose={onClose}
    >
      <p>
        {base.source_count === 0
          ? t('There is nothing in it.')
          : tn(
              'Its {{count}} source goes with it. This cannot be undone.',
              'Its {{count}} sources go with it. This cannot be undone.',
              base.source_count,
            )}
      </p>
    </DeleteDialog>
  );
}
