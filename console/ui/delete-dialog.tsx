import { useMutation } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { changeProblemText } from '../data/problem-text.ts';
import { t } from '../texts/texts.ts';
import { ConfirmDialog } from './dialog.tsx';

interface DeleteDialogProps {
  /** What is deleted. */
  name: string;
  /** What goes with it. */
  children: ComponentChildren;
  send: () => Promise<unknown>;
  onDeleted: () => unknown;
  onClose: () => void;
}

/** Asks before something with a name is deleted, deletes it, and says why it was not. */
export function DeleteDialog({ name, children, send, onDeleted, onClose }: DeleteDialogProps) {
  const deleting = useMutation({ mutationFn: send, onSuccess: onDeleted });
  return (
    <ConfirmDialog
      title={t('Delete {{name}}?', { name })}
      action={t('Delete')}
      busy={deleting.isPending}
      error={deleting.isError ? changeProblemText(deleting.error) : undefined}
      onConfirm={() => deleting.mutate()}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  );
}
