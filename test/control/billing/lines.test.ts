import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../shared/clock.ts';
import { startTestApi, type TestApi, type UserClient } from '../../support/control-app.ts';
import { giveCredits } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';

const DAY_MS = 86_400_000;
const LINE_PAISE = 60_000;
const START_MS = Date.UTC(2026, 10, 23, 10);

let api: TestApi;
let nowMs = START_MS;
let owner: UserClient;

beforeAll(async () => {
  api = await startTestApi({}, {}, { clock: { ...systemClock, wall: () => nowMs } });
});
beforeEach(async () => {
  nowMs = START_MS;
  owner = await api.asUser('owner');
  const { workspace_id } = owner;
  await api.sql`delete from ledger where workspace_id = ${workspace_id}`;
  await api.sql`update wallets set paid_paise = 0, free_paise = 0, seq = 0 where workspace_id = ${workspace_id}`;
});

const topUp = (paise: number) => giveCredits(api.sql, owner.workspace_id, paise);
const buy = (quantity: number, headers = {}) => owner.send('POST', '/billing/lines', { quantity }, headers);
const remove = (quantity: number) => owner.send('POST', '/billing/lines/remove', { quantity });
const lines = async () => (await owner.send('GET', '/billing/lines?timezone=UTC')).body;
const at = (day: number) => new Date(START_MS + day * DAY_MS).toISOString().replace('.000Z', '+00:00');

async function onDay(day: number): Promise<void> {
  nowMs = START_MS + day * DAY_MS;
  await api.sql`update sessions set expires_at = ${new Date(nowMs + DAY_MS)} where expires_at < ${new Date(nowMs + DAY_MS)}`;
  await renewDue(api.sql, nowMs);
}

/** Newest first. */
const charges = async () =>
  (await owner.send('GET', '/billing/ledger')).body.items
    .filter(({ kind }: { kind: string }) => kind === 'lines')
    .map(({ amount_paise, note }: { amount_paise: number; note: string }) => [amount_paise, note]);

describe('the first lines', () => {
  it('are paid for 30 days at once, with an invoice', async () => {
    await topUp(3 * LINE_PAISE);
    const { status, body } = await buy(3);
    expect([status, body.extra_lines]).toEqual([200, 3]);
    expect(await lines()).toEqual({
      ...{ extra_lines: 3, price_per_line_paise: LINE_PAISE, lines_paid_until: at(30), lines_past_due_since: null },
      ...{ next_charge_paise: 3 * LINE_PAISE, concurrency_limit: 8, can_add: 92, currency: 'INR' },
    });
    expect(await charges()).toEqual([[-180_000, '3 lines, 30 days from 2026-11-23']]);
    expect(await api.sql`select 1 from invoices where workspace_id = ${owner.workspace_id}`).toHaveLength(1);
  });

  it('are not bought without the credits for them', async () => {
    await topUp(2 * LINE_PAISE - 1);
    expect(await buy(2)).toMatchObject({
      status: 402,
      body: { detail: 'not enough credits: adding 2 lines costs 1200.00 INR' },
    });
    expect(await lines()).toMatchObject({ extra_lines: 0, lines_paid_until: null, concurrency_limit: 5 });
  });

  it('are at most 100 calls in all', async () => {
    await topUp(1_000 * LINE_PAISE);
    expect(await buy(96)).toMatchObject({ status: 409, body: { detail: 'at most 95 more lines' } });
    const both = await Promise.all([buy(60), buy(60)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await buy(35)).body).toMatchObject({ extra_lines: 95, concurrency_limit: 100, can_add: 0 });
    for (const quantity of [0, 101, 1.5]) expect((await buy(quantity)).status).toBe(422);
  });

  it('are bought once by the same request', async () => {
    await topUp(10 * LINE_PAISE);
    for (let i = 0; i < 2; i++) expect((await buy(1, { 'idempotency-key': 'a' })).body.extra_lines).toBe(1);
    expect(await charges()).toHaveLength(1);
  });
});

