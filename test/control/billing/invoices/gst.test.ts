import { describe, expect, it } from 'vitest';
import { isGstin, type Supply, taxLines, treatmentOf } from '../../../../control/billing/invoices/gst.ts';
import { documentNumber, financialYear } from '../../../../control/billing/invoices/invoice-number.ts';

/** Valid GSTINs. */
const KARNATAKA = '29AAGCB7383J1Z4';
const MAHARASHTRA = '27AAPFU0939F1ZV';

describe('a GSTIN', () => {
  it.each([KARNATAKA, MAHARASHTRA, '24AAQCA8719H1ZC', '29ABCDE1234F1ZW'])('%s is valid', (gstin) => {
    expect(isGstin(gstin)).toBe(true);
  });

  it.each(['29ABCDE1234F1Z5', '', KARNATAKA.toLowerCase(), '25AAPFU0939F1ZV', `${KARNATAKA}1`])(
    '%s is not',
    (gstin) => {
      expect(isGstin(gstin)).toBe(false);
    },
  );
});

const india: Supply = {
  seller_gstin: KARNATAKA,
  buyer_gstin: '',
  buyer_country: 'IN',
  buyer_state: '',
  currency: 'INR',
};
const supply = (change: Partial<Supply>) => treatmentOf({ ...india, ...change });

describe('the place of supply decides the tax', () => {
  it.each<[string, Partial<Supply>, string, string]>([
    ['a buyer of the seller’s state', { buyer_state: 'Karnataka' }, 'intra_state', '29'],
    ['a buyer of another state, by its code', { buyer_state: 'TN' }, 'inter_state', '33'],
    [
      'a registered buyer, where it is registered',
      { buyer_state: 'Karnataka', buyer_gstin: MAHARASHTRA },
      'inter_state',
      '27',
    ],
    ['a buyer without an address', {}, 'intra_state', '29'],
    ['dollars of a buyer in India', { buyer_state: 'Kerala', currency: 'USD' }, 'inter_state', '32'],
    [
      'a buyer abroad who pays in dollars',
      { buyer_country: 'US', buyer_state: 'Ohio', currency: 'USD' },
      'export',
      '96',
    ],
    ['a buyer abroad who pays in rupees', { buyer_country: 'US' }, 'not_taxed', '96'],
    ['a state of India abroad', { buyer_country: 'PK', buyer_state: 'Punjab', currency: 'USD' }, 'not_taxed', '96'],
    ['a GSTIN abroad', { buyer_country: 'US', buyer_gstin: MAHARASHTRA, currency: 'USD' }, 'inter_state', '27'],
    ['a seller without a GSTIN', { seller_gstin: '', buyer_state: 'Karnataka' }, 'not_taxed', '29'],
  ])('%s', (_, change, treatment, code) => {
    expect(supply(change)).toMatchObject({ treatment, place_of_supply: { code } });
  });
});

describe('the tax lines', () => {
  it('are halves of 9 % each within a state, rounded half up', () => {
    expect(taxLines('intra_state', 100_000)).toEqual([
      { name: 'CGST', rate_percent: 9, amount_paise: 9_000 },
      { name: 'SGST', rate_percent: 9, amount_paise: 9_000 },
    ]);
    // 149.94 and 150.03 paise, and 4.5.
    const each = (paise: number) => taxLines('intra_state', paise).map(({ amount_paise }) => amount_paise);
    expect([1_666, 1_667, 50].map(each)).toEqual([
      [150, 150],
      [150, 150],
      [5, 5],
    ]);
  });

  it('are one of 18 % between states, and none for exports', () => {
    expect(taxLines('inter_state', 99_999)).toEqual([{ name: 'IGST', rate_percent: 18, amount_paise: 18_000 }]);
    expect([...taxLines('export', 1_000), ...taxLines('not_taxed', 1_000)]).toEqual([]);
  });
});

describe('the number', () => {
  it('changes its year with 1 April in India', () => {
    expect(financialYear(Date.parse('2027-03-31T18:29:59.999Z'))).toBe('2026-27');
    expect(financialYear(Date.parse('2027-03-31T18:30:00Z'))).toBe('2027-28');
    expect(financialYear(Date.parse('2026-12-31T23:00:00Z'))).toBe('2026-27');
    expect(financialYear(Date.parse('2099-06-01T00:00:00Z'))).toBe('2099-00');
  });

  it('has at most 16 characters that the rules allow', () => {
    const numbers = [documentNumber('invoice', '2026-27', 123), documentNumber('credit_note', '2026-27', 123)];
    expect(numbers).toEqual(['2026-27/000123', 'CN/26-27/000123']);
    for (const number of numbers) expect(number).toMatch(/^[A-Za-z0-9][A-Za-z0-9/-]{0,15}$/);
  });
});
