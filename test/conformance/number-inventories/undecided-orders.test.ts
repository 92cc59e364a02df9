import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { exotelNumbers } from '../../../control/carriers/exotel-numbers.ts';
import type { NumberInventory } from '../../../control/carriers/number-inventory.ts';
import { telnyxNumbers } from '../../../control/carriers/telnyx-numbers.ts';
import { vonageNumbers } from '../../../control/carriers/vonage-numbers.ts';
import { startRestServer } from '../../../fixtures/simulators/carrier-http.ts';
import { startExotelNumbers } from '../../../fixtures/simulators/exotel-numbers.ts';
import { type NumberSimulator, newStock } from '../../../fixtures/simulators/number-stock.ts';
import { startTelnyxNumbers } from '../../../fixtures/simulators/telnyx-numbers.ts';
import { startVonageNumbers } from '../../../fixtures/simulators/vonage-numbers.ts';

/** What only one of the carriers does with an order. */

const number = (n: number, country = 'US') => ({
  ...{ number: `+1415555${1000 + n}`, country, type: 'local' as const, monthly: 1 },
  needsDocuments: country === 'DE',
});
let count = 0;

describe('Telnyx', () => {
  const stock = newStock([...Array.from({ length: 9 }, (_, n) => number(n)), number(99, 'DE')]);
  const behaviour = { looksUntilDecided: 1, fail: false, keepsPending: false };
  let simulator: NumberSimulator;
  let numbers: NumberInventory;
  let order: { number: string; country: string; tag: string };

  beforeAll(async () => {
    simulator = await startTelnyxNumbers({ apiKey: 'key' }, stock, behaviour);
    numbers = telnyxNumbers({ api_key: 'key', api_url: simulator.url, connection_id: '99', pause: async () => {} });
    await numbers.search({ country: 'US', limit: 50 });
  });
  beforeEach(() => {
    Object.assign(behaviour, { looksUntilDecided: 1, fail: false, keepsPending: false });
    order = { number: stock.numbers[count]!.number, country: 'US', tag: `order-${++count}` };
  });
  afterAll(() => simulator.close());

  it('decides an order after its answer', async () => {
    behaviour.looksUntilDecided = 3;
    expect(await numbers.buy(order)).toEqual({ outcome: 'bought' });
  });

  it('has an order pending, and it is found later', async () => {
    behaviour.looksUntilDecided = 7;
    expect(await numbers.buy(order)).toMatchObject({ outcome: 'pending' });
    expect(await numbers.find(order.number, order.tag)).toEqual({ number: order.number, state: 'pending' });
    while ((await numbers.find(order.number))?.state === 'pending');
    expect(await numbers.find(order.number)).toEqual({ number: order.number, state: 'held' });
  });

  it('fails an order that it had taken', async () => {
    behaviour.fail = true;
    expect(await numbers.buy(order)).toMatchObject({ outcome: 'gone' });
    expect(await numbers.find(order.number, order.tag)).toBeNull();
  });

  it('cancels a pending order that is given up, or says that it cannot', async () => {
    behaviour.looksUntilDecided = Number.POSITIVE_INFINITY;
    await numbers.buy(order);
    behaviour.keepsPending = true;
    await expect(numbers.release(order.number, order.tag)).rejects.toThrow('cannot be cancelled');
    behaviour.keepsPending = false;
    await numbers.release(order.number, order.tag);
    expect(await numbers.find(order.number, order.tag)).toBeNull();
  });

  it('offers nothing where its requirements ask for documents, and cancels an order that does', async () => {
    expect(await numbers.search({ country: 'DE', limit: 50 })).toEqual([]);
    const needing = { ...order, number: stock.numbers.at(-1)!.number };
    expect(await numbers.buy(needing)).toEqual({ outcome: 'refused', reason: 'the number needs documents' });
    expect(await numbers.find(needing.number, needing.tag)).toBeNull();
  });

  it('is listed also behind a page of numbers that are gone', async () => {
    const deleted = Array.from({ length: 50 }, (_, n) => ({ phone_number: `+1628555${1000 + n}`, status: 'deleted' }));
    const pages = [deleted, [{ phone_number: '+14155551000', status: 'active' }]];
    const server = await startRestServer(({ query }) => ({
      status: 200,
      body: { data: pages[Number(query.get('page[number]')) - 1] },
    }));
    const account = telnyxNumbers({ api_key: 'key', api_url: server.url, connection_id: '99' });
    expect(await account.list()).toEqual([{ number: '+14155551000', state: 'held' }]);
    await server.close();
  });

  it('sells only what a search has shown', async () => {
    stock.numbers.push(number(50));
    expect(await numbers.buy({ ...order, number: number(50).number })).toMatchObject({ outcome: 'gone' });
  });
});

