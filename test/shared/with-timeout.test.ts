import { expect, test } from 'vitest';
import { withTimeout } from '../../shared/with-timeout.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';

test('work that finishes in time gives its result, or its rejection, and leaves no timer', async () => {
  const clock = createVirtualClock();
  const late = () => 'late';
  expect(await withTimeout(Promise.resolve('done'), 100, clock, late)).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('broken')), 100, clock, late)).rejects.toThrow('broken');
  expect(clock.pending()).toBe(0);
});

test('late work gives what onTimeout returns or throws; its own rejection is then ignored', async () => {
  const clock = createVirtualClock();
  const work = Promise.withResolvers<string>();
  const value = withTimeout(work.promise, 100, clock, () => null);
  const error = withTimeout(work.promise, 100, clock, () => {
    throw new Error('too slow');
  });
  const failed = expect(error).rejects.toThrow('too slow');
  await clock.advance(100);
  work.reject(new Error('too late to matter'));
  expect(await value).toBeNull();
  await failed;
});
