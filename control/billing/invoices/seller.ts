import type { AnySql, Transaction } from '../../db/connect.ts';
import { isGstin } from './gst.ts';

/** Who issues the invoices. The operator sets it; an issued invoice keeps the seller of its day. */
export interface Seller {
  name: string;
  /** Lines. */
  address: string;
  /** Empty: not registered, no GST is charged. Its first two digits are the seller's state. */
  gstin: string;
  /** Services accounting code, six digits. */
  sac: string;
  /** Reference number of the letter of undertaking for exports without tax; empty: none. */
  lut: string;
}

/** Until the operator has set one. 998319: other information technology services. */
const UNREGISTERED: Seller = { name: 'Voice Agent Service', address: '', gstin: '', sac: '998319', lut: '' };

export async function findSeller(sql: AnySql): Promise<Seller> {
  const [row] = await sql<Seller[]>`select name, address, gstin, sac, lut from invoice_seller`;
  return row ?? UNREGISTERED;
}

/** Changes the given fields. @returns the seller before and after, or why it was refused. */
export async function setSeller(
  tx: Transaction,
  change: Partial<Seller>,
  atMs: number,
): Promise<{ before: Seller; now: Seller } | string> {
  await tx`lock table invoice_seller in exclusive mode`;
  const before = await findSeller(tx);
  const now = { ...before, ...change };
  if (now.gstin !== '' && !isGstin(now.gstin)) return 'the GSTIN is not valid';
  if (!/^\d{4}(\d{2}){0,2}$/.test(now.sac)) return 'a services accounting code has 4, 6 or 8 digits';
  if (
    now.name.trim() === '' ||
    now.name.length > 200 ||
    now.address.length > 500 ||
    now.address.split('\n').length > 8 ||
    now.lut.length > 40
  ) {
    return 'a name has 1 to 200 characters, an address at most 500 on 8 lines, a letter of undertaking at most 40';
  }
  if (now.gstin !== '' && now.address.trim() === '') return 'a registered seller has an address';
  const row = { ...now, updated_at: new Date(atMs) };
  await tx`
    insert into invoice_seller ${tx(row)}
    on conflict (single) do update set ${tx(row)}`;
  return { before, now };
}
