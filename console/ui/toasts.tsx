import { useEffect, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';

interface Toast {
  id: number;
  text: string;
  tone: 'info' | 'error';
  undo?: (() => void) | undefined;
}

const SHOWN_MS = 7_000;

let toasts: readonly Toast[] = [];
let lastId = 0;
const watchers = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const each of watchers) each();
}

/** Says for some seconds what happened; with `undo`, offers to take it back. */
export function toast(text: string, { tone = 'info', undo }: { tone?: Toast['tone']; undo?: () => void } = {}): void {
  lastId += 1;
  const id = lastId;
  change([...toasts, { id, text, tone, undo }]);
  setTimeout(() => dismiss(id), SHOWN_MS);
}

const dismiss = (id: number) => change(toasts.filter((each) => each.id !== id));

/** Where toasts are shown; once on the page. */
export function Toasts() {
  const [, redraw] = useState(0);
  useEffect(() => {
    const onChange = () => redraw((count) => count + 1);
    watchers.add(onChange);
    return () => {
      watchers.delete(onChange);
    };
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text, tone, undo }) => (
        <div key={id} class="toast" data-tone={tone}>
          <span>{text}</span>
          {undo && (
            <button
              type="button"
              onClick={() => {
                dismiss(id);
                undo();
              }}
            >
              {t('Undo')}
            </button>
          )}
          <button type="button" aria-label={t('Close')} onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
