/**
 * Charts as SVG for the README. A chart has its own background and follows the reader's light or dark scheme. Positions are in
 * units of the view box, which are pixels at full size.
 */

export interface ChartHead {
  title: string;
  /** One line that explains the chart. */
  subtitle: string;
  /** Source of the numbers, date and machine. */
  source: string;
}

export interface Line {
  name: string;
  points: readonly { x: number; y: number }[];
  /** Draws steps, for distributions; otherwise straight lines with dots. */
  stepped?: boolean;
}

export interface Axis {
  label: string;
  /** Default: 0. */
  from?: number;
  /** Default: the largest value. Lines beyond it are clipped. */
  to?: number;
  /** Default: round numbers. */
  ticks?: readonly number[];
}

export interface Panel {
  /** Title above the panel. */
  name?: string;
  x: Axis;
  y: Axis;
  lines: readonly Line[];
  /** Horizontal lines, such as limits. */
  limits?: readonly { y: number; label: string }[];
}

export interface StackedBar {
  name: string;
  /** One value for each of the chart's parts. */
  parts: readonly number[];
  /** A tick, such as a 95th percentile. */
  mark?: number;
}

const WIDTH = 760;
const LEFT = 64;
const RIGHT = 28;
const HEAD = 62;
const LEGEND = 26;
const FOOT = 30;
const COLOURS = 6;
/** Ticks beyond this multiple of the longest bar are drawn at the edge, with their value. */
const MARKS_WITHIN = 4;
/** Approximate width of a character of the legend. */
const CHARACTER = 6.4;

const STYLE = `
.card{fill:#fff;stroke:#d0d7de}.ink{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d8dee4}.axis{stroke:#818b98}
.limit{stroke:#cf222e;stroke-dasharray:6 4}.limit-text{fill:#cf222e;stroke:#fff;stroke-width:4px;paint-order:stroke}.mark{stroke:#1f2328}
${colours(['#0969da', '#bc4c00', '#1a7f37', '#8250df', '#bf3989', '#6e5a00'])}
@media (prefers-color-scheme:dark){
.card{fill:#0d1117;stroke:#3d444d}.ink{fill:#f0f6fc}.soft{fill:#9198a1}.grid{stroke:#262c36}.axis{stroke:#656c76}
.limit{stroke:#f85149}.limit-text{fill:#f85149;stroke:#0d1117}.mark{stroke:#f0f6fc}
${colours(['#58a6ff', '#f0883e', '#3fb950', '#bc8cff', '#f778ba', '#d4b72c'])}
}
text{font:12px system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}.title{font-size:17px;font-weight:600}
.line{fill:none;stroke-width:2;stroke-linejoin:round}.dash1{stroke-dasharray:7 3}.dash2{stroke-dasharray:2 3}.dash3{stroke-dasharray:9 3 2 3}`;

function colours(values: readonly string[]): string {
  return values.map((value, at) => `.s${at}{stroke:${value}}.f${at}{fill:${value}}`).join('');
}

/** Draws panels from left to right under one title and one legend. */
export function lineChart(head: ChartHead, panels: readonly Panel[]): string {
  const names = [...new Set(panels.flatMap((panel) => panel.lines.map((line) => line.name)))];
  const height = 420;
  const gap = 72;
  const width = (WIDTH - LEFT - RIGHT - gap * (panels.length - 1)) / panels.length;
  const key = names.length > 1 ? legend(names, true) : { drawn: '', height: 0 };
  const top = HEAD + key.height + (panels.some((panel) => panel.name) ? 18 : 4);
  const drawn = panels.map((panel, at) => {
    const box = { left: LEFT + at * (width + gap), top, width, height: height - top - FOOT - 44 };
    return drawPanel(panel, box, names);
  });
  return svg(height, head, [key.drawn, ...drawn]);
}

