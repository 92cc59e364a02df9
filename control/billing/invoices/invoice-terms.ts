import type { AnySql } from '../../db/connect.ts';
import { COUNTRIES } from '../../workspaces/reference-data.ts';
import { exchangeRates } from '../exchange-rates.ts';
import type { Currency } from '../rates.ts';
import {
  isGstin,
  type PlaceOfSupply,
  stateOf,
  stateOfGstin,
  sumOf,
  type TaxLine,
  type TaxTreatment,
  taxLines,
  treatmentOf,
} from './gst.ts';
import { findSeller, type Seller } from './seller.ts';

/** Who is billed. */
export interface Buyer {
  name: string;
  /** Lines; empty while the workspace has given none. */
  address: string;
  /** Valid, or empty. */
  gstin: string;
  /** The name of a state of India, or what the address abroad says. */
  state: string;
  /** ISO 3166-1, two letters. */
  country: string;
}

/** All that decides an invoice besides its amount: as it is now, or as a payment agreed it when its order was made. */
export interface InvoiceTerms {
  seller: Seller;
  buyer: Buyer;
  currency: Currency;
  treatment: TaxTreatment;
  place_of_supply: PlaceOfSupply;
  /** Rupees of a dollar, in paise; null: the currency is rupees. */
  paise_per_dollar: number | null;
}

interface BuyerRow {
  name: string;
  currency: Currency;
  profile: { company_name?: string; country?: string };
  legal_name: string | null;
  gstin: string | null;
  address: Partial<Record<(typeof ADDRESS_PARTS)[number] | 'country', string>> | null;
}

const ADDRESS_PARTS = ['line1', 'line2', 'city', 'state', 'pincode'] as const;

/**
 * The terms of an invoice issued now. The buyer is whom the business details name, whatever their status: it is the address on
 * record. Without them it is the workspace and its profile. The currency is `charged`, or what the workspace pays in now.
 *
 * @throws Error when there is no such workspace.
 */
export async function invoiceTerms(sql: AnySql, workspaceId: string, charged?: Currency): Promise<InvoiceTerms> {
  const [row] = await sql<BuyerRow[]>`
    select w.name, w.currency, w.profile, k.legal_name, k.gstin, k.address
    from workspaces w left join kyc k on k.workspace_id = w.id where w.id = ${workspaceId}`;
  if (!row) throw new Error('the workspace is gone');
  const seller = await findSeller(sql);
  const currency = charged ?? row.currency;
  const buyer = buyerOf(row);
  const supply = { seller_gstin: seller.gstin, buyer_gstin: buyer.gstin, buyer_country: buyer.country };
  return {
    ...{ seller, buyer, currency },
    ...treatmentOf({ ...supply, buyer_state: buyer.state, currency }),
    paise_per_dollar: currency === 'USD' ? (await exchangeRates(sql)).USD : null,
  };
}

function buyerOf({ name, profile, legal_name, gstin, address }: BuyerRow): Buyer {
  const text = (part = '') => part.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  const { country = 'IN' } = address ?? {};
  const parts = ADDRESS_PARTS.map((part) => text(address?.[part]));
  const [line1 = '', line2 = '', city = '', state = '', pincode = ''] = parts;
  const given = parts.some((part) => part !== '');
  const where = given ? country : countryOf(profile.country ?? '');
  const valid = gstin !== null && isGstin(gstin) ? gstin : '';
  const stateName = stateOf(state)?.name ?? state;
  const town = text(`${city} ${pincode}`);
  return {
    name: text(legal_name || profile.company_name || name),
    address: [line1, line2, town, stateName, countryName(where)].filter(Boolean).join('\n'),
    gstin: valid,
    state: stateOfGstin(valid)?.name ?? stateName,
    country: where,
  };
}

/** The code of a country that a client named in words of its own; India when it is none. */
function countryOf(text: string): string {
  const wanted = text.trim().toLowerCase();
  const found = COUNTRIES.find(({ id, name }) => [id.toLowerCase(), name.toLowerCase()].includes(wanted));
  return found?.id ?? 'IN';
}

export const countryName = (code: string): string => COUNTRIES.find(({ id }) => id === code)?.name ?? code;

/**
 * The tax that a payment of `amountPaise` adds now, and the terms it follows from. A payment keeps the terms and hands them to
 * `issueInvoice`: what it took then stays the invoice's tax, whatever the buyer or the seller changed meanwhile.
 */
export async function taxOf(
  sql: AnySql,
  workspaceId: string,
  amountPaise: number,
): Promise<{ tax_paise: number; tax_lines: TaxLine[]; terms: InvoiceTerms }> {
  const terms = await invoiceTerms(sql, workspaceId);
  const tax_lines = taxLines(terms.treatment, amountPaise);
  return { tax_paise: sumOf(tax_lines), tax_lines, terms };
}
