import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/postgres.ts';
import { pause } from '../../support/until.ts';

/** The unpatched driver crashed the process, or waited for ever, when a connection broke during a transaction. */

const database = await createTestDatabase();

test('a transaction whose connection breaks is rejected, and the pool goes on', async () => {
  for (let round = 0; round < 5; round++) {
    const broken = database.sql.begin(async (tx) => {
      await tx`select pg_terminate_backend(pg_backend_pid())`.then(
        () => {},
        () => {},
      );
      await pause(30);
      await tx`select 1`;
    });
    await expect(broken).rejects.toThrow(/CONNECTION|terminat|ECONNRESET|EPIPE/);
  }
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) => database.sql<{ n: number }[]>`select ${n}::int as n`),
  );
  expect(answers.map(([row]) => row!.n)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('while connections break all the time, every answer is the right one or an error', async () => {
  const { sql } = database;
  let right = 0;
  let refused = 0;
  let over = false;
  const asking = Array.from({ length: 8 }, async (_, asker) => {
    for (let turn = 0; turn < 150; turn++) {
      const wanted = asker * 1_000 + turn;
      try {
        const answer = await sql.begin(async (tx) => {
          const [one] = await tx<{ n: number }[]>`select ${wanted}::int as n`;
          const [two] = await tx<{ n: number }[]>`select ${wanted + 1}::int as n`;
          return [one!.n, two!.n];
        });
        expect(answer).toEqual([wanted, wanted + 1]);
        right++;
      } catch (error) {
        expect(String(error)).toMatch(/CONNECTION|CONNECT_TIMEOUT|terminat|ECONNRESET|EPIPE/);
        refused++;
      }
    }
  });
  const killing = (async () => {
    while (!over) {
      await pause(15);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() order by random() limit 1`.catch(() => {});
    }
  })();
  await Promise.all(asking);
  over = true;
  await killing;
  expect(right + refused).toBe(1_200);
  expect(right).toBeGreaterThan(300);
  expect(refused).toBeGreaterThan(0);
});