describe('Vonage', () => {
  const stock = newStock([number(0), number(1)]);
  let simulator: NumberSimulator;
  let numbers: NumberInventory;
  const order = { number: stock.numbers[0]!.number, country: 'US', tag: 't' };

  beforeAll(async () => {
    simulator = await startVonageNumbers({ apiKey: 'key', apiSecret: 'secret' }, stock);
    const account = { api_key: 'key', api_secret: 'secret', application_id: 'an-application' };
    numbers = vonageNumbers({ ...account, numbers_url: simulator.url });
  });
  afterAll(() => simulator.close());

  it('says that authentication failed when there is no credit', async () => {
    stock.noCredit = true;
    expect(await numbers.buy(order)).toEqual({ outcome: 'refused', reason: 'authentication failed' });
    stock.noCredit = false;
  });

  it('fails a purchase of what the account has already: it is bought', async () => {
    expect([await numbers.buy(order), await numbers.buy(order)]).toEqual(Array(2).fill({ outcome: 'bought' }));
    expect(stock.purchases).toEqual([order.number]);
  });

  it('keeps an address of the number before its application: the calls still go elsewhere', async () => {
    const held = stock.held.get(order.number)!;
    Object.defineProperty(held, 'target', { get: () => 'sip:other@example.com', set: () => {} });
    await expect(numbers.pointCalls(order.number)).rejects.toThrow('still go elsewhere');
  });
});

describe('Exotel', () => {
  const indian = { number: '+918047100001', country: 'IN', type: 'local' as const, monthly: 499 };
  const stock = newStock([indian]);
  const account = { concurrentChanges: 0 };
  let simulator: NumberSimulator;
  let numbers: NumberInventory;
  const order = { number: indian.number, country: 'IN', tag: 't' };

  beforeAll(async () => {
    simulator = await startExotelNumbers({ accountSid: 'acme1', apiKey: 'key', apiToken: 'secret' }, stock, account);
    const settings = { account_sid: 'acme1', api_key: 'key', api_token: 'secret', app_id: '4711' };
    numbers = exotelNumbers({ ...settings, api_url: simulator.url });
  });
  afterAll(() => simulator.close());

  it('writes Indian numbers in their national form', async () => {
    const price = { monthly: 499, setup: 0, currency: 'INR' };
    expect(await numbers.search({ country: 'IN', limit: 20 })).toEqual([
      { number: indian.number, country: 'IN', type: 'local', price },
    ]);
  });

  it('leaves a purchase unknown while somebody else changes the account', async () => {
    account.concurrentChanges = 1;
    expect(await numbers.buy(order)).toMatchObject({ outcome: 'unknown' });
    expect(await numbers.find(order.number)).toBeNull();
  });

  it('refuses a purchase without balance', async () => {
    stock.noCredit = true;
    expect(await numbers.buy(order)).toEqual({ outcome: 'refused', reason: 'Insufficient balance' });
    stock.noCredit = false;
  });

  it('still lists a number for a while after its release was accepted', async () => {
    await numbers.buy(order);
    await numbers.release(order.number);
    expect(await numbers.find(order.number)).toEqual({ number: order.number, state: 'held' });
    expect(await numbers.find(order.number)).toBeNull();
  });
});
