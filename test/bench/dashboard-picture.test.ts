import { expect, it } from 'vitest';
import { type DrawnPanel, dashboardPicture } from '../../bench/dashboard-picture.ts';

const head = { title: 'Calls', subtitle: '', source: '' };
const panel = (type: string, series: DrawnPanel['series'], unit = 's'): DrawnPanel => ({
  ...{ type, title: 'Latency', gridPos: { x: 0, y: 0, w: 24, h: 8 }, unit, series },
});
const draw = (each: DrawnPanel) => dashboardPicture(head, [each], { from: 0, to: 10 });
const series = (name: string, value: number) => ({
  name,
  points: [
    { at: 0, value: 0 },
    { at: 10, value },
  ],
});

it('a panel has a line and a name for each series, and its unit', () => {
  const drawn = draw(panel('timeseries', [series('p50', 0.1), series('p95', 0.4)]));
  expect(drawn.match(/<polyline/g)).toHaveLength(2);
  for (const words of ['p50', 'p95', '400 ms']) expect(drawn).toContain(`>${words}<`);
});

it('a stat is its last value', () => {
  expect(draw(panel('stat', [series('', 0.205)], 'percentunit'))).toContain('>20.5 %<');
});

it('a panel without a value says so', () => {
  expect(draw(panel('timeseries', []))).toContain('>nothing<');
  expect(draw(panel('stat', []))).toContain('>–<');
});
