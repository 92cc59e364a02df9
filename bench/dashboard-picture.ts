import { type ChartHead, px, roundTicks, svg, text } from '../shared/svg-chart.ts';

/** Draws the panels of a dashboard where Grafana would, with what Prometheus answered. */

export interface DrawnPanel {
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  /** Of Grafana: `s`, `percentunit`, `bytes`, others. */
  unit: string;
  series: readonly Series[];
}

export interface Series {
  name: string;
  /** Seconds since 1970. */
  points: readonly { at: number; value: number }[];
}

const WIDTH = 1_180;
const MARGIN = 20;
const HEAD = 66;
const FOOT = 34;
const COLUMN = (WIDTH - 2 * MARGIN) / 24;
const ROW = 17;
const COLOURS = 6;
const LEFT = 60;
const CHARACTER = 6;

/** @param from, to: seconds since 1970. */
export function dashboardPicture(
  head: ChartHead,
  panels: readonly DrawnPanel[],
  { from, to }: { from: number; to: number },
): string {
  const rows = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const parts = panels.map((panel) => {
    const { x, y, w, h } = panel.gridPos;
    const box = { x: MARGIN + x * COLUMN + 4, y: HEAD + y * ROW, width: w * COLUMN - 8, height: h * ROW - 6 };
    if (panel.type === 'row') return text(box.x, box.y + 13, panel.title, 'ink');
    return panel.type === 'stat' ? drawStat(panel, box) : drawLines(panel, box, from, to);
  });
  return svg(HEAD + rows * ROW + FOOT, head, parts, WIDTH);
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

const frame = ({ x, y, width, height }: Box, title: string) =>
  `<rect class="grid" fill="none" x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="4"/>` +
  text(x + 8, y + 15, title, 'soft');

function drawStat({ title, unit, series }: DrawnPanel, box: Box): string {
  const last = series[0]?.points.at(-1)?.value;
  const words = last === undefined ? '–' : shown(last, unit);
  const middle = box.x + box.width / 2;
  return frame(box, title) + text(middle, box.y + box.height / 2 + 14, words, 'ink title', 'middle');
}

function drawLines({ title, unit, series }: DrawnPanel, box: Box, from: number, to: number): string {
  const out = [frame(box, title)];
  const values = series.flatMap(({ points }) => points.map(({ value }) => value));
  if (values.length === 0) return out.join('') + text(box.x + box.width / 2, box.y + 70, 'nothing', 'soft', 'middle');
  const top = box.y + 26;
  const bottom = box.y + box.height - 22;
  const ticks = roundTicks(Math.min(0, ...values), Math.max(...values) || 1);
  const [low, high] = [ticks[0]!, ticks.at(-1)!];
  const yOf = (value: number) => bottom - ((value - low) / (high - low)) * (bottom - top);
  const xOf = (at: number) => box.x + LEFT + ((at - from) / (to - from)) * (box.width - LEFT - 10);
  for (const tick of [low, high]) {
    out.push(
      `<line class="grid" x1="${px(xOf(from))}" x2="${px(xOf(to))}" y1="${px(yOf(tick))}" y2="${px(yOf(tick))}"/>`,
      text(box.x + LEFT - 6, yOf(tick) + 4, shown(tick, unit), 'soft', 'end'),
    );
  }
  for (const [at, { points }] of series.entries()) {
    const path = points.map((point) => `${px(xOf(point.at))},${px(yOf(point.value))}`).join(' ');
    out.push(`<polyline class="line s${at % COLOURS}" points="${path}"/>`);
  }
  return out.join('') + legend(series, box);
}

/** As many names as fit in a line. */
function legend(series: readonly Series[], box: Box): string {
  let x = box.x + 8;
  const y = box.y + box.height - 7;
  const out: string[] = [];
  for (const [at, { name }] of series.entries()) {
    const width = 20 + name.length * CHARACTER;
    if (x + width > box.x + box.width - 30) return out.join('') + text(x, y, `+ ${series.length - at}`, 'soft');
    out.push(`<rect class="f${at % COLOURS}" x="${px(x)}" y="${px(y - 8)}" width="8" height="8"/>`);
    out.push(text(x + 12, y, name, 'soft'));
    x += width + 6;
  }
  return out.join('');
}

function shown(value: number, unit: string): string {
  const rounded = (of: number) => String(Number(of.toPrecision(3)));
  if (unit === 'percentunit') return `${rounded(value * 100)} %`;
  if (unit === 'bytes') return `${Math.round(value / 1024 ** 2)} MiB`;
  if (unit === 's') return Math.abs(value) < 1 ? `${rounded(value * 1_000)} ms` : `${rounded(value)} s`;
  return rounded(value);
}
