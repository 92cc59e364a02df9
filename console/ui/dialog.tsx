import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';

interface DialogProps {
  title: string;
  /** Also called for Escape and a click beside it. */
  onClose: () => void;
  wide?: boolean;
  children: ComponentChildren;
}

/** A dialog over the page; it has the focus until it closes, which then goes back to where it was. */
export function Dialog({ title, onClose, wide = false, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = element.current!;
    dialog.showModal();
    return () => dialog.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape, which is `onCancel`
    <dialog
      ref={element}
      class={wide ? 'dialog wide-dialog' : 'dialog'}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div class="dialog-content">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmDialogProps {
  title: string;
  /** What happens, and what of it cannot be undone. */
  children: ComponentChildren;
  /** The verb on the button, such as `Delete`. */
  action: string;
  busy?: boolean;
  error?: string | undefined;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  title,
  children,
  action,
  busy = false,
  error,
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div>{children}</div>
      <p class="error" role="alert">
        {error}
      </p>
      <div class="buttons">
        <button type="button" class="danger" aria-disabled={busy} onClick={() => !busy && onConfirm()}>
          {busy ? t('One moment…') : action}
        </button>
        <button type="button" class="secondary" onClick={onClose}>
          {t('Cancel')}
        </button>
      </div>
    </Dialog>
  );
}
