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
const ORDER = { number: NUMBER, country: 'US', tag: 'order-1' };

export function describeInventory({ name, start, inventory, target, price }: InventoryUnderTest): void {
  describe(`the numbers of ${name}`, () => {
    let simulator: NumberSimulator;
    let numbers: NumberInventory;
    const { stock } = { stock: newStock(NUMBERS) };

    beforeAll(async () => {
      simulator = await start(stock);
      numbers = inventory(simulator.url);
    });
    beforeEach(() => {
      stock.held.clear();
      stock.faults.length = stock.purchases.length = stock.releases.length = 0;
    });
    afterAll(() => simulator.close());

    it('are found by country, type and digits, with their price', async () => {
      const found = await numbers.search({ country: 'US', type: 'local', contains: '51007', limit: 20 });
      expect(found).toEqual([{ number: NUMBER, country: 'US', type: 'local', price }]);
    });

    it('are found of every type, more than a page of them, without those that need documents', async () => {
      const found = await numbers.search({ country: 'US', limit: 50 });
      expect(new Set(found.map(({ type }) => type))).toEqual(new Set(['local', 'toll_free']));
      expect(found.filter(({ type }) => type === 'local')).toHaveLength(45);
    });

    it('may be none', async () => {
      expect(await numbers.search({ country: 'ZZ', limit: 20 })).toEqual([]);
      expect(await numbers.search({ country: 'US', contains: '999999', limit: 20 })).toEqual([]);
    });

    it('are bought with their calls pointed at the service', async () => {
      expect(await numbers.find(NUMBER)).toBeNull();
      expect(await numbers.buy(ORDER)).toEqual({ outcome: 'bought' });
      expect(stock.held.get(NUMBER)?.target).toBe(target);
      expect(await numbers.find(NUMBER)).toEqual({ number: NUMBER });
      expect(await numbers.search({ country: 'US', contains: '51007', limit: 20 })).toEqual([]);
    });

    it('are gone once somebody else has them', async () => {
      expect(await numbers.buy({ ...ORDER, number: '+14155559999' })).toMatchObject({ outcome: 'gone' });
    });

    it('that need documents are refused, and none is held', async () => {
      expect(await numbers.buy({ ...ORDER, number: NUMBERS[45]!.number })).toMatchObject({ outcome: 'refused' });
      expect(stock.held.size).toBe(0);
    });

    it.each([
      ['lost before', null],
      ['lost after', { number: NUMBER }],
      ['error after', { number: NUMBER }],
    ] as const)('whose purchase was %s are known by looking them up', async (fault, held) => {
      stock.faults.push(fault);
      expect(await numbers.buy(ORDER)).toMatchObject({ outcome: 'unknown' });
      expect(await numbers.find(NUMBER)).toEqual(held);
    });

    it('have their calls pointed at the service once more', async () => {
      await numbers.buy(ORDER);
      stock.held.get(NUMBER)!.target = 'elsewhere';
      for (let times = 0; times < 2; times++) await numbers.pointCalls(NUMBER);
      expect(stock.held.get(NUMBER)?.target).toBe(target);
      await expect(numbers.pointCalls('+14155559999')).rejects.toThrow();
    });

    it('are released once, however often it is asked', async () => {
      await numbers.buy(ORDER);
      for (let times = 0; times < 2; times++) await numbers.release(NUMBER);
      expect([await numbers.find(NUMBER), stock.releases]).toEqual([null, [NUMBER]]);
    });

    it('are not looked up at a carrier that is away', async () => {
      const away = inventory('http://127.0.0.1:9');
      await expect(away.find(NUMBER)).rejects.toThrow('cannot be reached');
      await expect(away.search({ country: 'US', limit: 20 })).rejects.toThrow('cannot be reached');
      expect(await away.buy(ORDER)).toMatchObject({ outcome: 'unknown' });
    });

    it('were asked for as the carrier wants it', () => expect(stock.violations).toEqual([]));
  });
}
