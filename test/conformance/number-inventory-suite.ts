import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { NumberInventory } from '../../control/carriers/number-inventory.ts';
import {
  type NumberSimulator,
  type NumberStock,
  newStock,
  type StockedNumber,
} from '../../fixtures/simulators/number-stock.ts';

/** What every carrier's inventory of numbers must do, over real sockets. */

export interface InventoryUnderTest {
  name: string;
  start(stock: NumberStock): Promise<NumberSimulator>;
  /** Over the simulator at this address. */
  inventory(url: string): NumberInventory;
  /** Where the simulator must see the calls go. */
  target: string;
  price: object;
  /** Only a purchase shows that a number needs documents. */
  documentsUnknown?: boolean;
}

const numbered = (n: number, more: Partial<StockedNumber> = {}): StockedNumber => ({
  ...{ number: `+1415555${String(1000 + n)}`, country: 'US', type: 'local', monthly: 1.15 },
  ...more,
});
const NUMBERS = [
  ...Array.from({ length: 45 }, (_, n) => numbered(n)),
  numbered(45, { needsDocuments: true }),
  numbered(0, { number: '+18005550100', type: 'toll_free' }),
];
const NUMBER = '+14155551007';
const HELD = { number: NUMBER, state: 'held' };
let orders = 0;
const newOrder = () => ({ number: NUMBER, country: 'US', tag: `order-${++orders}` });

const NOT_BOUGHT = { outcome: expect.stringMatching(/^(gone|refused)$/) };

export function describeInventory({
  name,
  start,
  inventory,
  target,
  price,
  documentsUnknown = false,
}: InventoryUnderTest): void {
  describe(`the numbers of ${name}`, () => {
    let simulator: NumberSimulator;
    let numbers: NumberInventory;
    const stock = newStock(NUMBERS);
    let order = newOrder();

    beforeAll(async () => {
      simulator = await start(stock);
      numbers = inventory(simulator.url);
    });
    beforeEach(() => {
      order = newOrder();
      stock.held.clear();
      stock.faults.length = stock.purchases.length = stock.releases.length = 0;
      Object.assign(stock, { noCredit: false, answersLeft: Number.POSITIVE_INFINITY });
    });
    afterAll(() => simulator.close());

    it('are found by country, type and digits, with their price', async () => {
      const found = await numbers.search({ country: 'US', type: 'local', contains: '51007', limit: 20 });
      expect(found).toEqual([{ number: NUMBER, country: 'US', type: 'local', price }]);
    });

    it('are found of every type, more than a page of them, without those that need documents', async () => {
      const found = await numbers.search({ country: 'US', limit: 50 });
      expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['local', 'toll_free']));
      expect(found.filter(({ type }) => type === 'local')).toHaveLength(documentsUnknown ? 46 : 45);
    });

    it('may be none', async () => {
      expect(await numbers.search({ country: 'ZZ', limit: 20 })).toEqual([]);
      expect(await numbers.search({ country: 'US', contains: '999999', limit: 20 })).toEqual([]);
    });

    it('are bought with their calls pointed at the service', async () => {
      expect(await numbers.find(NUMBER)).toBeNull();
      expect(await numbers.buy(order)).toEqual({ outcome: 'bought' });
      expect(stock.held.get(NUMBER)?.target).toBe(target);
      expect(await numbers.find(NUMBER)).toEqual(HELD);
      expect(await numbers.search({ country: 'US', contains: '51007', limit: 20 })).toEqual([]);
    });

    it('are gone once somebody else has them', async () => {
      expect(await numbers.buy({ ...order, number: '+14155559999' })).toMatchObject(NOT_BOUGHT);
    });

    it('that need documents are refused, and none is held', async () => {
      expect(await numbers.buy({ ...order, number: NUMBERS[45]!.number })).toMatchObject(NOT_BOUGHT);
      expect(stock.held.size).toBe(0);
    });

    it('are all listed, page after page', async () => {
      expect(await numbers.list()).toEqual([]);
      const held = Array.from({ length: 120 }, (_, n) => `+1628555${1000 + n}`);
      for (const number of held) stock.held.set(number, { target: '', tag: '' });
      const listed = await numbers.list();
      expect(listed.map(({ number }) => number).sort()).toEqual(held);
      expect(new Set(listed.map(({ state }) => state))).toEqual(new Set(['held']));
    });

    it('are not listed in part', async () => {
      for (let n = 0; n < 120; n++) stock.held.set(`+1628555${1000 + n}`, { target: '', tag: '' });
      stock.answersLeft = 1;
      await expect(numbers.list()).rejects.toThrow();
    });

    it('are not taken for absent, nor for bought, by a carrier with too many requests', async () => {
      await numbers.buy(order);
      stock.answersLeft = 0;
      for (const asked of [numbers.find(NUMBER), numbers.release(NUMBER), numbers.pointCalls(NUMBER)]) {
        await expect(asked).rejects.toThrow();
      }
      expect(await numbers.buy({ ...order, number: NUMBERS[8]!.number })).toMatchObject(NOT_BOUGHT);
      expect([...stock.held.keys()]).toEqual([NUMBER]);
    });

    it.each([
      ['lost before', null],
      ['lost after', HELD],
      ['error after', HELD],
    ] as const)('whose purchase was %s are known by looking them up', async (fault, held) => {
      stock.faults.push(fault);
      expect(await numbers.buy(order)).toMatchObject({ outcome: 'unknown' });
      expect(await numbers.find(NUMBER, order.tag)).toEqual(held);
    });

    it('have their calls pointed at the service once more', async () => {
      await numbers.buy(order);
      stock.held.get(NUMBER)!.target = 'elsewhere';
      for (let times = 0; times < 2; times++) await numbers.pointCalls(NUMBER);
      expect(stock.held.get(NUMBER)?.target).toBe(target);
      await expect(numbers.pointCalls('+14155559999')).rejects.toThrow();
    });

    it('are released once, however often it is asked', async () => {
      await numbers.buy(order);
      for (let times = 0; times < 2; times++) await numbers.release(NUMBER);
      expect([await numbers.find(NUMBER), stock.releases]).toEqual([null, [NUMBER]]);
    });

    it('are not looked up at a carrier that is away', async () => {
      const away = inventory('http://127.0.0.1:9');
      await expect(away.find(NUMBER)).rejects.toThrow('cannot be reached');
      await expect(away.search({ country: 'US', limit: 20 })).rejects.toThrow('cannot be reached');
      expect(await away.buy(order)).toMatchObject({ outcome: 'unknown' });
    });

    it('were asked for as the carrier wants it', () => expect(stock.violations).toEqual([]));
  });
}
