import type { Kyc } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { useReferenceData } from './reference-data.ts';

/** The business details as they were submitted. */
export function KycDetails({ kyc }: { kyc: Kyc }) {
  const masters = useReferenceData().data;
  const nameOf = (list: readonly { id: string; name: string }[] | undefined, id: string) =>
    list?.find((each) => each.id === id)?.name ?? id;
  const { line1, line2, city, state, pincode, country } = kyc.address;
  const place = [line1, line2, city, state, pincode, nameOf(masters?.countries, country)];
  const facts: [string, string][] = [
    [t('Legal name'), kyc.legal_name],
    [t('Kind of business'), nameOf(masters?.business_types, kyc.business_type)],
    [t('PAN'), kyc.pan],
    [t('GSTIN'), kyc.gstin],
    [t('CIN'), kyc.cin],
    [t('Tax ID'), kyc.tax_id],
    [t('Website'), kyc.website],
    [t('Address'), place.filter((part) => part !== '').join(', ')],
    [t('Contact name'), kyc.contact_name],
    [t('Contact email'), kyc.contact_email],
    [t('Contact phone'), kyc.contact_phone],
    [t('What the calls are for'), kyc.use_case],
    [t('What an agent would say'), kyc.sample_script],
  ];
  return (
    <section class="panel" aria-labelledby="details-title">
      <h2 id="details-title">{t('The business')}</h2>
      <dl class="details">
        {facts
          .filter(([, value]) => value !== '')
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}
