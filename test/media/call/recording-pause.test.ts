import { expect, test } from 'vitest';
import { createRecordingPause } from '../../../media/call/recording-pause.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function setUp(recorded = true) {
  const clock = createVirtualClock();
  const orders: boolean[] = [];
  const events: [string, unknown][] = [];
  const pause = createRecordingPause({
    recording: recorded ? { setPaused: (paused) => void orders.push(paused) } : null,
    maxSeconds: 60,
    reporter: { report: (type, _message, details) => void events.push([type, details?.data]) },
    clock,
  });
  return { clock, orders, events, pause };
}

test('a pause and its end are on the timeline', async () => {
  const { clock, orders, events, pause } = setUp();
  expect(pause.set(true, 'member')).toBe(true);
  await clock.advance(12_000);
  pause.set(false, 'agent');
  expect(orders).toEqual([true, false]);
  expect(events).toEqual([
    ['recording.paused', { by: 'member', max_seconds: 60 }],
    ['recording.resumed', { by: 'agent', paused_seconds: 12 }],
  ]);
});

test('a pause that nobody ends does so by itself; a repeated one starts its time again', async () => {
  const { clock, orders, events, pause } = setUp();
  pause.set(true, 'agent');
  await clock.advance(40_000);
  pause.set(true, 'agent');
  await clock.advance(40_000);
  expect(orders).toEqual([true]);
  await clock.advance(20_000);
  expect(orders).toEqual([true, false]);
  expect(events.at(-1)).toEqual(['recording.resumed', { by: 'service', paused_seconds: 100 }]);
});

test('nothing is resumed that is not paused, nor paused that is not recorded', () => {
  const { orders, events, pause } = setUp();
  expect(pause.set(false, 'service')).toBe(true);
  expect([orders, events]).toEqual([[], []]);
  expect(setUp(false).pause.set(true, 'member')).toBe(false);
});
