import { type ComponentChildren, type ComponentType, createElement } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { SearchIcon } from '../icons.tsx';
import type { PageLink } from '../page-links.ts';
import { t } from '../texts/texts.ts';
import { followLink } from '../ui/follow-link.ts';
import { toast } from '../ui/toasts.tsx';
import type { PaletteProps } from './palette-entries.ts';
import { shortcutsEnabled } from './shortcut-setting.ts';
import { shortcutOf } from './shortcuts.ts';

/** After `g`, the next key is waited for so long. */
const SEQUENCE_MS = 1_500;
const WRITES = 'input, textarea, select, [contenteditable]:not([contenteditable="false"])';

const isApple = (): boolean => /Mac|iPhone|iPad/.test(navigator.platform);

interface PaletteParts {
  button: ComponentChildren;
  /** The dialog that is open; to be drawn where nothing hides it. */
  dialog: ComponentChildren;
}

/** The button that opens the palette, the palette, and the keys that work on every page. */
export function usePalette(pages: readonly PageLink[]): PaletteParts {
  const [shown, setShown] = useState<{ component: ComponentType<PaletteProps>; name: 'palette' | 'help' } | null>(null);
  const begun = useRef(0);
  const shownName = useRef('');
  shownName.current = shown?.name ?? '';

  async function show(name: 'palette' | 'help') {
    try {
      const component =
        name === 'palette'
          ? (await import('./palette.tsx')).Palette
          : (await import('./shortcut-help.tsx')).ShortcutHelp;
      setShown({ component, name });
    } catch {
      toast(t('The service cannot be reached. Check your connection.'), { tone: 'error' });
    }
  }

  useEffect(() => {
    const byKey = new Map(pages.map(({ key, href }) => [key, href]));
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || event.repeat) return;
      const at = event.target instanceof Element ? event.target : null;
      const shortcut = shortcutOf(event, {
        apple: isApple(),
        writing: at?.closest(WRITES) != null || document.querySelector('dialog[open]') !== null,
        begun: performance.now() - begun.current < SEQUENCE_MS,
        enabled: shortcutsEnabled(),
        pages: byKey,
      });
      begun.current = shortcut?.type === 'begin' ? performance.now() : Number.NEGATIVE_INFINITY;
      if (!shortcut) return;
      event.preventDefault();
      if (shortcut.type === 'go') followLink(shortcut.href);
      else if (shortcut.type === 'help') void show('help');
      else if (shortcut.type === 'palette') {
        if (shownName.current === 'palette') setShown(null);
        else if (document.querySelector('dialog[open]') === null) void show('palette');
      }
    };
    begun.current = Number.NEGATIVE_INFINITY;
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [pages]);

  const apple = isApple();
  const button = (
    <button
      type="button"
      class="palette-button"
      aria-haspopup="dialog"
      aria-keyshortcuts={apple ? 'Meta+K' : 'Control+K'}
      onClick={() => void show('palette')}
    >
      <SearchIcon />
      <span>{t('Go to')}</span>
      <kbd>{apple ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
  const shownProps = { pages, onClose: () => setShown(null), onHelp: () => void show('help') };
  return { button, dialog: shown && createElement(shown.component, shownProps) };
}
