import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface ChartSeries {
  label: string;
  /** One for each point; null: nothing was measured. */
  values: readonly (number | null)[];
  /** A colour of the style sheet, such as `--accent`. */
  color: string;
  /** A line when it is left out. Bars stand before each other, so that the first series is the greatest. */
  kind?: 'line' | 'bars';
}

export interface ChartContents {
  points: readonly string[];
  series: readonly ChartSeries[];
  format: (value: number) => string;
  heightPx: number;
  /** The point under the pointer; null: it is elsewhere. */
  onPoint: (at: number | null) => void;
}

const AXIS_FONT = '12px system-ui, sans-serif';
/** A little air above the highest value. */
const HEADROOM = 1.08;
/** Steps of both axes are whole numbers. */
const STEPS = [1, 2, 5].flatMap((first) => Array.from({ length: 9 }, (_, zeros) => first * 10 ** zeros));
STEPS.sort((a, b) => a - b);
const POINT_STEPS = [1, 2, 3, 4, 6, 7, 12, 14, 21, 24, 28, 48, 72, 168];

/** Draws a chart into the element, and again when its size or the theme changes. @returns what ends that. */
export function drawChart(element: HTMLElement, contents: ChartContents): () => void {
  let plot = plotIn(element, contents);
  const sizes = new ResizeObserver(() => {
    plot.setSize({ width: element.clientWidth, height: contents.heightPx });
  });
  sizes.observe(element);
  const theme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => {
    plot.destroy();
    plot = plotIn(element, contents);
  };
  theme.addEventListener('change', redraw);
  return () => {
    sizes.disconnect();
    theme.removeEventListener('change', redraw);
    plot.destroy();
  };
}

function plotIn(element: HTMLElement, { points, series, format, heightPx, onPoint }: ChartContents): uPlot {
  const colour = coloursOf(element);
  const widest = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => format(value ?? 0).length)));
  const lines = { stroke: colour('--line'), width: 1 };
  const axis: uPlot.Axis = { stroke: colour('--quiet'), font: AXIS_FONT, ticks: lines };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: heightPx,
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false } },
    scales: {
      x: { time: false, range: () => [-0.5, points.length - 0.5] },
      y: { range: (_plot, _least, most) => [0, most > 0 ? most * HEADROOM : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 72,
        size: 32,
        incrs: POINT_STEPS,
        values: (_plot, at) => at.map((each) => points[each] ?? ''),
      },
      {
        ...axis,
        grid: lines,
        ticks: { show: false },
        incrs: STEPS,
        size: 16 + 7 * Math.min(widest, 12),
        values: (_plot, at) => at.map(format),
      },
    ],
    series: [{}, ...series.map((each) => seriesOf(each, colour(each.color)))],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
  const data = [points.map((_, at) => at), ...series.map(({ values }) => [...values])];
  return new uPlot(options, data as uPlot.AlignedData, element);
}

function seriesOf({ label, kind = 'line' }: ChartSeries, colour: string): uPlot.Series {
  if (kind === 'line') return { label, stroke: colour, width: 2, spanGaps: false };
  const paths = uPlot.paths.bars!({ size: [0.7, 36], radius: 0.1 });
  return { label, stroke: colour, fill: colour, width: 0, paths, points: { show: false } };
}

/** Reads colours of the style sheet as a canvas understands them: `light-dark()` is resolved by an element only. */
function coloursOf(element: HTMLElement): (name: string) => string {
  return (name) => {
    const probe = document.createElement('span');
    probe.style.color = `var(${name})`;
    element.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
