import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import type { ChartSeries } from './chart-drawing.ts';
import './chart.css';

interface ChartProps {
  /** What is drawn, such as `Calls by day`. */
  label: string;
  /** What stands below each point, such as `24 Nov`. */
  points: readonly string[];
  series: readonly ChartSeries[];
  /** Writes a value with its unit. */
  format: (value: number) => string;
  heightPx?: number;
}

const HEIGHT_PX = 220;

/** Values over time as lines or bars, from zero, and the same figures as a table. */
export function Chart({ label, points, series, format, heightPx = HEIGHT_PX }: ChartProps) {
  const drawing = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  // The figures themselves, since lists are made anew with every drawing of the page.
  const figures = JSON.stringify([points, series]);

  useEffect(() => {
    let end: (() => void) | undefined;
    let over = false;
    void import('./chart-drawing.ts').then(({ drawChart }) => {
      if (over || !drawing.current) return;
      end = drawChart(drawing.current, { points, series, format, heightPx, onPoint: setAt });
    });
    return () => {
      over = true;
      end?.();
    };
  }, [figures, heightPx]);

  const value = (values: ChartSeries['values'], point: number) => {
    const found = values[point] ?? null;
    return found === null ? '–' : format(found);
  };
  return (
    <figure class="chart" aria-label={label}>
      <p class="chart-legend">
        {series.map(({ label: name, color, values }) => (
          <span key={name}>
            <span class="chart-key" style={{ background: `var(${color})` }} />
            {name}
            {at !== null && <strong>{value(values, at)}</strong>}
          </span>
        ))}
        {at !== null && <span class="quiet">{points[at]}</span>}
      </p>
      <div class="chart-drawing" ref={drawing} style={{ height: `${heightPx}px` }} aria-hidden="true" />
      <details class="chart-table">
        <summary>{t('Show as a table')}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must take the focus */}
        {/* biome-ignore lint/a11y/useSemanticElements: it holds no fields */}
        <div class="table-scroll" role="group" aria-label={label} tabIndex={0}>
          <table class="table">
            <caption class="hidden-title">{label}</caption>
            <thead>
              <tr>
                <th scope="col">{t('Time')}</th>
                {series.map(({ label: name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map((point, row) => (
                <tr key={row}>
                  <th scope="row">{point}</th>
                  {series.map(({ label: name, values }) => (
                    <td key={name} class="number">
                      {value(values, row)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
