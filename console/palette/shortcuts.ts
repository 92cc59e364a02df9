/** The keys that work on every page, without browser APIs. */

export interface PressedKey {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

export type Shortcut =
  | { type: 'palette' }
  | { type: 'help' }
  /** `g` was pressed: the next key names a page. */
  | { type: 'begin' }
  | { type: 'go'; href: string };

interface Where {
  /** On Apple's machines the palette opens with ⌘K, since Ctrl+K deletes there. */
  apple: boolean;
  /** The focus is where one writes, or in a dialog. */
  writing: boolean;
  /** `g` was pressed just before. */
  begun: boolean;
  /** The person wants the keys without a modifier. */
  enabled: boolean;
  /** Addresses by their key. */
  pages: ReadonlyMap<string, string>;
}

/** What a key does; null: nothing, it is the browser's. */
export function shortcutOf({ key, ctrlKey, metaKey, altKey }: PressedKey, where: Where): Shortcut | null {
  const pressed = key.toLowerCase();
  if (pressed === 'k' && !altKey && (where.apple ? metaKey && !ctrlKey : ctrlKey && !metaKey)) {
    return { type: 'palette' };
  }
  if (ctrlKey || metaKey || altKey || where.writing || !where.enabled) return null;
  if (where.begun) {
    const href = where.pages.get(pressed);
    return href === undefined ? null : { type: 'go', href };
  }
  if (pressed === 'g') return { type: 'begin' };
  return key === '?' ? { type: 'help' } : null;
}
