import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { takeExchangeRates } from '../../../control/billing/exchange-rate-feed.ts';
import { exchangeRates } from '../../../control/billing/exchange-rates.ts';
import type { Sql } from '../../../control/db/connect.ts';
import { systemClock } from '../../../shared/clock.ts';
import { createLogger } from '../../../shared/log.ts';
import { createTestDatabase } from '../../support/postgres.ts';

let sql: Sql;
let server: Server;
let answer: { status: number; text: string };
const lines: { msg: string }[] = [];
const log = createLogger('control', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
  server = createServer((_request, response) => response.writeHead(answer.status).end(answer.text));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => void server.close());
beforeEach(async () => {
  await sql`delete from rates`;
  lines.length = 0;
});

const take = (text: unknown, status = 200) => {
  answer = { status, text: typeof text === 'string' ? text : JSON.stringify(text) };
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/latest?base=USD`;
  return takeExchangeRates({ sql, clock: systemClock, log, url });
};

it('takes what a dollar and a euro cost', async () => {
  await take({ amount: 1, base: 'USD', date: '2026-11-20', rates: { EUR: 0.8612, INR: 89.456 } });
  expect(await exchangeRates(sql)).toEqual({ USD: 8_946, EUR: 10_387 });
  await take({ base: 'USD', rates: { INR: 89.456 } });
  expect(lines.map(({ msg }) => msg)).toEqual(['exchange rate taken', 'exchange rate taken']);
});

it('takes what a dollar costs where the euro has no rate', async () => {
  await take({ base: 'USD', rates: { INR: 89.456, EUR: 0 } });
  expect(await exchangeRates(sql)).toEqual({ USD: 8_946, EUR: 10_200 });
});

it('does not take a rate that differs by more than a tenth', async () => {
  await take({ base: 'USD', rates: { INR: 8.9, EUR: 0.0862 } });
  expect(await exchangeRates(sql)).toEqual({ USD: 8_800, EUR: 10_325 });
  expect(lines[0]!.msg).toBe('exchange rate not taken: it differs by more than a tenth');
});

it.each([
  ['an error', 'oops', 500],
  ['a page', '<html>', 200],
  ['rates of another base', { base: 'EUR', rates: { INR: 100 } }, 200],
  ['no rate', { base: 'USD', rates: { INR: '88' } }, 200],
  ['a rate of nothing', { base: 'USD', rates: { INR: 0 } }, 200],
  ['a rate without end', '{"base":"USD","rates":{"INR":1e999}}', 200],
  ['nothing', 'null', 200],
])('fails with %s and keeps the rates', async (_what, text, status) => {
  await expect(take(text, status)).rejects.toThrow('without rates of dollars');
  expect(await exchangeRates(sql)).toEqual({ USD: 8_800, EUR: 10_200 });
});
