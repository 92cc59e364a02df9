import { expect, test } from 'vitest';
import { createConcurrencyLimiter } from '../../../control/http/concurrency-limiter.ts';

test('each workspace may have so many, and comes in again when one has left', () => {
  const enter = createConcurrencyLimiter(2, 'analyses run');
  const leave = enter('a');
  enter('a');
  const detail = 'only 2 analyses run at once; try again shortly';
  expect(() => enter('a')).toThrow(expect.objectContaining({ status: 409, detail }));
  enter('b');
  leave();
  enter('a');
  expect(() => enter('a')).toThrow(detail);
});