describe('lines added within a cycle', () => {
  it.each([
    ['after a moment', 0.0001, 30, 60_000],
    ['on the second day', 1.0001, 29, 58_000],
    ['exactly ten days later', 10, 20, 40_000],
    ['just before its end', 29.9999, 1, 2_000],
  ])('are paid by the day, %s', async (_when, day, days, paise) => {
    await topUp(100 * LINE_PAISE);
    await buy(2);
    await onDay(day);
    expect((await buy(1)).body).toMatchObject({ extra_lines: 3, next_charge_paise: 3 * LINE_PAISE });
    expect((await charges())[0]![0]).toBe(-paise);
    expect((await charges())[0]![1]).toMatch(`1 line, ${days} day`);
    await onDay(30);
    expect((await charges())[0]).toEqual([-180_000, '3 lines, 30 days']);
    expect(await lines()).toMatchObject({ lines_paid_until: at(60) });
  });

  it('are rounded up once', async () => {
    await topUp(100 * LINE_PAISE);
    await api.sql`
      insert into rates (component, currency, rate_paise, updated_at) values ('line', 'INR', 1001, now())`;
    try {
      await buy(1);
      await onDay(23);
      await buy(7);
      // 7 × 1001 × 7 / 30 = 1634.97
      expect((await charges())[0]![0]).toBe(-1_635);
    } finally {
      await api.sql`delete from rates where component = 'line'`;
    }
  });
});

describe('removing lines', () => {
  it('takes effect at once, gives nothing back and lowers the next charge', async () => {
    await topUp(3 * LINE_PAISE + LINE_PAISE);
    await buy(3);
    await onDay(5);
    expect((await remove(2)).body).toMatchObject({
      extra_lines: 1,
      concurrency_limit: 6,
      lines_paid_until: at(30).replace('10:00:00+00:00', '15:30:00+05:30'),
    });
    await onDay(30);
    expect((await charges()).map(([amount]: [number]) => amount)).toEqual([-LINE_PAISE, -3 * LINE_PAISE]);
  });

  it('of the last one ends the cycle', async () => {
    await topUp(10 * LINE_PAISE);
    await buy(2);
    await onDay(3);
    expect((await remove(2)).body).toMatchObject({ extra_lines: 0, lines_paid_until: null, next_charge_paise: 0 });
    expect(await remove(1)).toMatchObject({ status: 409, body: { detail: 'at most 0 lines can be removed' } });
    await onDay(40);
    expect(await charges()).toHaveLength(1);
    await buy(1);
    expect(await lines()).toMatchObject({ lines_paid_until: at(70) });
  });
});

describe('unpaid lines', () => {
  beforeEach(async () => {
    await topUp(2 * LINE_PAISE);
    await buy(2);
    await onDay(30);
  });

  it('stay for seven days and are removed then', async () => {
    expect(await lines()).toMatchObject({ extra_lines: 2, lines_paid_until: null, lines_past_due_since: at(30) });
    for (const day of [31, 36, 36.99]) await onDay(day);
    expect(await lines()).toMatchObject({ extra_lines: 2, concurrency_limit: 7 });
    await onDay(37);
    expect(await lines()).toMatchObject({ extra_lines: 0, concurrency_limit: 5, lines_past_due_since: null });
    const emails = await api.sql<{ subject: string }[]>`
      select subject from mail_outbox where workspace_id = ${owner.workspace_id} and subject like '%lines%' order by id`;
    expect(emails.map(({ subject }) => subject)).toEqual([
      'The fee of your call lines could not be taken',
      'Your call lines are removed',
    ]);
    const events = (await owner.send('GET', '/audit-events?action=lines')).body.items;
    expect(events.map(({ action }: { action: string }) => action)).toContain('lines.past_due');
  });

  it('are paid late without moving the cycle', async () => {
    await topUp(2 * LINE_PAISE);
    await onDay(32);
    expect(await lines()).toMatchObject({ lines_paid_until: at(60), lines_past_due_since: null });
  });

  it('are paid before more are bought', async () => {
    await topUp(2 * LINE_PAISE - 1);
    expect(await buy(1)).toMatchObject({
      status: 402,
      body: { detail: 'not enough credits: the renewal of 2 lines costs 1200.00 INR' },
    });
    await topUp(LINE_PAISE + 1);
    nowMs += DAY_MS / 2;
    expect((await buy(1)).body).toMatchObject({ extra_lines: 3, lines_past_due_since: null });
    expect((await charges()).map(([amount]: [number]) => amount)).toEqual([-60_000, -120_000, -120_000]);
    await onDay(31);
    expect(await charges()).toHaveLength(3);
  });
});
