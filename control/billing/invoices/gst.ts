import { STATES, type State } from '../../workspaces/india.ts';

/** Which GST an invoice carries. Pure; the rules are those of the IGST Act, s. 2(6) and 12, and of the CGST Rules, rule 46. */

export interface TaxLine {
  name: 'CGST' | 'SGST' | 'IGST';
  rate_percent: number;
  amount_paise: number;
}

/**
 * `intra_state`: CGST and SGST. `inter_state`: IGST. `export`: a service to abroad, paid in foreign currency, without tax.
 * `not_taxed`: the seller is not registered, or the buyer is abroad and pays in rupees.
 */
export type TaxTreatment = 'intra_state' | 'inter_state' | 'export' | 'not_taxed';

/** A state's name with its GST code; outside India code 96. */
export interface PlaceOfSupply {
  code: string;
  name: string;
}

export const ABROAD: PlaceOfSupply = { code: '96', name: 'Other country' };
const RATE_PERCENT = 18;

const GSTIN = /^[0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][1-9A-Z][Z1-9ABD-J][0-9A-Z]$/;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Whether it has the form of a GSTIN and its check character is right. */
export function isGstin(text: string): boolean {
  if (!GSTIN.test(text) || !stateOfCode(text.slice(0, 2))) return false;
  const sum = [...text.slice(0, 14)].reduce((total, sign, at) => {
    const product = ALPHABET.indexOf(sign) * (at % 2 === 0 ? 1 : 2);
    return total + Math.floor(product / 36) + (product % 36);
  }, 0);
  return text[14] === ALPHABET[(36 - (sum % 36)) % 36];
}

const stateOfCode = (gstCode: string): State | undefined => STATES.find(({ gst_code }) => gst_code === gstCode);

/** The state of a name or a two-letter code, as it is in an address; null when it is none of India. */
export function stateOf(text: string): PlaceOfSupply | null {
  const state = STATES.find(({ code, name }) => code === text || name === text);
  return state ? place(state) : null;
}

/** The state that registered it. */
export const stateOfGstin = (gstin: string): PlaceOfSupply | null => {
  const state = stateOfCode(gstin.slice(0, 2));
  return state ? place(state) : null;
};

const place = ({ gst_code, name }: State): PlaceOfSupply => ({ code: gst_code, name });

/** What decides the tax. */
export interface Supply {
  /** Empty: not registered, no GST is charged. */
  seller_gstin: string;
  /** Valid, or empty. */
  buyer_gstin: string;
  /** ISO 3166-1, two letters. */
  buyer_country: string;
  /** As in the address; may be empty. */
  buyer_state: string;
  currency: 'INR' | 'USD';
}

/**
 * A registered buyer is where it is registered, another one at its address, without a state where the seller is. Abroad with
 * payment in dollars is an export, unless the buyer has a GSTIN or names a state of India.
 */
export function treatmentOf(supply: Supply): { treatment: TaxTreatment; place_of_supply: PlaceOfSupply } {
  const { seller_gstin, buyer_gstin, buyer_country, buyer_state, currency } = supply;
  const own = stateOfGstin(seller_gstin);
  const registered = stateOfGstin(buyer_gstin);
  const addressed = stateOf(buyer_state);
  if (buyer_country !== 'IN' && !registered) {
    return { treatment: currency === 'USD' && !addressed ? 'export' : 'not_taxed', place_of_supply: ABROAD };
  }
  const place_of_supply = registered ?? addressed ?? own ?? { code: '', name: '' };
  if (!own) return { treatment: 'not_taxed', place_of_supply };
  return { treatment: place_of_supply.code === own.code ? 'intra_state' : 'inter_state', place_of_supply };
}

/** The tax on an amount without tax: each line rounded to the nearest paisa, half up. */
export function taxLines(treatment: TaxTreatment, amountPaise: number): TaxLine[] {
  const line = (name: TaxLine['name'], rate_percent: number): TaxLine => {
    return { name, rate_percent, amount_paise: Math.floor((amountPaise * rate_percent + 50) / 100) };
  };
  if (treatment === 'inter_state') return [line('IGST', RATE_PERCENT)];
  if (treatment === 'intra_state') return [line('CGST', RATE_PERCENT / 2), line('SGST', RATE_PERCENT / 2)];
  return [];
}

export const sumOf = (lines: readonly TaxLine[]): number =>
  lines.reduce((sum, { amount_paise }) => sum + amount_paise, 0);
