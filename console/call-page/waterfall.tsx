import type { TimelineItem } from '../api-records.ts';
import { barDescription, duration, PARTS, scaleMs, type TurnBar, turnBars } from './turn-bars.ts';

/** A bar chart of each turn's latency by its parts; a turn opens to show them one by one. */
export function Waterfall({ events }: { events: readonly TimelineItem[] }) {
  const bars = turnBars(events);
  const scale = scaleMs(bars);
  const seen = PARTS.filter(({ name }) => bars.some(({ parts }) => parts.some((part) => part.name === name)));
  return (
    <section class="panel" aria-labelledby="waterfall-title">
      <h2 id="waterfall-title">Response time</h2>
      {bars.length === 0 ? (
        <p class="quiet">From the end of your speech to the first audio of the reply, turn by turn.</p>
      ) : (
        <>
          <ol class="turns">
            {bars.map((bar) => (
              <Turn key={bar.id} bar={bar} scale={scale} />
            ))}
          </ol>
          <ul class="legend" aria-hidden="true">
            {seen.map(({ name, label }) => (
              <li key={name}>
                <i class="swatch" data-part={name} />
                {label}
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
        <summary aria-label={barDescription(bar)}>
          <span class="turn-title">{title}</span>
          <span class="turn-total">{duration(totalMs)}</span>
          <span class="turn-bar">
            {parts.map(({ name, ms }) => (
              <i key={name} data-part={name} style={{ width: share(ms, scale) }} />
            ))}
          </span>
        </summary>
        <ol class="steps">
          {parts.map(({ name, label, ms, fromMs }) => (
            <li key={name}>
              <span class="step-name">{label}</span>
              <span class="step-bar">
                <i data-part={name} style={{ marginLeft: share(fromMs, totalMs), width: share(ms, totalMs) }} />
              </span>
              <span class="step-ms">{duration(ms)}</span>
            </li>
          ))}
        </ol>
      </details>
    </li>
  );
}
