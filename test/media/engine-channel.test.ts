import { expect, it } from 'vitest';
import { combineLoads, type EngineLoad, readyText } from '../../media/engine-channel.ts';

const load = (workers: EngineLoad['workers']): EngineLoad => ({
  ...{ calls: 1, headroom: 2, overloaded: false, draining: false, lag_counts: [1], unhealthy_providers: [], workers },
});

it('names the workers that an engine does without while it takes calls', () => {
  const { workers } = combineLoads([
    load([
      { name: 'noise cancellation', running: true, restarts: 1 },
      { name: 'turn detector', running: true, restarts: 0 },
    ]),
    load([
      { name: 'noise cancellation', running: false, restarts: 2 },
      { name: 'turn detector', running: true, restarts: 0 },
    ]),
  ]);
  expect(workers).toEqual([
    { name: 'noise cancellation', running: false, restarts: 3 },
    { name: 'turn detector', running: true, restarts: 0 },
  ]);
  expect(readyText(workers)).toBe('ok, without noise cancellation\n');
  expect(readyText(load([]).workers)).toBe('ok\n');
});
