import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RenewalSubject } from '../../../control/billing/renewals/renew.ts';
import { dropNumber } from '../../../control/caller-id/drop-number.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import type { BuyDeps } from '../../../control/numbers/buy-number.ts';
import { createNumbers, type Numbers } from '../../../control/numbers/manage-numbers.ts';
import { createNumberRenewal } from '../../../control/numbers/number-renewal.ts';
import { saveOffers } from '../../../control/numbers/offer-store.ts';
import { createReleaseNumber } from '../../../control/numbers/release-number.ts';
import { createWorkspace } from '../../../control/operators/workspaces.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { giveCredits } from '../../support/credits.ts';
import { renewDue } from '../../support/due-renewals.ts';
import { runUntilKilled } from '../../support/killed-program.ts';
import {
  type NumberCarriers,
  RENTING_CARRIERS,
  startNumberCarriers,
  stockNumber,
} from '../../support/number-carriers.ts';
import { BUYER, buy, settleAll } from '../../support/number-orders.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** No cycle of a number is charged twice or left out, no fee is without its invoice, whatever dies. */

const ROUNDS = 100;
const DAY_MS = 86_400_000;
const FEE_PAISE = 8_800;
const PROGRAM = fileURLToPath(new URL('../../support/renew-number-program.ts', import.meta.url));
const STEPS = ['nextCharge', 'paid', 'pastDue', 'lapsed'] as const;
const startMs = Date.UTC(2026, 0, 1, 10);

let database: TestDatabase;
let sql: Sql;
let carriers: NumberCarriers;
let deps: BuyDeps;
let numbers: Numbers;
let atMs = startMs;
let count = 0;

const clock = { ...systemClock, wall: () => atMs };
const releaseNumber = createReleaseNumber(dropNumber);
const renewal = createNumberRenewal(releaseNumber);
const random = seededRandom(16);
/** Apart, because two processes ask in any order. */
const randomDeath = seededRandom(17);
const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connectDatabase({ url: database.url, max: 8 });
  carriers = await startNumberCarriers();
  const rented = Object.entries(carriers.inventories).map(([name, each]) => [name, { name, numbers: each }]);
  deps = { sql, clock, log: createLogger('control', 'silent'), carriers: new Map(rented as never) };
  numbers = createNumbers({ ...deps, releaseNumber, onReleasing() {} });
});
afterAll(async () => {
  await carriers.close();
  await sql.end();
});

async function newWorkspace(): Promise<string> {
  const { workspace_id } = await createWorkspace({ sql, wallMs: startMs }, 'Acme');
  await sql`insert into plans (id, name, concurrency_limit) values (${workspace_id}, 'Own', 5)`;
  await sql`update workspaces set plan_id = ${workspace_id} where id = ${workspace_id}`;
  return workspace_id;
}

async function buyOne(workspaceId: string): Promise<string | null> {
  const provider = pick(RENTING_CARRIERS);
  const number = `+1415${String(8_000_000 + count++)}`;
  const price = { monthly: 1, setup: 0, currency: 'USD' as const };
  await stockNumber(carriers, provider, number);
  await saveOffers(sql, [{ number, country: 'US', type: 'local', price, provider }], atMs);
  return (await buy(deps, workspaceId, number)) === 'bought' ? number : null;
}

/** One process, which may die after any step of any number. */
async function renew(deathRate: number): Promise<void> {
  const dies = <Step extends (...args: never[]) => Promise<unknown>>(step: Step) =>
    (async (...args: never[]) => {
      const result = await step(...args);
      if (randomDeath() < deathRate) throw new Error('died');
      return result;
    }) as unknown as Step;
  const subject: RenewalSubject = { ...renewal };
  for (const step of STEPS) subject[step] = dies(renewal[step] as never) as never;
  await renewDue(sql, atMs, [subject]).catch((error: Error) => {
    if (error.message !== 'died') throw error;
  });
}

interface Bought {
  number: string;
  workspace_id: string;
  order_id: string;
  bought_at: Date;
  status: string;
  cycle_end: Date | null;
  past_due_since: Date | null;
}

const boughtNumbers = () => sql<Bought[]>`
  select n.number, n.workspace_id, n.order_id, n.created_at as bought_at, n.status, r.cycle_end, r.past_due_since
  from numbers n left join renewals r on r.workspace_id = n.workspace_id and r.kind = 'number' and r.subject_id = n.number
  where n.order_id is not null`;

