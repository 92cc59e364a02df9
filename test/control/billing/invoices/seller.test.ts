import { beforeAll, describe, expect, it } from 'vitest';
import { findSeller, type Seller, setSeller } from '../../../../control/billing/invoices/seller.ts';
import type { Sql } from '../../../../control/db/connect.ts';
import { SELLER } from '../../../support/invoices.ts';
import { createTestDatabase } from '../../../support/postgres.ts';

let sql: Sql;

beforeAll(async () => {
  ({ sql } = await createTestDatabase());
});

const set = (change: Partial<Seller>) => sql.begin((tx) => setSeller(tx, { ...SELLER, ...change }, Date.now()));

const TOO_LONG =
  'a name has 1 to 200 characters, an address at most 500 on 8 lines, a letter of undertaking at most 40';

describe('who issues the invoices', () => {
  it('is stored as it is given', async () => {
    expect(await set({})).toMatchObject({ now: SELLER });
    expect(await set({ name: 'Other' })).toEqual({ before: SELLER, now: { ...SELLER, name: 'Other' } });
    expect(await findSeller(sql)).toEqual({ ...SELLER, name: 'Other' });
  });

  it.each<[string, Partial<Seller>]>([
    ['no GSTIN and no address', { gstin: '', address: '' }],
    ['an address without a GSTIN', { gstin: '' }],
    ...['9983', '998319', '99831912'].map((sac): [string, Partial<Seller>] => [`the code ${sac}`, { sac }]),
    ['the longest texts', { name: 'x'.repeat(200), address: 'x'.repeat(500), lut: 'x'.repeat(40) }],
    ['eight lines', { address: Array(8).fill('x').join('\n') }],
  ])('may have %s', async (_what, change) => {
    expect(await set(change)).toMatchObject({ now: change });
  });

  it.each<[string, Partial<Seller>]>([
    ['the GSTIN is not valid', { gstin: '29ABCDE1234F1Z5' }],
    ['a services accounting code has 4, 6 or 8 digits', { sac: '99831' }],
    ['a services accounting code has 4, 6 or 8 digits', { sac: '9983191234' }],
    [TOO_LONG, { name: ' ' }],
    [TOO_LONG, { name: 'x'.repeat(201) }],
    [TOO_LONG, { address: 'x'.repeat(501) }],
    [TOO_LONG, { address: Array(9).fill('x').join('\n') }],
    [TOO_LONG, { lut: 'x'.repeat(41) }],
    ['a registered seller has an address', { address: ' ' }],
  ])('is refused: %s', async (reason, change) => {
    expect(await set(change)).toBe(reason);
  });
});
