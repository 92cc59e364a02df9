import type { ComponentChildren } from 'preact';
import { t } from '../texts/texts.ts';

interface EditedListProps<Item> {
  items: readonly Item[];
  max: number;
  /** On the button that adds one. */
  add: string;
  itemName: (item: Item, at: number) => string;
  empty: () => Item;
  error?: string | undefined;
  onChange: (items: Item[]) => void;
  children: (item: Item, change: (fields: Partial<Item>) => void, at: number) => ComponentChildren;
}

/** A list whose items are edited in place; each can be moved up and removed. */
export function EditedList<Item extends object>(props: EditedListProps<Item>) {
  const { items, max, add, itemName, empty, error, onChange, children } = props;
  const changed = (at: number, fields: Partial<Item>) =>
    items.map((item, index) => (index === at ? { ...item, ...fields } : item));
  return (
    <>
      {items.length > 0 && (
        <ol class="edited-list">
          {items.map((item, at) => (
            <li key={at} class="edited-item" aria-label={itemName(item, at)}>
              <div class="edited-head">
                <strong>{itemName(item, at)}</strong>
                {at > 0 && (
                  <button type="button" class="plain" onClick={() => onChange(swapped(items, at))}>
                    {t('Move up')}
                  </button>
                )}
                <button type="button" class="plain" onClick={() => onChange(items.filter((_, index) => index !== at))}>
                  {t('Remove')}
                </button>
              </div>
              {children(item, (fields) => onChange(changed(at, fields)), at)}
            </li>
          ))}
        </ol>
      )}
      {error && <p class="error">{error}</p>}
      {items.length < max && (
        <div class="buttons">
          <button type="button" class="secondary" onClick={() => onChange([...items, empty()])}>
            {add}
          </button>
        </div>
      )}
    </>
  );
}

function swapped<Item>(items: readonly Item[], at: number): Item[] {
  const next = [...items];
  [next[at - 1], next[at]] = [next[at]!, next[at - 1]!];
  return next;
}
