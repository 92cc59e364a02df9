import { expect, test } from 'vitest';
import { createHandshake } from '../../../media/provider/handshake.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';

function startHandshake() {
  const clock = createVirtualClock();
  let timeouts = 0;
  const handshake = createHandshake(clock, 1_000, () => timeouts++);
  return { clock, handshake, completed: handshake.expect(), timeouts: () => timeouts };
}

test('the first message ends the wait, and a later failure is not taken', async () => {
  const { clock, handshake, completed, timeouts } = startHandshake();
  handshake.completed();
  await completed;
  await clock.advance(2_000);
  expect([timeouts(), handshake.failed(new Error('later')), clock.pending()]).toEqual([0, false, 0]);
});

test('a failure before it rejects the promise once', async () => {
  const { clock, handshake, completed, timeouts } = startHandshake();
  expect(handshake.failed(new Error('refused'))).toBe(true);
  await expect(completed).rejects.toThrow('refused');
  await clock.advance(2_000);
  expect([timeouts(), handshake.failed(new Error('again'))]).toEqual([0, false]);
});

test('times out once, and never after a stop', async () => {
  const first = startHandshake();
  await first.clock.advance(1_000);
  const second = startHandshake();
  second.handshake.stop();
  await second.clock.advance(2_000);
  expect([first.timeouts(), second.timeouts()]).toEqual([1, 0]);
});