/** Draws horizontal bars of the same parts. */
export function stackedBars(
  head: ChartHead,
  { parts, axis, bars }: { parts: readonly string[]; axis: Axis; bars: readonly StackedBar[] },
): string {
  const left = 24 + Math.max(...bars.map((bar) => bar.name.length)) * CHARACTER;
  const row = 46;
  const key = legend(parts, false);
  const top = HEAD + key.height + 6;
  const height = top + bars.length * row + 44 + FOOT;
  const sum = (bar: StackedBar) => bar.parts.reduce((total, part) => total + part, 0);
  const furthest = Math.max(...bars.map((bar) => Math.max(sum(bar), bar.mark ?? 0)));
  const ticks = axis.ticks ?? roundTicks(0, Math.min(furthest, MARKS_WITHIN * Math.max(...bars.map(sum))));
  const most = ticks.at(-1)!;
  const scale = (value: number) => left + (Math.min(value, most) / most) * (WIDTH - RIGHT - left - 70);
  const bottom = top + bars.length * row;
  const out = ticks.map(
    (tick) =>
      `<line class="grid" x1="${px(scale(tick))}" x2="${px(scale(tick))}" y1="${top}" y2="${bottom}"/>` +
      text(scale(tick), bottom + 18, shown(tick), 'soft', 'middle'),
  );
  for (const [at, bar] of bars.entries()) {
    const y = top + at * row + 9;
    out.push(text(left - 10, y + 19, bar.name, 'ink', 'end'));
    let from = 0;
    for (const [part, value] of bar.parts.entries()) {
      const size = scale(from + value) - scale(from);
      out.push(`<rect class="f${part}" x="${px(scale(from))}" y="${y}" width="${px(size)}" height="28"/>`);
      from += value;
    }
    const end = Math.max(from, bar.mark ?? 0);
    if (bar.mark !== undefined) {
      const x = px(scale(bar.mark));
      out.push(
        `<line class="mark" x1="${px(scale(from))}" x2="${x}" y1="${y + 14}" y2="${y + 14}"/>` +
          `<line class="mark" stroke-width="2" x1="${x}" x2="${x}" y1="${y + 5}" y2="${y + 23}"/>`,
      );
    }
    const label = bar.mark === undefined ? from.toFixed(1) : `${from.toFixed(1)} / ${bar.mark.toFixed(1)}`;
    out.push(text(scale(end) + 6, y + 19, label, 'ink'));
  }
  out.push(`<line class="axis" x1="${px(left)}" x2="${px(left)}" y1="${top}" y2="${bottom}"/>`);
  out.push(text((left + WIDTH - RIGHT) / 2, bottom + 38, axis.label, 'ink', 'middle'));
  return svg(height, head, [key.drawn, ...out]);
}

/** A span of a trace, under its parent; times in milliseconds since its start. */
export interface TraceBar {
  name: string;
  depth: number;
  start_ms: number;
  end_ms: number;
  /** Number of its colour. */
  colour: number;
}

/** Draws a trace: a row for each span in the given order, with its duration. */
export function traceChart(head: ChartHead, bars: readonly TraceBar[], colours: readonly string[]): string {
  const left = 214;
  const row = 17;
  const top = HEAD + LEGEND;
  const toMs = Math.max(...bars.map(({ end_ms }) => end_ms));
  const x = (ms: number) => left + ((WIDTH - RIGHT - 56 - left) * ms) / toMs;
  const legend = colours.flatMap((name, at) => [
    `<rect class="f${at}" x="${24 + at * 150}" y="${HEAD + 1}" width="10" height="10" rx="2"/>`,
    text(40 + at * 150, HEAD + 10, name, 'soft'),
  ]);
  const rows = bars.flatMap(({ name, depth, start_ms, end_ms, colour }, at) => {
    const y = top + at * row;
    const width = Math.max(1.5, x(end_ms) - x(start_ms));
    return [
      text(24 + depth * 12, y + 11, name, 'ink'),
      `<rect class="f${colour}" x="${px(x(start_ms))}" y="${y + 2}" width="${px(width)}" height="${row - 6}" rx="2"/>`,
      text(x(end_ms) + 5, y + 11, durationText(end_ms - start_ms), 'soft'),
    ];
  });
  return svg(top + bars.length * row + FOOT + 10, head, [...legend, ...rows]);
}

function durationText(ms: number): string {
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}

/** The cumulative distribution of the samples, in per cent. */
export function distribution(name: string, samples: readonly number[]): Line {
  const sorted = samples.toSorted((a, b) => a - b);
  const points = sorted.map((x, at) => ({ x, y: ((at + 1) / sorted.length) * 100 }));
  return { name, points: [{ x: sorted[0] ?? 0, y: 0 }, ...points], stepped: true };
}

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

