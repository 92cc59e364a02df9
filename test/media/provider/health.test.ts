import { beforeEach, expect, test } from 'vitest';
import { createHealth, type Health } from '../../../media/provider/health.ts';
import { createLogger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let health: Health;
let probes: number[];
let outcomes: boolean[];

beforeEach(() => {
  clock = createVirtualClock();
  health = createHealth({ clock, log: createLogger('test', 'fatal') });
  probes = [];
  outcomes = [];
});

const probe = async () => {
  probes.push(clock.now());
  if (!outcomes.shift()) throw new Error('no');
};

test('a provider that failed is unhealthy until two probes in a row succeed', async () => {
  expect(health.isHealthy('a')).toBe(true);
  outcomes = [true, false, true, true];
  health.reportFailure('a', probe);
  await clock.advance(5_000 + 5_000 + 10_000);
  expect(health.isHealthy('a')).toBe(false);
  await clock.advance(5_000);
  expect(health.isHealthy('a')).toBe(true);
  expect(health.isHealthy('b')).toBe(true);
  await clock.advance(600_000);
  expect(probes).toHaveLength(4);
});

test('probes back off to one a minute', async () => {
  health.reportFailure('a', probe);
  await clock.advance(300_000);
  expect(probes.slice(0, 5).map((atMs) => atMs / 1_000)).toEqual([5, 15, 35, 75, 135]);
});

test('another failure in a call resets the count of probes, with one probe at a time', async () => {
  outcomes = [true, true, true];
  health.reportFailure('a', probe);
  await clock.advance(5_000);
  health.reportFailure('a', probe);
  await clock.advance(5_000);
  expect(health.isHealthy('a')).toBe(false);
  await clock.advance(5_000);
  expect(health.isHealthy('a')).toBe(true);
  expect(probes).toHaveLength(3);
});

test('closing cancels the probes', () => {
  health.reportFailure('a', probe);
  health.close();
  expect(clock.pending()).toBe(0);
});
