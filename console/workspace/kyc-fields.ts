import type { Kyc, putKyc } from '../generated/api.ts';

/** The values of the form of business details. Those of the address stand beside the others, as the form's fields do. */

export type KycBody = Parameters<typeof putKyc>[0];

const NAMES = [
  ...(['legal_name', 'business_type', 'pan', 'gstin', 'cin', 'tax_id', 'website'] as const),
  ...(['contact_name', 'contact_email', 'contact_phone', 'use_case', 'sample_script'] as const),
] as const;
const ADDRESS_NAMES = ['line1', 'line2', 'city', 'state', 'pincode', 'country'] as const;

export type KycValues = Record<(typeof NAMES)[number] | `address.${(typeof ADDRESS_NAMES)[number]}`, string>;

export const kycValues = (kyc: Kyc): KycValues =>
  Object.fromEntries([
    ...NAMES.map((name) => [name, kyc[name]]),
    ...ADDRESS_NAMES.map((name) => [`address.${name}`, kyc.address[name]]),
  ]);

/** Returns what is sent. What a country does not have is left out: it would not be seen in the form. */
export function kycBody(values: KycValues): KycBody {
  const inIndia = values['address.country'] === 'IN';
  const hidden: readonly string[] = inIndia ? ['tax_id'] : ['pan', 'gstin', 'cin'];
  const upper = (name: string, value: string) => (/^(pan|gstin|cin)$/.test(name) ? value.toUpperCase() : value);
  return {
    ...Object.fromEntries(
      NAMES.filter((name) => !hidden.includes(name)).map((name) => [name, upper(name, values[name].trim())]),
    ),
    address: Object.fromEntries(ADDRESS_NAMES.map((name) => [name, values[`address.${name}`].trim()])),
  };
}
