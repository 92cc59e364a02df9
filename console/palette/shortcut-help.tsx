import { useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField } from '../ui/fields.tsx';
import type { PaletteProps } from './palette-entries.ts';
import { enableShortcuts, shortcutsEnabled } from './shortcut-setting.ts';
import './palette.css';

/** The keys that work on every page. */
export function ShortcutHelp({ pages, onClose }: PaletteProps) {
  const [enabled, setEnabled] = useState(shortcutsEnabled);
  return (
    <Dialog title={t('Keyboard shortcuts')} onClose={onClose}>
      <dl class="shortcuts">
        <Keys keys={['Ctrl', 'K']} text={t('Go to a page, an agent or a call')} />
        <Keys keys={['?']} text={t('Show these keys')} />
        {pages.map(({ key, href, text }) => (
          <Keys key={href} keys={['g', key]} text={text} />
        ))}
      </dl>
      <CheckField
        label={t('Use keys without Ctrl')}
        hint={t('They do nothing while you write.')}
        checked={enabled}
        onChange={(wanted) => {
          enableShortcuts(wanted);
          setEnabled(wanted);
        }}
      />
      <div class="buttons">
        <button type="button" class="secondary" onClick={onClose}>
          {t('Close')}
        </button>
      </div>
    </Dialog>
  );
}

const Keys = ({ keys, text }: { keys: readonly string[]; text: string }) => (
  <div>
    <dt>
      {keys.map((each) => (
        <kbd key={each}>{each}</kbd>
      ))}
    </dt>
    <dd>{text}</dd>
  </div>
);
