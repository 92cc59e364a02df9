import { beforeAll, describe, expect, it } from 'vitest';
import { taxOf } from '../../../../control/billing/invoices/invoice-terms.ts';
import { creditNote, issueInvoice, type NewInvoice } from '../../../../control/billing/invoices/issue-invoice.ts';
import { connectDatabase, type Sql } from '../../../../control/db/connect.ts';
import { newId } from '../../../../shared/ids.ts';
import { newBuyer, registerSeller, topUp } from '../../../support/invoices.ts';
import { createTestDatabase } from '../../../support/postgres.ts';

let sql: Sql;
let url: string;

beforeAll(async () => {
  ({ sql, url } = await createTestDatabase());
  await registerSeller(sql);
});

const issue = (invoice: NewInvoice, over: Sql = sql) => over.begin((tx) => issueInvoice(tx, invoice));
const rowOf = async (id: string) => (await sql`select * from invoices where id = ${id}`)[0]!;
const inYear = (first: number) => Date.parse(`${first}-07-01T00:00:00Z`);

/** Documents whose number is not the one after the last of their year. */
const gaps = () => sql`
  select number from (
    select number, sequence, row_number() over (partition by document, financial_year order by sequence) as place from invoices
  ) as each where sequence <> place`;

describe('an invoice', () => {
  it('has the next number, its tax, and seller and buyer as they were', async () => {
    const buyer = await newBuyer(sql);
    const at_ms = inYear(2030);
    const first = await issue(topUp(buyer, { at_ms }));
    const second = await issue(topUp(buyer, { at_ms }));
    expect([first.number, second.number]).toEqual(['2030-31/000001', '2030-31/000002']);
    expect(first).toMatchObject({ amount_paise: 100_000, tax_paise: 18_000, total_paise: 118_000 });
    await sql`update kyc set legal_name = 'Renamed' where workspace_id = ${buyer}`;
    expect(await rowOf(first.id)).toMatchObject({
      tax_lines: [{ name: 'IGST', rate_percent: 18, amount_paise: 18_000 }],
      terms: {
        seller: { gstin: '29AAGCB7383J1Z4' },
        buyer: {
          name: 'Acme Traders',
          state: 'Maharashtra',
          address: '4 Marine Drive\nMumbai 400020\nMaharashtra\nIndia',
        },
        place_of_supply: { code: '27', name: 'Maharashtra' },
      },
    });
  });

  it('paid from credits has no tax: it was charged with the credits', async () => {
    const invoice = topUp(await newBuyer(sql), { kind: 'plan', paid_from: 'credits' });
    expect(await issue(invoice)).toMatchObject({ tax_paise: 0, total_paise: 100_000, tax_lines: [] });
  });

  it('is one per key', async () => {
    const invoice = topUp(await newBuyer(sql));
    const first = await issue(invoice);
    expect(await issue({ ...invoice, amount_paise: 5 })).toMatchObject({ id: first.id, total_paise: 118_000 });
  });

  it('leaves no number behind when its transaction is rolled back', async () => {
    const buyer = await newBuyer(sql);
    const at_ms = inYear(2031);
    const failed = sql.begin(async (tx) => {
      await issueInvoice(tx, topUp(buyer, { at_ms }));
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await issue(topUp(buyer, { at_ms }))).toMatchObject({ number: '2031-32/000001' });
  });

  it('keeps the tax that its payment agreed, whatever changed meanwhile', async () => {
    const buyer = await newBuyer(sql);
    const { tax_paise, terms } = await taxOf(sql, buyer, 100_000);
    await sql`update kyc set address = '{"country": "US", "city": "Boston"}' where workspace_id = ${buyer}`;
    expect(await taxOf(sql, buyer, 100_000)).toMatchObject({ tax_paise: 0 });
    expect(await issue(topUp(buyer, { terms }))).toMatchObject({ tax_paise, total_paise: 118_000 });
  });

  it('is e-mailed to the owner once, by its transaction', async () => {
    const buyer = await newBuyer(sql);
    const invoice = topUp(buyer);
    const { number } = await issue(invoice);
    await issue(invoice);
    const mails = await sql`select subject, body, attachment from mail_outbox where workspace_id = ${buyer}`;
    expect(mails).toMatchObject([{ subject: `Your invoice ${number}`, attachment: { kind: 'invoice' } }]);
    expect(mails[0]!.body).toContain('GST: ₹180.00\nTotal: ₹1,180.00');
  });

  it('names the workspace while it has given no business details', async () => {
    const buyer = await newBuyer(sql);
    await sql`delete from kyc where workspace_id = ${buyer}`;
    const { id } = await issue(topUp(buyer));
    expect(await rowOf(id)).toMatchObject({
      terms: { buyer: { name: 'Acme', country: 'IN' }, treatment: 'intra_state', place_of_supply: { code: '29' } },
    });
    await sql`update workspaces set profile = '{"company_name": "Acme Inc", "country": "united states"}', currency = 'USD'
      where id = ${buyer}`;
    const abroad = await issue(topUp(buyer));
    expect(await rowOf(abroad.id)).toMatchObject({
      terms: { buyer: { name: 'Acme Inc', country: 'US' }, treatment: 'export', paise_per_dollar: 8_800 },
      ...{ tax_paise: 0, currency: 'USD' },
    });
  });
});

describe('numbers', () => {
  it('have no gap and no double under concurrent issues, repeats and rollbacks of two processes', async () => {
    const pools = [connectDatabase({ url, max: 6 }), connectDatabase({ url, max: 6 })];
    const buyers = await Promise.all([1, 2, 3].map(() => newBuyer(sql)));
    const keys = Array.from({ length: 60 }, () => newId());
    const at_ms = inYear(2032);
    await Promise.all(
      [...keys, ...keys].map((key, index) =>
        pools[index % 2]!.begin(async (tx) => {
          const place = keys.indexOf(key);
          await issueInvoice(tx, topUp(buyers[place % 3]!, { key, at_ms }));
          if (index === place && place % 5 === 0) throw new Error('rolled back');
        }).catch((error: Error) => expect(error.message).toBe('rolled back')),
      ),
    );
    await Promise.all(pools.map((pool) => pool.end({ timeout: 5 })));
    const rows = await sql`select sequence from invoices where financial_year = '2032-33' order by sequence`;
    expect(rows.map(({ sequence }) => sequence)).toEqual(keys.map((_, index) => index + 1));
    expect(await gaps()).toEqual([]);
  });
});

describe('a credit note', () => {
  const credit = (workspace_id: string, invoice_id: string, total_paise: number, key = newId()) =>
    sql.begin((tx) =>
      creditNote(tx, { workspace_id, invoice_id, total_paise, reason: 'Refund', key, at_ms: inYear(2033) }),
    );

  it('has numbers of its own, and the parts of an invoice add up to it', async () => {
    const buyer = await newBuyer(sql);
    const { id } = await issue(topUp(buyer, { amount_paise: 99_999 }));
    const notes = [await credit(buyer, id, 10_001), await credit(buyer, id, 333), await credit(buyer, id, 107_665)];
    expect(notes.map((note) => note?.number)).toEqual([1, 2, 3].map((n) => `CN/33-34/00000${n}`));
    const sum = (name: 'amount_paise' | 'tax_paise') => notes.reduce((total, note) => total + note![name], 0);
    expect([sum('amount_paise'), sum('tax_paise')]).toEqual([99_999, 18_000]);
    expect(await credit(buyer, id, 1)).toBeNull();
  });

  it('splits its tax evenly where the invoice did', async () => {
    const buyer = await newBuyer(sql, { address: { state: 'Karnataka', city: 'Mysuru', country: 'IN' } });
    const { id } = await issue(topUp(buyer));
    const note = await credit(buyer, id, 3_333);
    expect((await rowOf(note!.id)).tax_lines).toEqual([
      { name: 'CGST', rate_percent: 9, amount_paise: 254 },
      { name: 'SGST', rate_percent: 9, amount_paise: 254 },
    ]);
  });

  it('is one per key, none above its invoice, and none on one of another workspace', async () => {
    const buyer = await newBuyer(sql);
    const { id } = await issue(topUp(buyer));
    const key = newId();
    const first = await credit(buyer, id, 1_000, key);
    expect(await credit(buyer, id, 1_000, key)).toMatchObject({ id: first!.id });
    expect(await credit(buyer, id, 117_001)).toBeNull();
    expect(await credit(await newBuyer(sql), id, 1_000)).toBeNull();
    expect(await credit(buyer, first!.id, 1)).toBeNull();
    expect(await gaps()).toEqual([]);
  });
});
