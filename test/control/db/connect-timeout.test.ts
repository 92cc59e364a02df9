import { expect, it } from 'vitest';
import { connectDatabase } from '../../../control/db/connect.ts';

it.each([
  ['postgres://127.0.0.1/a', 5],
  ['postgres://127.0.0.1/a?connect_timeout=60', 60],
  ['postgres://127.0.0.1/a?sslmode=require&connect_timeout=7', 7],
])('opening a connection to %s may take %i seconds', async (url, seconds) => {
  expect(connectDatabase({ url }).options.connect_timeout).toBe(seconds);
});
