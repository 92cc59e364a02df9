import { beforeEach, expect, test } from 'vitest';
import { type CallScope, createCallScope } from '../../../media/call/call-scope.ts';
import type { Logger } from '../../../shared/log.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

let clock: VirtualClock;
let scope: CallScope;
let failed: number;
let logged: number;

beforeEach(() => {
  clock = createVirtualClock();
  [failed, logged] = [0, 0];
  const log = { error: () => logged++ } as unknown as Logger;
  scope = createCallScope({ callId: 'c', clock, log, onFailed: () => failed++ });
});

const broken = () => {
  throw new Error('broken');
};

test('the first error ends the call, five are logged', async () => {
  for (let time = 0; time < 4; time++) scope.guard(broken)();
  expect(scope.attempt(broken)).toBeUndefined();
  scope.watch(Promise.reject(new Error('broken')));
  scope.clock.after(10, broken);
  await clock.advance(20);
  expect([failed, logged]).toEqual([1, 5]);
});

test('what works is run with its arguments, and returns its result', async () => {
  const given: unknown[] = [];
  scope.guard((...args: unknown[]) => void given.push(args))(1, 'two');
  scope.watch(Promise.resolve());
  await clock.advance(1);
  expect([given, scope.attempt(() => 7), failed]).toEqual([[[1, 'two']], 7, 0]);
  expect([scope.clock.now(), scope.clock.wall()]).toEqual([clock.now(), clock.wall()]);
});

test('its timers run once, can be cancelled, and end with the call', async () => {
  const ran: string[] = [];
  scope.clock.after(10, () => ran.push('first'));
  scope.clock.after(20, () => ran.push('cancelled')).cancel();
  scope.clock.after(30, () => ran.push('at the end'));
  await clock.advance(15);
  scope.close();
  expect(clock.pending()).toBe(0);
  await clock.advance(100);
  expect(ran).toEqual(['first']);
});
