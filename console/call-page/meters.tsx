import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import type { AudioLevels, Side } from './audio-levels.ts';

const BARS = 5;
/** A level decays to half within this time; it rises at once. */
const HALF_LIFE_MS = 90;

interface MetersProps {
  levels: RefObject<AudioLevels | null>;
  live: boolean;
  agentName: string;
  muted: boolean;
}

/** Level meters of both sides. They set a CSS property per animation frame instead of rendering. */
export function Meters({ levels, live, agentName, muted }: MetersProps) {
  const user = useRef<HTMLSpanElement>(null);
  const agent = useRef<HTMLSpanElement>(null);

  useEffect(() => {
    if (!live) return;
    const shown = { user: 0, agent: 0 };
    let before = performance.now();
    let frame = requestAnimationFrame(draw);
    function draw(now: number) {
      const fall = 0.5 ** (Math.max(0, now - before) / HALF_LIFE_MS);
      before = now;
      for (const [side, element] of [
        ['user', user.current],
        ['agent', agent.current],
      ] as const) {
        shown[side] = Math.max(levels.current?.read(side) ?? 0, shown[side] * fall);
        element?.style.setProperty('--level', shown[side].toFixed(3));
      }
      frame = requestAnimationFrame(draw);
    }
    return () => {
      cancelAnimationFrame(frame);
      for (const element of [user.current, agent.current]) element?.style.setProperty('--level', '0');
    };
  }, [live, levels]);

  return (
    <div class="meters" data-live={live}>
      <Meter side="user" name={muted ? t('You, muted') : t('You')} target={user} />
      <Meter side="agent" name={agentName} target={agent} />
    </div>
  );
}

function Meter({ side, name, target }: { side: Side; name: string; target: RefObject<HTMLSpanElement | null> }) {
  return (
    <div class="meter" data-side={side}>
      <span class="meter-bars" ref={target} aria-hidden="true">
        {Array.from({ length: BARS }, (_, index) => (
          <i key={index} />
        ))}
      </span>
      <span class="meter-name">{name}</span>
    </div>
  );
}
