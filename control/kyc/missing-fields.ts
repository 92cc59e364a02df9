import type { ValidationItem } from '../http/errors.ts';
import type { DocumentKind, KycFields } from './kyc-fields.ts';

/** Returns what is missing for a submission, as the items of a 422. */
export function missingFields(kyc: KycFields, documents: readonly { kind: DocumentKind }[]): ValidationItem[] {
  const { address } = kyc;
  const inIndia = address.country === 'IN';
  const required: [path: string[], value: string][] = [
    [['legal_name'], kyc.legal_name],
    [['business_type'], kyc.business_type],
    ...(inIndia ? [[['pan'], kyc.pan] as [string[], string]] : []),
    [['address', 'line1'], address.line1],
    [['address', 'city'], address.city],
    ...(inIndia
      ? ([
          [['address', 'state'], address.state],
          [['address', 'pincode'], address.pincode],
        ] as [string[], string][])
      : []),
    [['contact_name'], kyc.contact_name],
    [['contact_email'], kyc.contact_email],
    [['contact_phone'], kyc.contact_phone],
    [['use_case'], kyc.use_case],
  ];
  const items: ValidationItem[] = required
    .filter(([, value]) => value === '')
    .map(([path]) => ({ type: 'missing', loc: ['body', ...path], msg: 'Field required', input: null }));
  const kinds = documents.map(({ kind }) => kind);
  const identified = kyc.business_type === 'individual' && kinds.includes('identity');
  if (!kinds.includes('registration') && !identified) {
    const needed = kyc.business_type === 'individual' ? 'identity' : 'registration';
    const msg = `a document of kind ${needed} is needed`;
    items.push({ type: 'value_error', loc: ['body', 'documents'], msg, input: null });
  }
  return items;
}
