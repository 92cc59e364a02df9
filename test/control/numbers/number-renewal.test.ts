import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { putOnPlan } from '../../../control/billing/change-plan.ts';
import { dropNumber } from '../../../control/caller-id/drop-number.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { createNumbers, type Numbers } from '../../../control/numbers/manage-numbers.ts';
import { createNumberRenewal } from '../../../control/numbers/number-renewal.ts';
import { saveOffers } from '../../../control/numbers/offer-store.ts';
import { createReleaseNumber } from '../../../control/numbers/release-number.ts';
import type { InventoryDeps } from '../../../control/numbers/search-inventory.ts';
import { createWorkspace } from '../../../control/operators/workspaces.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { giveCredits } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';
import { type NumberCarriers, startNumberCarriers, stockNumber } from '../../support/number-carriers.ts';
import { BUYER, buy, settleAll } from '../../support/number-orders.ts';
import { createTestDatabase } from '../../support/postgres.ts';

const DAY_MS = 86_400_000;
const FEE_PAISE = 8_800;
const price = { monthly: 1, setup: 0, currency: 'USD' as const };
const startMs = Date.UTC(2026, 0, 1, 10);

let sql: Sql;
let carriers: NumberCarriers;
let deps: InventoryDeps;
let numbers: Numbers;
let workspace_id: string;
let day = 0;
let count = 0;

const clock = { ...systemClock, wall: () => startMs + day * DAY_MS };
const releaseNumber = createReleaseNumber(dropNumber);
const renewal = createNumberRenewal(releaseNumber);

beforeAll(async () => {
  const database = await createTestDatabase();
  sql = connectDatabase({ url: database.url, max: 4 });
  carriers = await startNumberCarriers();
  const rented = new Map(Object.entries(carriers.inventories).map(([name, each]) => [name, { numbers: each }]));
  deps = { sql, clock, log: createLogger('control', 'silent'), carriers: rented as never };
  numbers = createNumbers({ ...deps, releaseNumber, onReleasing() {} });
});
afterAll(async () => {
  await carriers.close();
  await sql.end();
});
beforeEach(async () => {
  day = 0;
  await sql`delete from renewals`;
  ({ workspace_id } = await createWorkspace({ sql, wallMs: startMs }, 'Acme'));
  await sql`update workspaces set alert_emails = array['owner@acme.example'] where id = ${workspace_id}`;
  await sql`insert into plans (id, name, concurrency_limit) values (${workspace_id}, 'Own', 5)`;
  await sql`update workspaces set plan_id = ${workspace_id} where id = ${workspace_id}`;
  // The welcome credits are spent.
  await sql`update wallets set free_paise = 0 where workspace_id = ${workspace_id}`;
});

const credits = (fees: number) => giveCredits(sql, workspace_id, fees * FEE_PAISE);
const includes = (included: number) => sql`update plans set included_numbers = ${included} where id = ${workspace_id}`;

async function bought(): Promise<string> {
  const number = `+1415${String(6_000_000 + count++)}`;
  await stockNumber(carriers, 'twilio', number);
  await saveOffers(sql, [{ number, country: 'US', type: 'local', price, provider: 'twilio' }], clock.wall());
  expect(await buy(deps, workspace_id, number)).toBe('bought');
  return number;
}
async function renewOn(later: number) {
  day = later;
  await renewDue(sql, clock.wall(), [renewal]);
}
const list = () => numbers.list(workspace_id);
const charges = async () =>
  (
    await sql<{ amount_paise: number }[]>`
      select amount_paise from ledger where workspace_id = ${workspace_id} and kind = 'number' order by seq`
  ).map(({ amount_paise }) => -amount_paise);
const invoices = async () =>
  (
    await sql<{ amount_paise: number }[]>`
      select amount_paise from invoices where workspace_id = ${workspace_id} and kind = 'number' order by id`
  ).map(({ amount_paise }) => amount_paise);
const mails = async (text: string) =>
  (
    await sql`
      select subject from mail_outbox where workspace_id = ${workspace_id} and subject like ${`%${text}%`}`
  ).length;
const onDay = (time: Date | number | null) => time && (time.valueOf() - startMs) / DAY_MS;

