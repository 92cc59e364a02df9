import { expect, test } from 'vitest';
import { createHandshake } from '../../../media/provider/handshake.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function expecting() {
  const clock = createVirtualClock();
  let late = 0;
  const greeting = createHandshake(clock, 1_000, () => late++);
  return { clock, greeting, greeted: greeting.expect(), late: () => late };
}

test('a greeting that comes ends the wait, and a later failure is not its own', async () => {
  const { clock, greeting, greeted, late } = expecting();
  greeting.completed();
  await greeted;
  await clock.advance(2_000);
  expect([late(), greeting.failed(new Error('later')), clock.pending()]).toEqual([0, false, 0]);
});

test('a failure before it is told to whoever waits, once', async () => {
  const { clock, greeting, greeted, late } = expecting();
  expect(greeting.failed(new Error('refused'))).toBe(true);
  await expect(greeted).rejects.toThrow('refused');
  await clock.advance(2_000);
  expect([late(), greeting.failed(new Error('again'))]).toEqual([0, false]);
});

test('one that does not come in time is late once, and none is after a stop', async () => {
  const first = expecting();
  await first.clock.advance(1_000);
  const second = expecting();
  second.greeting.stop();
  await second.clock.advance(2_000);
  expect([first.late(), second.late()]).toEqual([1, 0]);
});
