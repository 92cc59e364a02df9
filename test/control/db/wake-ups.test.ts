import { beforeAll, expect, it } from 'vitest';
import { connectDatabase, type Sql, wakeAfterCommit, wakeUpsOf } from '../../../control/db/connect.ts';
import { createWakeUps, shareWakeUps } from '../../../control/db/wake-ups.ts';
import type { WakeUp } from '../../../shared/bus/messages.ts';
import { afterFile } from '../../support/after-file.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { log } from '../calls/call-fixture.ts';

let sql: Sql;

beforeAll(async () => {
  const { url } = await createTestDatabase();
  sql = connectDatabase({ url, max: 2 });
  afterFile(() => sql.end({ timeout: 5 }));
});

/** What is woken while `work` runs. */
async function wokenBy(work: () => Promise<unknown>): Promise<string[]> {
  const woken: string[] = [];
  const listening = wakeUpsOf(sql).on('dispatch', (key) => woken.push(key));
  await work().catch(() => {});
  listening.stop();
  return woken;
}

it('a transaction wakes when it has committed', async () => {
  let seen: unknown[] = [];
  const woken = await wokenBy(async () => {
    const listening = wakeUpsOf(sql).on('dispatch', () => {
      seen = [...seen, sql`select 1 from woken`];
    });
    await sql.begin(async (tx) => {
      wakeAfterCommit(tx, 'dispatch', 'one');
      await tx`create table woken ()`;
      wakeAfterCommit(tx, 'dispatch', 'two');
    });
    listening.stop();
    // Each is a query that found the table.
    await Promise.all(seen);
  });
  expect(woken).toEqual(['one', 'two']);
  expect(seen).toHaveLength(2);
});

it('a transaction that is rolled back wakes nobody', async () => {
  const woken = await wokenBy(() =>
    sql.begin(async (tx) => {
      wakeAfterCommit(tx, 'dispatch', 'one');
      await tx`select nothing from nowhere`;
    }),
  );
  expect(woken).toEqual([]);
});

it('a savepoint that is rolled back wakes nobody, the rest of its transaction does', async () => {
  const woken = await wokenBy(() =>
    sql.begin(async (tx) => {
      await tx.savepoint(async (inner) => wakeAfterCommit(inner, 'dispatch', 'released'));
      const broken = tx.savepoint(async (inner) => {
        wakeAfterCommit(inner, 'dispatch', 'rolled back');
        await inner`select nothing from nowhere`;
      });
      await broken.catch(() => wakeAfterCommit(tx, 'dispatch', 'the rest'));
    }),
  );
  expect(woken).toEqual(['released', 'the rest']);
});

it('outside of a transaction it wakes at once', async () => {
  expect(await wokenBy(async () => wakeAfterCommit(sql, 'dispatch', 'now'))).toEqual(['now']);
});

it('wake-ups of one topic within milliseconds are one message, which wakes the other processes once for each', async () => {
  const clock = createVirtualClock();
  const sent: WakeUp[] = [];
  const receivers = new Set<(message: WakeUp) => void>();
  const bus = {
    sendWakeUp(message: WakeUp) {
      sent.push(message);
      for (const receive of receivers) receive(message);
    },
    onWakeUp(receive: (message: WakeUp) => void) {
      receivers.add(receive);
      return { stop: () => void receivers.delete(receive) };
    },
  };
  const woken = { here: [] as string[], there: [] as string[] };
  const [here, there] = [createWakeUps(), createWakeUps()];
  const shared = [here, there].map((each) => shareWakeUps(each, { bus, clock, log }));
  here.on('dispatch', (key) => woken.here.push(key));
  there.on('dispatch', (key) => woken.there.push(key));

  for (const key of ['a', 'b', 'a']) here.wake('dispatch', key);
  here.wake('renewals', '');
  expect(woken).toEqual({ here: ['a', 'b', 'a'], there: [] });
  await clock.advance(10);
  expect(sent.map(({ topic, keys }) => [topic, keys])).toEqual([
    ['dispatch', ['a', 'b']],
    ['renewals', ['']],
  ]);
  expect(woken).toEqual({ here: ['a', 'b', 'a'], there: ['a', 'b'] });

  here.wake('dispatch', 'last');
  for (const each of shared) each.stop();
  expect(sent.at(-1)).toMatchObject({ keys: ['last'] });
});