/** Ledger, invoices, renewals and carriers say the same. @param partly workspaces whose plan includes numbers at times */
async function expectConsistent(partly: readonly string[]): Promise<Record<string, number>> {
  const charged = await sql<{ key: string; amount_paise: number }[]>`
    select key, -amount_paise as amount_paise from ledger where kind = 'number'`;
  const invoiced = await sql<{ key: string; amount_paise: number }[]>`
    select key, amount_paise from invoices where kind = 'number'`;
  const sorted = (rows: { key: string }[]) => [...rows].sort((a, b) => (a.key < b.key ? -1 : 1));
  expect(sorted(invoiced)).toEqual(sorted(charged));
  const wallets = await sql`
    select w.workspace_id from wallets w
    where paid_paise + free_paise <> (select coalesce(sum(amount_paise), 0) from ledger l where l.workspace_id = w.workspace_id)
      or paid_paise < 0 or free_paise < 0`;
  expect([...wallets]).toEqual([]);

  const held = Object.values(carriers.simulators).flatMap(({ stock }) => [...stock.held.keys()]);
  const counts: Record<string, number> = { active: 0, past_due: 0, released: 0, cycles: 0 };
  for (const { number, workspace_id, bought_at, status, cycle_end, past_due_since } of await boughtNumbers()) {
    counts[status]!++;
    expect([number, held.includes(number), cycle_end !== null]).toEqual([
      number,
      status !== 'released',
      status !== 'released',
    ]);
    const prefix = `number:${number}:`;
    const begins = charged
      .filter(({ key }) => key.startsWith(prefix))
      .map(({ key }) => (Date.parse(key.slice(prefix.length)) - bought_at.getTime()) / DAY_MS / 30)
      .sort((a, b) => a - b);
    counts.cycles! += begins.length;
    const all = begins.map((_, at) => at + 1);
    if (partly.includes(workspace_id)) expect([number, begins.every(Number.isInteger)]).toEqual([number, true]);
    else expect([number, begins]).toEqual([number, all]);
    if (!cycle_end) continue;
    const paidCycles = (cycle_end.getTime() - bought_at.getTime()) / DAY_MS / 30 - 1;
    if (!partly.includes(workspace_id)) expect([number, paidCycles]).toEqual([number, begins.length]);
    if (status === 'active') expect([number, cycle_end.getTime() > atMs]).toEqual([number, true]);
    else expect([number, atMs - past_due_since!.getTime() < 7 * DAY_MS]).toEqual([number, true]);
  }
  return counts;
}

/** What waits for a carrier takes a while; what comes due meanwhile is renewed too. */
async function settle(): Promise<void> {
  for (let before = -1; before !== atMs; ) {
    before = atMs;
    await settleAll(deps, (ms) => {
      atMs += ms;
    });
    await renew(0);
  }
  // Exotel carries out a release after it was accepted.
  await carriers.inventories.exotel.list();
}

describe('the renewals of numbers', () => {
  it(`stay whole over ${ROUNDS} rounds of purchases, releases, late credits, changed plans and deaths`, async () => {
    const workspaces = [await newWorkspace(), await newWorkspace(), await newWorkspace()];
    const [changing] = workspaces;
    for (let round = 0; round < ROUNDS; round++) {
      atMs += Math.floor(random() * pick([1, 4, 12]) * DAY_MS);
      const workspaceId = pick(workspaces);
      const action = random();
      if (action < 0.3) await buyOne(workspaceId);
      else if (action < 0.5) await giveCredits(sql, workspaceId, pick([1, 2, 5]) * FEE_PAISE);
      else if (action < 0.6) {
        await sql`update plans set included_numbers = ${pick([0, 1, 2])} where id = ${changing!}`;
      } else if (action < 0.65) {
        const [one] = await numbers.list(workspaceId);
        if (one) await numbers.release({ workspaceId, actor: BUYER, number: one.number });
      }
      await Promise.all([renew(0.3), renew(0.3)]);
      if (round % 20 !== 19) continue;
      // The leases of what died are over.
      atMs += 60_001;
      await renew(0);
      await settle();
      await expectConsistent([changing!]);
    }
    const counts = await expectConsistent([changing!]);
    expect(counts.released).toBeGreaterThan(0);
    expect(counts.cycles).toBeGreaterThan(10);
  });

  it.each([
    ['paid', 5],
    ['pastDue', 0],
    ['lapsed', 0],
  ] as const)('survive a process killed after "%s"', async (step, fees) => {
    const workspaceId = await newWorkspace();
    await sql`update wallets set free_paise = 0 where workspace_id = ${workspaceId}`;
    await sql`delete from ledger where workspace_id = ${workspaceId}`;
    await giveCredits(sql, workspaceId, (fees + 1) * FEE_PAISE);
    const number = await buyOne(workspaceId);
    await settle();
    const due = async () => (await boughtNumbers()).find((row) => row.number === number)!;
    await sql`delete from renewals where subject_id <> ${number}`;
    atMs = (await due()).cycle_end!.getTime();
    if (step === 'lapsed') {
      await renew(0);
      atMs += 7 * DAY_MS;
    }
    const before = await due();
    await runUntilKilled(PROGRAM, database.url, String(atMs), step);
    expect(await due()).toEqual(before);
    atMs += 60_001;
    await renew(0);
    await settle();
    const after = await due();
    const expected = { paid: 'active', pastDue: 'past_due', lapsed: 'released' };
    expect(after.status).toBe(expected[step]);
    const rows = await sql`select 1 from ledger where workspace_id = ${workspaceId} and kind = 'number'`;
    expect(rows).toHaveLength(step === 'paid' ? 2 : 1);
  });
});
