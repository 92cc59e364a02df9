import { sumOf, taxLines, treatmentOf } from '../../control/billing/invoices/gst.ts';
import type { PrintedDocument } from '../../control/billing/invoices/invoice-pdf.ts';
import type { Buyer } from '../../control/billing/invoices/invoice-terms.ts';
import type { NewInvoice } from '../../control/billing/invoices/issue-invoice.ts';
import { setSeller } from '../../control/billing/invoices/seller.ts';
import { openWallet } from '../../control/billing/wallet.ts';
import type { Sql } from '../../control/db/connect.ts';
import { newId } from '../../shared/ids.ts';

/** A seller in Karnataka. */
export const SELLER = {
  name: 'Antiphon Voice Private Limited',
  address: '12 Residency Road\nBengaluru 560025\nKarnataka\nIndia',
  gstin: '29AAGCB7383J1Z4',
  sac: '998319',
  lut: 'AD290326000123X',
};

export async function registerSeller(sql: Sql, change: Partial<typeof SELLER> = {}): Promise<void> {
  const refused = await sql.begin((tx) => setSeller(tx, { ...SELLER, ...change }, Date.now()));
  if (typeof refused === 'string') throw new Error(refused);
}

export interface TestBuyer {
  legal_name?: string;
  gstin?: string;
  currency?: 'INR' | 'USD';
  address?: Record<string, string>;
}

export const MUMBAI = {
  line1: '4 Marine Drive',
  city: 'Mumbai',
  state: 'Maharashtra',
  pincode: '400020',
  country: 'IN',
};

/** A workspace with business details and an owner. */
export async function newBuyer(sql: Sql, { currency = 'INR', ...buyer }: TestBuyer = {}): Promise<string> {
  const id = newId();
  const user = newId();
  await sql`
    insert into workspaces (id, name, state, currency, created_at) values (${id}, 'Acme', 'active', ${currency}, now())`;
  await sql`
    insert into kyc (workspace_id, legal_name, gstin, address)
    values (${id}, ${buyer.legal_name ?? 'Acme Traders'}, ${buyer.gstin ?? ''}, ${sql.json(buyer.address ?? MUMBAI)})`;
  await sql`
    insert into users (id, name, email, email_verified_at, password_hash, created_at)
    values (${user}, 'Asha', ${`${user}@example.com`}, now(), '', now())`;
  await sql`
    insert into memberships (workspace_id, user_id, role, joined_at) values (${id}, ${user}, 'owner', now())`;
  await sql.begin((tx) => openWallet(tx, { workspace_id: id, at_ms: Date.now() }));
  return id;
}

/** A top-up of 1,000 rupees. */
export const topUp = (workspace_id: string, more: Partial<NewInvoice> = {}): NewInvoice => ({
  ...{ workspace_id, kind: 'topup', description: 'Credits', amount_paise: 100_000, paid_from: 'gateway' },
  ...{ payment_id: newId(), key: newId(), at_ms: Date.parse('2026-11-23T06:00:00Z') },
  ...more,
});

const ACME: Buyer = {
  name: 'Acme Traders',
  address: '4 Marine Drive\nMumbai 400020\nMaharashtra\nIndia',
  gstin: '27AAPFU0939F1ZV',
  state: 'Maharashtra',
  country: 'IN',
};

export type PrintedChange = Partial<PrintedDocument> & { buyer?: Partial<Buyer>; seller?: Partial<typeof SELLER> };

/** A document as it is printed: 1,000.50 before tax, for a buyer in Maharashtra. */
export function printedInvoice({ buyer: change, seller: own, ...row }: PrintedChange = {}): PrintedDocument {
  const { currency = 'INR', paid_from = 'gateway', amount_paise = 100_050 } = row;
  const buyer = { ...ACME, ...change };
  const seller = { ...SELLER, ...own };
  const names = { seller_gstin: seller.gstin, buyer_gstin: buyer.gstin, buyer_country: buyer.country };
  const supply = treatmentOf({ ...names, buyer_state: buyer.state, currency });
  const tax_lines = paid_from === 'credits' ? [] : taxLines(supply.treatment, amount_paise);
  const tax_paise = sumOf(tax_lines);
  return {
    ...{ workspace_id: 'w', id: 'i', key: 'k', document: 'invoice', number: '2026-27/000123', kind: 'topup' },
    ...{ description: 'Credits', amount_paise, tax_lines, tax_paise, total_paise: amount_paise + tax_paise, currency },
    ...{
      paid_from,
      payment_id: 'pay_T1',
      invoice_id: null,
      issued_at: new Date('2026-11-22T20:00:00Z'),
      credited: null,
    },
    terms: { seller, buyer, currency, ...supply, paise_per_dollar: currency === 'USD' ? 8_800 : null },
    ...row,
  };
}