function drawPanel({ name, x, y, lines, limits = [] }: Panel, box: Box, names: readonly string[]): string {
  const right = box.left + box.width;
  const bottom = box.top + box.height;
  const all = lines.flatMap((line) => line.points);
  const xTicks = ticksOf(
    x,
    all.map((point) => point.x),
  );
  const yTicks = ticksOf(y, [...all.map((point) => point.y), ...limits.map((limit) => limit.y)]);
  const along = scaleOf(x, xTicks, box.left, right);
  const up = scaleOf(y, yTicks, bottom, box.top);
  const inside = `panel-${px(box.left)}`;
  const clip = `x="${px(box.left)}" y="${box.top - 4}" width="${px(box.width + 4)}" height="${px(box.height + 8)}"`;
  const out = [`<clipPath id="${inside}"><rect ${clip}/></clipPath>`];
  if (name) out.push(text(box.left, box.top - 10, name, 'ink'));
  for (const tick of yTicks) {
    out.push(`<line class="grid" x1="${box.left}" x2="${px(right)}" y1="${px(up(tick))}" y2="${px(up(tick))}"/>`);
    out.push(text(box.left - 8, up(tick) + 4, shown(tick), 'soft', 'end'));
  }
  for (const tick of xTicks) {
    out.push(`<line class="grid" x1="${px(along(tick))}" x2="${px(along(tick))}" y1="${box.top}" y2="${px(bottom)}"/>`);
    out.push(text(along(tick), bottom + 18, shown(tick), 'soft', 'middle'));
  }
  out.push(`<path class="axis" fill="none" d="M${px(box.left)} ${box.top}V${px(bottom)}H${px(right)}"/>`);
  for (const limit of limits) {
    const at = px(up(limit.y));
    out.push(`<line class="limit" stroke-width="1.5" x1="${px(box.left)}" x2="${px(right)}" y1="${at}" y2="${at}"/>`);
  }
  for (const line of lines) {
    const series = names.indexOf(line.name) % COLOURS;
    const path = line.points.map((point, at) => {
      const [px1, py1] = [px(along(point.x)), px(up(point.y))];
      if (at === 0) return `M${px1} ${py1}`;
      return line.stepped ? `H${px1}V${py1}` : `L${px1} ${py1}`;
    });
    out.push(`<path class="line s${series} dash${series}" clip-path="url(#${inside})" d="${path.join('')}"/>`);
    if (line.stepped) continue;
    for (const point of line.points) {
      if (up(point.y) < box.top - 4) continue;
      out.push(`<circle class="f${series}" r="3.5" cx="${px(along(point.x))}" cy="${px(up(point.y))}"/>`);
    }
  }
  for (const limit of limits) out.push(text(box.left + 8, up(limit.y) - 6, limit.label, 'limit-text'));
  out.push(text((box.left + right) / 2, bottom + 38, x.label, 'ink', 'middle'));
  const middle = px((box.top + bottom) / 2);
  const side = px(box.left - 46);
  out.push(
    `<text class="ink" text-anchor="middle" transform="rotate(-90 ${side} ${middle})" x="${side}" y="${middle}">${escaped(y.label)}</text>`,
  );
  return out.join('');
}

function ticksOf({ from, to, ticks }: Axis, values: readonly number[]): readonly number[] {
  return ticks ?? roundTicks(from ?? 0, to ?? Math.max(...values, 0)).filter((tick) => to === undefined || tick <= to);
}

function scaleOf({ from = 0, to }: Axis, ticks: readonly number[], low: number, high: number) {
  const most = to ?? ticks.at(-1)!;
  return (value: number) => low + ((value - from) / (most - from)) * (high - low);
}

/** About five round numbers up to or beyond the last value. */
export function roundTicks(from: number, to: number): number[] {
  const rough = Math.max(to - from, 1e-9) / 5;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * unit).find((size) => size >= rough)!;
  const first = Math.floor(from / step);
  const last = Math.ceil(to / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

/** Draws the legend, wrapped into rows. */
function legend(names: readonly string[], asLines: boolean): { drawn: string; height: number } {
  const sign = asLines ? 28 : 20;
  let x = 24;
  let y = HEAD + 8;
  const drawn = names.map((name, at) => {
    const width = sign + name.length * CHARACTER;
    if (x + width > WIDTH - RIGHT) {
      x = 24;
      y += LEGEND - 4;
    }
    const series = at % COLOURS;
    const mark = asLines
      ? `<line class="line s${series} dash${series}" x1="${px(x)}" x2="${px(x + 22)}" y1="${y}" y2="${y}"/>`
      : `<rect class="f${series}" x="${px(x)}" y="${y - 7}" width="14" height="14"/>`;
    const words = text(x + sign, y + 4, name, 'ink');
    x += width + 18;
    return mark + words;
  });
  return { drawn: drawn.join(''), height: y - HEAD - 8 + LEGEND };
}

/** The card with its head, and these parts on it. */
export function svg(
  height: number,
  { title, subtitle, source }: ChartHead,
  parts: readonly string[],
  width = WIDTH,
): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title><desc>${escaped(subtitle)}</desc><style>${STYLE}</style>`,
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
    `<text class="ink title" x="24" y="30">${escaped(title)}</text>`,
    text(24, 49, subtitle, 'soft'),
    ...parts,
    text(24, height - 14, source, 'soft'),
    '</svg>\n',
  ].join('\n');
}

export function text(
  x: number,
  y: number,
  words: string,
  style: string,
  anchor: 'start' | 'middle' | 'end' = 'start',
): string {
  const where = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
  return `<text class="${style}" x="${px(x)}" y="${px(y)}"${where}>${escaped(words)}</text>`;
}

export function px(value: number): number {
  return Math.round(value * 10) / 10;
}

function shown(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
