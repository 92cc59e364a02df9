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
