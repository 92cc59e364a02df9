import type { TimelineItem } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { duration, PARTS, partLabel, partsText, scaleMs, type TurnBar, turnBars } from './turn-bars.ts';
import { useAutoScroll } from './use-auto-scroll.ts';

/** A bar chart of each turn's latency by its parts; a turn opens to show them one by one. The newest turn is in view. */
export function Waterfall({ events }: { events: readonly TimelineItem[] }) {
  const bars = turnBars(events);
  const scale = scaleMs(bars);
  const follow = useAutoScroll<HTMLOListElement>(bars.length);
  const seen = PARTS.filter((name) => bars.some(({ parts }) => parts.some((part) => part.name === name)));
  return (
    <section class="panel" aria-labelledby="waterfall-title">
      <div>
        <h2 id="waterfall-title">{t('Response time')}</h2>
        <p class="quiet small">{t('From the end of the speech to the first audio of the reply.')}</p>
      </div>
      {bars.length === 0 ? (
        <p class="quiet">{t('There are no measured replies.')}</p>
      ) : (
        <>
          <ol class="turns" {...follow}>
            {bars.map((bar) => (
              <Turn key={bar.id} bar={bar} scale={scale} />
            ))}
          </ol>
          <ul class="legend" aria-hidden="true">
            {seen.map((name) => (
              <li key={name}>
                <i class="swatch" data-part={name} />
                {partLabel(name)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

const share = (ms: number, scale: number) => `${((100 * ms) / scale).toFixed(2)}%`;

function Turn({ bar, scale }: { bar: TurnBar; scale: number }) {
  const { title, totalMs, parts } = bar;
  return (
    <li>
      <details class="turn">
        <summary>
          <span class="turn-title">{title}</span>
          <span class="turn-total">{duration(totalMs)}</span>
          <span class="turn-bar">
            {parts.map(({ name, ms }) => (
              <i key={name} data-part={name} style={{ width: share(ms, scale) }} />
            ))}
          </span>
          <span class="hidden-title">{partsText(bar)}</span>
        </summary>
        {/* Each step says how long it took, and when it was reached: the second figure is the timeline's. */}
        <ol class="steps">
          {parts.map(({ name, ms, fromMs }) => (
            <li key={name}>
              <span class="step-name">{partLabel(name)}</span>
              <span class="step-own">+{duration(ms)}</span>
              <span class="step-ms">{duration(fromMs + ms)}</span>
              <span class="step-bar">
                <i data-part={name} style={{ marginLeft: share(fromMs, totalMs), width: share(ms, totalMs) }} />
              </span>
            </li>
          ))}
        </ol>
      </details>
    </li>
  );
}
