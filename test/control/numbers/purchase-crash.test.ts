import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NumberInventory } from '../../../control/carriers/number-inventory.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import type { BuyDeps } from '../../../control/numbers/buy-number.ts';
import { saveOffers } from '../../../control/numbers/offer-store.ts';
import { createWorkspace } from '../../../control/operators/workspaces.ts';
import type { PurchaseFault } from '../../../fixtures/simulators/number-stock.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { giveCredits } from '../../support/credits.ts';
import { runUntilKilled } from '../../support/killed-program.ts';
import {
  type NumberCarriers,
  RENTING_CARRIERS,
  type RentingCarrier,
  startNumberCarriers,
  stockNumber,
} from '../../support/number-carriers.ts';
import { buy, paidByNumber, settleAll } from '../../support/number-orders.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { seededRandom } from '../../support/seeded-random.ts';

/** Never two orders of a number, never a fee without the number, never a number without its fee. */

const ROUNDS = 200;
const FEE_PAISE = 8_800;
const STEPS = ['looked up', 'ordered', 'answered', null] as const;
const FAULTS: (PurchaseFault | null)[] = ['lost before', 'lost after', 'error after', null];
const PROGRAM = fileURLToPath(new URL('../../support/buy-number-program.ts', import.meta.url));
const price = { monthly: 1, setup: 0, currency: 'USD' as const };

let database: TestDatabase;
let sql: Sql;
let carriers: NumberCarriers;
let workspaceIds: string[];
let shiftedMs = 0;
let count = 0;

const clock = { ...systemClock, wall: () => Date.now() + shiftedMs };

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connectDatabase({ url: database.url, max: 8 });
  carriers = await startNumberCarriers();
});
afterAll(async () => {
  await carriers.close();
  await sql.end();
});
beforeEach(async () => {
  workspaceIds = [];
  for (let n = 0; n < 4; n++) {
    const { workspace_id } = await createWorkspace({ sql, wallMs: Date.now() }, `Buyer ${n}`);
    await giveCredits(sql, workspace_id, 10_000_000);
    workspaceIds.push(workspace_id);
  }
});

function depsOf(change: (inventory: NumberInventory) => NumberInventory = (same) => same): BuyDeps {
  const changed = Object.entries(carriers.inventories).map(([name, numbers]) => [name, { numbers: change(numbers) }]);
  return { sql, clock, log: createLogger('control', 'silent'), carriers: new Map(changed as never) };
}

async function offered(provider: RentingCarrier): Promise<string> {
  const number = `+1415${String(5_000_000 + count++)}`;
  await stockNumber(carriers, provider, number);
  await saveOffers(sql, [{ number, country: 'US', type: 'local', price, provider }], clock.wall());
  return number;
}

/** Carrier, list and ledger say the same of every number. */
async function expectConsistent(numbers: string[]): Promise<number> {
  const stocks = Object.values(carriers.simulators).map(({ stock }) => stock);
  const held = stocks.flatMap((stock) => [...stock.held.keys()]);
  const sold = stocks.flatMap((stock) => stock.purchases);
  const listed = await sql<{ number: string }[]>`select number from numbers where status = 'active'`;
  const paid = await paidByNumber(sql);
  for (const number of numbers) {
    const facts = {
      held: held.includes(number),
      sold: sold.filter((each) => each === number).length,
      listed: listed.some((row) => row.number === number),
      paid: paid.get(number) ?? 0,
    };
    const has = facts.held;
    expect(facts, number).toEqual({ held: has, sold: has ? 1 : 0, listed: has, paid: has ? FEE_PAISE : 0 });
  }
  return held.filter((number) => numbers.includes(number)).length;
}

describe('a purchase', () => {
  it(`stays whole over ${ROUNDS} processes that died, answers that were lost and carriers that were away`, async () => {
    const random = seededRandom(15);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)]!;
    const numbers: string[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const provider = pick(RENTING_CARRIERS);
      const number = await offered(provider);
      numbers.push(number);
      const { stock } = carriers.simulators[provider];
      Object.assign(carriers.telnyxOrders, { looksUntilDecided: pick([1, 4, 9]), fail: random() < 0.2 });
      stock.faults = [pick(FAULTS)];
      const last = pick(STEPS);
      const dies: BuyDeps = {
        ...depsOf(),
        afterStep(step) {
          if (step === last) throw new Error('died');
        },
      };
      const workspaceId = workspaceIds[round % 4]!;
      const buyers = pick([1, 2]);
      // Who tries at the same time, and who tries again, gets the number or nothing.
      await Promise.all(Array.from({ length: buyers }, () => buy(dies, workspaceId, number)));
      stock.faults = [];
      if (random() < 0.3) await buy(depsOf(), pick(workspaceIds), number);
      if (round % 10 === 9) {
        const flaky = depsOf((inventory) => ({
          ...inventory,
          find: (each, tag) => (random() < 0.3 ? Promise.reject(new Error('away')) : inventory.find(each, tag)),
        }));
        await settleAll(flaky, (ms) => {
          shiftedMs += ms;
        });
        await expectConsistent(numbers);
      }
    }
    const bought = await expectConsistent(numbers);
    expect(bought).toBeGreaterThan(ROUNDS / 4);
    expect(bought).toBeLessThan(ROUNDS);
  });

  it.each([
    ['looked up', 0],
    ['ordered', 0],
    ['answered', 1],
  ] as const)('survives a process killed after it had %s', async (step, bought) => {
    const number = await offered('twilio');
    const { url } = carriers.simulators.twilio;
    await runUntilKilled(PROGRAM, database.url, url, workspaceIds[0]!, number, step);
    await settleAll(depsOf(), (ms) => {
      shiftedMs += ms;
    });
    expect(await expectConsistent([number])).toBe(bought);
    // Nothing stands in the way of the next attempt.
    await saveOffers(sql, [{ number, country: 'US', type: 'local', price, provider: 'twilio' }], clock.wall());
    if (bought === 0) expect(await buy(depsOf(), workspaceIds[0]!, number)).toBe('bought');
    expect(await expectConsistent([number])).toBe(1);
  });

  it.each([
    ['in the end is bought', 9, 10],
    ['never is given up, at the carrier too', Number.POSITIVE_INFINITY, 30],
  ] as const)('that the carrier decides %s', async (_what, looksUntilDecided, hurry) => {
    Object.assign(carriers.telnyxOrders, { looksUntilDecided, fail: false });
    const number = await offered('telnyx');
    const answer = await buy(depsOf(), workspaceIds[0]!, number);
    expect(answer).toContain('the carrier has not decided yet');
    await settleAll(depsOf(), (ms) => {
      shiftedMs += ms * hurry;
    });
    expect(await expectConsistent([number])).toBe(looksUntilDecided === 9 ? 1 : 0);
    expect((await carriers.inventories.telnyx.find(number))?.state).toBe(looksUntilDecided === 9 ? 'held' : undefined);
  });

  it('that is reported after it was given up is given up at the carrier', async () => {
    const number = await offered('twilio');
    const late = depsOf((inventory) => ({
      ...inventory,
      async buy(order) {
        await settleAll(depsOf(), (ms) => {
          shiftedMs += ms;
        });
        return inventory.buy(order);
      },
    }));
    expect(await buy(late, workspaceIds[0]!, number)).toBe('the number is no longer available');
    await settleAll(depsOf(), (ms) => {
      shiftedMs += ms;
    });
    expect(carriers.simulators.twilio.stock.releases).toContain(number);
    expect((await paidByNumber(sql)).get(number)).toBe(0);
  });
});
