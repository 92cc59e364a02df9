import { expect, test } from 'vitest';
import { rotateDuringCalls } from '../soak/rotation-calls.ts';

/** `make rotation` with few calls. How late frames come is the machine's matter, and the program's that compares. */

test('every key, secret and certificate is replaced during calls, and no call notices', async () => {
  const { calls, failures } = await rotateDuringCalls({ calls: 4, stepMs: 2_000 });
  expect(failures).toEqual([]);
  expect(calls).toBe(5);
});
