/**
 * Prometheus' text format, version 0.0.4: a HELP and a TYPE line for each family, then a line for each of its series.
 *
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export const EXPOSITION_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export type Labels = Record<string, string>;

export interface Series {
  labels?: Labels;
  value: number;
}

/** How many took no longer than each bound, and the sum of what all took. */
export interface HistogramSeries {
  labels: Labels;
  /** Of each bucket alone, in the order of `bounds`, and one more for what is above the last. */
  counts: readonly number[];
  sum: number;
}

export type Family = { name: string; help: string } & (
  | { type: 'counter' | 'gauge'; series: readonly Series[] }
  | { type: 'histogram'; bounds: readonly number[]; series: readonly HistogramSeries[] }
);

/** Families without a series are left out. */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ series }) => series.length > 0)
    .map((family) => {
      const head = `# HELP ${family.name} ${escapedHelp(family.help)}\n# TYPE ${family.name} ${family.type}\n`;
      return head + linesOf(family).join('');
    })
    .join('');
}

function linesOf(family: Family): string[] {
  const { name } = family;
  if (family.type !== 'histogram') return family.series.map(({ labels = {}, value }) => line(name, labels, value));
  const { bounds } = family;
  return family.series.flatMap(({ labels, counts, sum }) => {
    let count = 0;
    const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, index) => {
      count += counts[index] ?? 0;
      return line(`${name}_bucket`, { ...labels, le: written(bound) }, count);
    });
    return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
  });
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapedLabel(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${written(value)}\n`;
}

function written(value: number): string {
  if (Number.isFinite(value)) return String(value);
  if (Number.isNaN(value)) return 'NaN';
  return value > 0 ? '+Inf' : '-Inf';
}

const escapedHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapedLabel = (text: string) => escapedHelp(text).replaceAll('"', '\\"');
