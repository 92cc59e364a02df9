import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '*', '0', '#'];
const nameOf = (key: string) => (key === '*' ? t('star') : key === '#' ? t('hash') : undefined);

/** A telephone keypad; the keyboard works too while it is open. Escape closes it. */
export function Keypad({ onPress, onClose }: { onPress: (digit: string) => void; onClose: () => void }) {
  const [pressed, setPressed] = useState('');
  const first = useRef<HTMLButtonElement>(null);
  useEffect(() => first.current?.focus(), []);

  const press = (digit: string) => {
    setPressed((before) => (before + digit).slice(-16));
    onPress(digit);
  };
  return (
    <fieldset
      class="keypad"
      id="keypad"
      aria-label={t('Keypad')}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
        else if (KEYS.includes(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey) press(event.key);
      }}
    >
      <output class="pressed">{pressed || ' '}</output>
      {KEYS.map((key, index) => (
        <button
          key={key}
          ref={index === 0 ? first : undefined}
          type="button"
          aria-label={nameOf(key)}
          onClick={() => press(key)}
        >
          {key}
        </button>
      ))}
    </fieldset>
  );
}
