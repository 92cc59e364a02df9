import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/postgres.ts';

/** The unpatched driver rejected the statement before it instead, and then waited for an answer that cannot come. */

const { sql } = await createTestDatabase();

test('a statement that cannot be written fails alone, also right behind another', async () => {
  let outcomes: PromiseSettledResult<unknown>[] = [];
  const transaction = sql.begin(async (tx) => {
    const echo = (n: number) => tx`select ${n}::bigint as n`;
    await echo(1);
    outcomes = await Promise.allSettled([echo(2), echo(2 ** 60), echo(3)]);
  });
  await expect(transaction).rejects.toThrow('does not fit');
  expect(outcomes).toMatchObject([
    { value: [{ n: 2 }] },
    { reason: { message: expect.stringContaining('does not fit') } },
    { value: [{ n: 3 }] },
  ]);
}, 10_000);
