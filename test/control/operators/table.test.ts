import { expect, it } from 'vitest';
import { money, recordLines, tableOf } from '../../../control/operators/table.ts';

it('has a column per fact, numbers to the right', () => {
  const rows = [
    { name: 'Asha', calls: 7, note: 'first' },
    { name: 'Bo', calls: 120, note: null },
  ];
  const columns = {
    agent: ({ name }: (typeof rows)[number]) => name,
    calls: ({ calls }: (typeof rows)[number]) => calls,
    note: ({ note }: (typeof rows)[number]) => note,
  };
  expect(tableOf(rows, 'no agents', columns)).toEqual(['AGENT  CALLS  NOTE', 'Asha       7  first', 'Bo       120']);
  const prices = [money(5, 'INR'), money(12_000, 'INR')].map((price) => ({ price }));
  expect(tableOf(prices, '', { price: ({ price }) => price })).toEqual(['     PRICE', '  0.05 INR', '120.00 INR']);
  expect(tableOf([], 'no agents', columns)).toEqual(['no agents']);
});

it('shows a record field by field', () => {
  const record = { name: 'Acme', address: { city: 'Pune' }, decided_at: null, documents: [{ kind: 'identity' }] };
  expect(recordLines(record)).toEqual([
    'name              Acme',
    'address.city      Pune',
    'decided_at',
    'documents.0.kind  identity',
  ]);
});

it('shows money in its unit, with every digit of a rate', () => {
  expect([money(50_000, 'INR'), money(-5, 'USD'), money(0.03, 'INR'), money(12.5, 'INR')]).toEqual([
    '500.00 INR',
    '-0.05 USD',
    '0.0003 INR',
    '0.125 INR',
  ]);
});