describe('the fee of a number', () => {
  it('is taken every 30 days, each time with an invoice', async () => {
    await credits(3);
    await bought();
    expect([await charges(), await invoices()]).toEqual([[FEE_PAISE], [FEE_PAISE]]);
    await renewOn(29.9);
    await renewOn(30);
    expect([await charges(), await invoices()]).toEqual(Array(2).fill([FEE_PAISE, FEE_PAISE]));
    expect((await list()).map(({ paid_until }) => onDay(paid_until))).toEqual([60]);
  });

  it("is the operator's rate in rupees at the exchange rate for who pays in dollars", async () => {
    await credits(3);
    const number = await bought();
    // Of a carrier that names no price.
    await sql`update numbers set price = null where number = ${number}`;
    await sql`
      insert into rates (component, provider, model, currency, rate_paise, updated_at)
      values ('number', '', '', 'INR', 50000, now())`;
    await sql`update workspaces set currency = 'USD' where id = ${workspace_id}`;
    expect((await list())[0]?.monthly_fee_paise).toBe(569);
    await sql`
      insert into rates (component, provider, model, currency, rate_paise, updated_at)
      values ('number', '', '', 'USD', 600, now())`;
    expect((await list())[0]?.monthly_fee_paise).toBe(600);
    await sql`delete from rates`;
  });

  it("is the operator's rate of the moment, where there is one", async () => {
    await credits(3);
    await bought();
    await sql`
      insert into rates (component, provider, model, currency, rate_paise, updated_at)
      values ('number', 'twilio', '', 'INR', 5000, now())`;
    expect((await list())[0]?.monthly_fee_paise).toBe(5_000);
    await renewOn(30);
    expect(await charges()).toEqual([FEE_PAISE, 5_000]);
    await sql`delete from rates where component = 'number'`;
  });

  it('may be paid late: the number is active again, and the cycle ends as before', async () => {
    await credits(1);
    const number = await bought();
    await renewOn(30);
    await renewOn(31);
    expect(await list()).toMatchObject([
      { number, status: 'past_due', paid_until: null, monthly_fee_paise: FEE_PAISE },
    ]);
    expect(onDay((await list())[0]!.past_due_since)).toBe(30);
    expect(await mails('could not be taken')).toBe(1);
    await credits(1);
    await renewOn(33);
    expect(await list()).toMatchObject([{ status: 'active', past_due_since: null }]);
    expect(onDay((await list())[0]!.paid_until)).toBe(60);
  });

  it('unpaid for seven days ends the number: here, at its agent, in its caller id and at its carrier', async () => {
    await credits(1);
    const number = await bought();
    await sql`
      insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise,
        currency, created_by, created_at)
      values (${workspace_id}, ${workspace_id}, ${[number]}, 'Acme', 'Orders', '', 'image/png', 'active', 0, 'INR', '', now())`;
    await sql`
      insert into caller_id_numbers (workspace_id, number, request_id)
      values (${workspace_id}, ${number}, ${workspace_id})`;
    for (let each = 30; each < 37; each++) await renewOn(each);
    expect(await list()).toMatchObject([{ status: 'past_due', caller_verification: true }]);
    await renewOn(37);
    await settleAll(deps, () => {
      day += 0.01;
    });
    expect(await list()).toEqual([]);
    expect(carriers.simulators.twilio.stock.releases).toContain(number);
    expect(await sql`select status from caller_id_requests where id = ${workspace_id}`).toMatchObject([
      { status: 'removed' },
    ]);
    expect([await mails('could not be taken'), await mails('is released'), await charges()]).toEqual([
      1,
      1,
      [FEE_PAISE],
    ]);
  });

  it('is not taken any more once the number is released', async () => {
    await credits(3);
    const number = await bought();
    await numbers.release({ workspaceId: workspace_id, actor: BUYER, number });
    await renewOn(30);
    expect(await charges()).toEqual([FEE_PAISE]);
  });
});

describe('the numbers that a plan includes', () => {
  it('are the oldest ones, also those that were charged before', async () => {
    await credits(10);
    const first = await bought();
    day = 1;
    const second = await bought();
    await includes(1);
    expect(
      (await list()).map(({ number, included, monthly_fee_paise }) => [number, included, monthly_fee_paise]),
    ).toEqual([
      [second, false, FEE_PAISE],
      [first, true, 0],
    ]);
    await renewOn(31);
    expect(await charges()).toEqual([FEE_PAISE, FEE_PAISE, FEE_PAISE]);
  });

  it('are charged from their next cycle when the plan changes, and free again after it', async () => {
    await includes(1);
    const number = await bought();
    expect([await charges(), await invoices(), (await list())[0]?.paid_until]).toEqual([[], [], null]);
    await renewOn(30);
    await includes(0);
    await credits(2);
    expect(await list()).toMatchObject([{ number, included: false, monthly_fee_paise: FEE_PAISE }]);
    await renewOn(59);
    expect(await charges()).toEqual([]);
    await renewOn(60);
    await includes(1);
    await renewOn(90);
    expect(await charges()).toEqual([FEE_PAISE]);
  });

  it('are not unpaid any more once the workspace is on such a plan', async () => {
    await credits(1);
    const number = await bought();
    await renewOn(30);
    await sql`insert into plans (id, name, concurrency_limit, included_numbers) values ('larger', 'Larger', 5, 1)`;
    await sql.begin((tx) => putOnPlan(tx, { workspace_id, plan_id: 'larger', at_ms: clock.wall() }));
    await renewOn(30);
    expect(await list()).toMatchObject([{ number, status: 'active', included: true, past_due_since: null }]);
    expect(await charges()).toEqual([FEE_PAISE]);
  });

  it('include the next one when one is released', async () => {
    await includes(1);
    await credits(3);
    const first = await bought();
    day = 1;
    const second = await bought();
    await numbers.release({ workspaceId: workspace_id, actor: BUYER, number: first });
    expect(await list()).toMatchObject([{ number: second, included: true }]);
    await renewOn(31);
    expect(await charges()).toEqual([FEE_PAISE]);
  });
});

describe('a caller-id request', () => {
  it('goes on without a number that is released, as long as it has another', async () => {
    await credits(3);
    const [one, other] = [await bought(), await bought()];
    await sql`
      insert into caller_id_requests (workspace_id, id, numbers, display_name, call_reason, logo, logo_type, status, fee_paise,
        currency, created_by, created_at)
      values (${workspace_id}, ${workspace_id}, ${[one, other]}, 'Acme', 'Orders', '', 'image/png', 'submitted', 0, 'INR', '',
        now())`;
    await sql`
      insert into caller_id_numbers (workspace_id, number, request_id)
      select ${workspace_id}, number, ${workspace_id} from unnest(${[one, other]}::text[]) as number`;
    const request = async () => {
      const [row] = await sql`select numbers, status from caller_id_requests where id = ${workspace_id}`;
      return row;
    };
    await numbers.release({ workspaceId: workspace_id, actor: BUYER, number: one });
    expect(await request()).toEqual({ numbers: [other], status: 'submitted' });
    await numbers.release({ workspaceId: workspace_id, actor: BUYER, number: other });
    expect(await request()).toEqual({ numbers: [other], status: 'withdrawn' });
  });
});
