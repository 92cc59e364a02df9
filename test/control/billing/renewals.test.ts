import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RenewalSubject, renew } from '../../../control/billing/renewals/renew.ts';
import { afterFailure, cycleEndAfter } from '../../../control/billing/renewals/renewal-policy.ts';
import { attemptRenewal, startRenewalWorker } from '../../../control/billing/renewals/renewal-worker.ts';
import {
  findRenewal,
  leaseDueRenewals,
  type RenewalKey,
  retryPastDue,
  startRenewal,
  stopRenewal,
} from '../../../control/billing/renewals/renewals.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { systemClock } from '../../../shared/clock.ts';
import { newId } from '../../../shared/ids.ts';
import { createLogger } from '../../../shared/log.ts';
import { giveCredits, giveWallet } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';
import { createTestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const DAY_MS = 86_400_000;
const FEE_PAISE = 100;
const BOUGHT_MS = Date.UTC(2026, 0, 1, 10);
const billingUrl = 'https://console.example.com/billing';
const log = createLogger('control', 'silent');

let sql: Sql;
let url: string;
/** What happened to the subject, in order. */
let steps: string[];
let fee: number | null;
let failing: boolean;

const subject: RenewalSubject = {
  kind: 'number',
  nextCharge: async () => (fee === null ? null : { amount_paise: fee, description: 'a number' }),
  async paid(_tx, _due, cycleEnd) {
    if (failing) throw new Error('the process dies here');
    steps.push(`paid until ${dayOf(cycleEnd)}`);
  },
  pastDue: async (_tx, due) => void steps.push(`past due since ${dayOf(due.past_due_since!)}`),
  lapsed: async () => void steps.push('lapsed'),
};
const subjects = new Map([['number', subject] as const]);

/** Days since it was bought. */
const dayOf = (time: Date) => (time.getTime() - BOUGHT_MS) / DAY_MS;

beforeAll(async () => {
  ({ sql, url } = await createTestDatabase());
});
beforeEach(async () => {
  await sql`delete from renewals`;
  [steps, fee, failing] = [[], FEE_PAISE, false];
});

async function bought(credits_paise: number): Promise<RenewalKey> {
  const workspace_id = newId();
  await sql`insert into workspaces (id, name, state, created_at) values (${workspace_id}, 'Acme', 'active', now())`;
  await giveWallet(sql, workspace_id, credits_paise);
  const key = { workspace_id, kind: 'number', subject_id: 'one' } as const;
  await sql.begin((tx) => startRenewal(tx, { ...key, cycle_end: cycleEndAfter(BOUGHT_MS) }));
  return key;
}

const clockAt = (day: number) => ({ ...systemClock, wall: () => BOUGHT_MS + day * DAY_MS });

/** All that is due on a day, by one process. */
const runOn = (day: number, database = sql) => renewDue(database, clockAt(day).wall(), [subject]);

const charges = async ({ workspace_id }: RenewalKey) =>
  (
    await sql<{ key: string; amount_paise: number }[]>`
      select key, amount_paise from ledger where workspace_id = ${workspace_id} and kind = 'number' order by seq`
  ).map(({ key, amount_paise }) => [key, amount_paise]);

const keyOn = (day: number) => `number:one:${new Date(BOUGHT_MS + day * DAY_MS).toISOString()}`;

describe('a renewal', () => {
  it('is charged when its cycle ends, and not before', async () => {
    const key = await bought(1_000);
    await runOn(29.999);
    expect(steps).toEqual([]);
    await runOn(30);
    await runOn(30);
    expect(steps).toEqual(['paid until 60']);
    expect(await charges(key)).toEqual([[keyOn(30), -FEE_PAISE]]);
  });

  it('is tried every day, and the next cycle ends where it would have ended', async () => {
    const key = await bought(0);
    for (const day of [30, 30.5, 31, 32]) await runOn(day);
    expect(steps).toEqual(['past due since 30']);
    expect(await findRenewal(sql, key)).toMatchObject({ next_attempt_at: clockDate(33) });
    await giveCredits(sql, key.workspace_id, 150);
    await runOn(32.5);
    expect(await charges(key)).toEqual([]);
    await runOn(33);
    expect(steps.slice(1)).toEqual(['paid until 60']);
    expect(await findRenewal(sql, key)).toMatchObject({ past_due_since: null, next_attempt_at: clockDate(60) });
  });

  it('ends after seven days, tried once more before', async () => {
    const [unpaid, late] = [await bought(0), await bought(0)];
    for (const day of [30, 31, 32, 33, 34, 35, 36]) await runOn(day);
    expect(steps).toEqual(['past due since 30', 'past due since 30']);
    await giveCredits(sql, late.workspace_id, FEE_PAISE);
    await runOn(37);
    expect(steps.slice(2).sort()).toEqual(['lapsed', 'paid until 60']);
    expect(await findRenewal(sql, unpaid)).toBeNull();
    expect(await findRenewal(sql, late)).toMatchObject({ cycle_end: clockDate(60) });
  });

  it('is tried at once when credits were added', async () => {
    const key = await bought(0);
    await runOn(30);
    await giveCredits(sql, key.workspace_id, FEE_PAISE);
    expect(await sql.begin((tx) => retryPastDue(tx, key.workspace_id, BOUGHT_MS + 30.1 * DAY_MS))).toBe(1);
    await runOn(30.1);
    expect(steps).toEqual(['past due since 30', 'paid until 60']);
  });

  it('is charged cycle by cycle after an outage, and seven days are counted from the first attempt', async () => {
    const key = await bought(250);
    await runOn(125);
    expect(steps).toEqual(['paid until 60', 'paid until 90', 'past due since 125']);
    expect(await charges(key)).toEqual([
      [keyOn(30), -FEE_PAISE],
      [keyOn(60), -FEE_PAISE],
    ]);
    await runOn(131.9);
    expect(steps).toHaveLength(3);
    await runOn(132);
    expect(steps[3]).toBe('lapsed');
  });

  it('without a fee goes on, and one of nothing stops', async () => {
    const key = await bought(-50);
    fee = 0;
    await runOn(30);
    expect(steps).toEqual(['paid until 60']);
    expect(await charges(key)).toEqual([]);
    fee = null;
    await runOn(60);
    expect(await findRenewal(sql, key)).toBeNull();
    expect(steps).toHaveLength(1);
  });

  it('of a closed workspace is charged nothing and ends', async () => {
    const key = await bought(1_000);
    await sql`update workspaces set state = 'closed' where id = ${key.workspace_id}`;
    await runOn(30);
    expect(steps).toEqual(['lapsed']);
    expect(await charges(key)).toEqual([]);
  });

  it('of a suspended workspace is charged as before', async () => {
    const key = await bought(1_000);
    await sql`update workspaces set state = 'suspended' where id = ${key.workspace_id}`;
    await runOn(30);
    expect(await charges(key)).toHaveLength(1);
  });
});

describe('the same cycle', () => {
  it('is charged once by two processes', async () => {
    const keys = await Promise.all(Array.from({ length: 10 }, () => bought(100_000)));
    const other = connectDatabase({ url, max: 2 });
    try {
      await Promise.all([runOn(90), runOn(90, other), runOn(90), runOn(90, other)]);
    } finally {
      await other.end();
    }
    for (const key of keys) {
      expect(await charges(key)).toEqual([30, 60, 90].map((day) => [keyOn(day), -FEE_PAISE]));
    }
  });

  it('is charged once when the process dies before its commit, after the lease', async () => {
    const key = await bought(1_000);
    failing = true;
    await expect(runOn(30)).rejects.toThrow('the process dies here');
    expect(await charges(key)).toEqual([]);
    failing = false;
    await runOn(30);
    expect(await charges(key)).toEqual([]);
    await runOn(30 + 60_000 / DAY_MS);
    expect(await charges(key)).toEqual([[keyOn(30), -FEE_PAISE]]);
  });

  it('is not charged by whom the lease was taken from', async () => {
    const key = await bought(1_000);
    const [slow] = await leaseDueRenewals(sql, 1, BOUGHT_MS + 30 * DAY_MS, 60_000);
    await sql.begin((tx) => stopRenewal(tx, key));
    await sql.begin((tx) => startRenewal(tx, { ...key, cycle_end: clockDate(31) }));
    await attemptRenewal({ sql, clock: clockAt(30), log, subjects, billingUrl }, slow!);
    expect(await charges(key)).toEqual([]);
  });

  it('charged by its key already is not charged again', async () => {
    const key = await bought(1_000);
    const renewal = (await findRenewal(sql, key))!;
    for (let i = 0; i < 2; i++) {
      await sql.begin((tx) =>
        renew(tx, subject, renewal, { at_ms: BOUGHT_MS + 30 * DAY_MS, billing_url: billingUrl, closed: false }),
      );
    }
    expect(await charges(key)).toHaveLength(1);
  });
});

it('the worker sleeps until the next fee is due, and is woken by a retry', async () => {
  const key = await bought(0);
  const timers: number[] = [];
  let nowMs = BOUGHT_MS + 30 * DAY_MS - 5_000;
  const clock = {
    now: () => 0,
    wall: () => nowMs,
    after(delayMs: number, run: () => void) {
      timers.push(delayMs);
      return delayMs <= 0 ? systemClock.after(0, run) : { cancel() {} };
    },
  };
  const worker = startRenewalWorker({ sql, clock, log, subjects, billingUrl });
  try {
    await until(() => timers.includes(5_000));
    nowMs += 5_000;
    worker.wake();
    await until(() => steps.length === 1);
    await until(() => timers.length > 3);
    await giveCredits(sql, key.workspace_id, FEE_PAISE);
    nowMs += 1_000;
    await sql.begin((tx) => retryPastDue(tx, key.workspace_id, nowMs));
    await until(() => steps.length === 2);
    expect(steps).toEqual(['past due since 30', 'paid until 60']);
  } finally {
    await worker.stop();
  }
});

it('a retry is a day after the last one, whenever it ran', () => {
  const at = (day: number) => new Date(BOUGHT_MS + day * DAY_MS);
  const timing = { cycle_end: at(30), next_attempt_at: at(31), past_due_since: at(30) };
  expect(afterFailure(timing, at(31.4).getTime())?.next_attempt_at).toEqual(at(32));
  expect(afterFailure(timing, at(36.999).getTime())?.next_attempt_at).toEqual(at(37));
  expect(afterFailure(timing, at(37).getTime())).toBeNull();
});

const clockDate = (day: number) => new Date(BOUGHT_MS + day * DAY_MS);
