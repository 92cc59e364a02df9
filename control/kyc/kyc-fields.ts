import { z } from 'zod';
import { isGstin } from '../billing/invoices/gst.ts';
import { isStateOfIndia, STATES } from '../workspaces/india.ts';
import { BUSINESS_TYPES as BUSINESS_NAMES, DOCUMENT_KINDS as DOCUMENT_NAMES } from '../workspaces/reference-data.ts';

/** The fields of the business details and their formats. Required ones are checked on submission. */

export const BUSINESS_TYPES = Object.keys(BUSINESS_NAMES) as (keyof typeof BUSINESS_NAMES)[];
export type DocumentKind = keyof typeof DOCUMENT_NAMES;
export const DOCUMENT_KINDS = Object.keys(DOCUMENT_NAMES) as DocumentKind[];

/** Text that may be empty until submission; `matching` checks the format of what is given. */
const text = (max: number) => z.string().trim().max(max).default('');
const matching = (pattern: RegExp) => z.string().trim().max(200).regex(pattern).default('');

const EMAIL = /^([^\s@]+@[^\s@]+\.[^\s@]+)?$/;
const PHONE = /^(\+?[0-9][0-9 ()-]{5,19})?$/;
const PAN = /^([A-Z]{5}[0-9]{4}[A-Z])?$/;
const GSTIN = /^([0-9]{2}[A-Z]{5}[0-9]{4}[A-Z][A-Z0-9]Z[A-Z0-9])?$/;
const PINCODE_OF_INDIA = /^[1-9][0-9]{5}$/;

const address = z.object({
  line1: text(200).describe('street and number'),
  line2: text(200).describe('further lines; may be empty'),
  city: text(100).describe('town or city'),
  state: text(100).describe('in India: the name or the code of a state of `/locations/india`'),
  pincode: text(20).describe('in India six digits'),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .default('IN')
    .describe('ISO 3166-1, two letters'),
});
export type Address = z.output<typeof address>;
export const EMPTY_ADDRESS: Address = { line1: '', line2: '', city: '', state: '', pincode: '', country: 'IN' };

const legalName = text(200).refine((name) => name.length !== 1, {
  message: 'String should have at least 2 characters',
  params: { type: 'string_too_short' },
});

const fields = {
  legal_name: legalName.describe('as registered; 2 to 200 characters'),
  business_type: z
    .enum([...BUSINESS_TYPES, ''])
    .default('')
    .describe('empty until it is chosen'),
  pan: matching(PAN).describe('ten characters, such as ABCDE1234F; India'),
  gstin: matching(GSTIN).describe('holds the PAN; its check character must be right'),
  cin: text(30).describe('of companies in India'),
  tax_id: text(60).describe('outside India'),
  website: text(200).describe("address of the business's pages"),
  address: address.default(EMPTY_ADDRESS).describe('where the business is registered'),
  contact_name: text(120).describe('whom to ask'),
  contact_email: matching(EMAIL).describe('of the person to ask'),
  contact_phone: matching(PHONE).describe('of the person to ask'),
  use_case: text(4_000).describe('what the calls are for'),
  sample_script: text(4_000).describe('what an agent would say'),
};

export const kycBody = z.object(fields).superRefine((kyc, context) => {
  const broken = (path: string[], message: string, input: string) =>
    context.addIssue({ code: 'custom', path, message, input });
  const { pan, gstin } = kyc;
  // What is malformed has an issue of its own already.
  const formed = gstin !== '' && GSTIN.test(gstin);
  if (formed && pan !== '' && PAN.test(pan) && gstin.slice(2, 12) !== pan) {
    broken(['gstin'], 'the GSTIN does not hold the PAN', gstin);
  } else if (formed && !isGstin(gstin)) {
    broken(['gstin'], 'the GSTIN is mistyped: its check character, the last one, does not fit the others', gstin);
  }
  const { country, state, pincode } = kyc.address;
  if (country !== 'IN') return;
  if (state !== '' && !isStateOfIndia(state) && !STATES.some(({ code }) => code === state)) {
    broken(['address', 'state'], 'the state is not one of /locations/india', state);
  }
  if (pincode !== '' && !PINCODE_OF_INDIA.test(pincode)) {
    broken(['address', 'pincode'], 'a pincode of India has six digits', pincode);
  }
});
export type KycFields = z.output<typeof kycBody>;
export const KYC_FIELDS = Object.keys(fields) as (keyof KycFields)[];

export const EMPTY_KYC: KycFields = kycBody.parse({});
