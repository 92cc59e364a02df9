import { ok, type RequestOpts } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { useSession } from '../data/session.ts';
import { getLocationsIndia, type Kyc, postKycSubmit, putKyc } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { SelectField, TextArea, TextField } from '../ui/fields.tsx';
import { LeaveGuard } from '../ui/leave-guard.tsx';
import { toast } from '../ui/toasts.tsx';
import { useForm } from '../ui/use-form.ts';
import { FormEnd, onSubmit } from './form-end.tsx';
import { type KycValues, kycBody, kycValues } from './kyc-fields.ts';
import { useReferenceData } from './reference-data.ts';
import { useChange } from './use-change.ts';
import { choicesOf } from './workspace-texts.ts';

/** The business details: saved as often as one likes, and submitted once they are complete. */
export function KycForm({ kyc }: { kyc: Kyc }) {
  const { refresh } = useSession();
  const form = useForm(kycValues(kyc));
  const { values, errors } = form;
  const call = (opts?: RequestOpts) => putKyc(kycBody(values), {}, opts);
  const saving = useChange({
    change: () => ok(call()),
    reads: ['kyc'],
    what: t('the business details'),
    form,
    onDone: () => {
      form.reset(values);
      toast(t('Saved.'));
    },
  });
  const submitting = useChange({
    change: async () => {
      await ok(call());
      form.reset(values);
      return ok(postKycSubmit());
    },
    reads: ['kyc'],
    what: t('the business details'),
    form,
    onDone: () => {
      toast(t('The business details are submitted.'));
      void refresh();
    },
  });
  const missing = Object.keys(errors).length > 0;
  return (
    <section class="panel" aria-labelledby="details-title">
      <h2 id="details-title">{t('The business')}</h2>
      <form class="form" onSubmit={onSubmit(() => saving.send())} noValidate>
        <KycFieldset values={values} errors={errors} set={form.set} />
        {errors.documents && <p class="error">{errors.documents}</p>}
        <FormEnd
          action={t('Save')}
          busy={saving.busy}
          problem={submitting.problem || saving.problem || (missing ? t('Some fields need your attention.') : '')}
          call={call}
        >
          <button type="button" class="secondary" aria-disabled={submitting.busy} onClick={() => submitting.send()}>
            {submitting.busy ? t('One moment…') : t('Save and submit')}
          </button>
        </FormEnd>
      </form>
      <LeaveGuard changed={form.changed} />
    </section>
  );
}

interface FieldsProps {
  values: KycValues;
  errors: Record<string, string>;
  set: (name: keyof KycValues, value: string) => void;
}

function KycFieldset({ values, errors, set }: FieldsProps) {
  const masters = useReferenceData().data;
  const inIndia = values['address.country'] === 'IN';
  const states = useQuery({
    queryKey: ['states-of-india'],
    queryFn: ({ signal }) => ok(getLocationsIndia({}, { signal })),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: inIndia,
  });
  const common = (name: keyof KycValues, label: string, hint?: string) => ({
    ...{ label, hint, value: values[name], error: errors[name] },
    onChange: (value: string) => set(name, value),
  });
  const unchosen = { value: '', label: t('Choose') };
  return (
    <>
      <div class="form-row">
        <TextField {...common('legal_name', t('Legal name'), t('As registered.'))} />
        <SelectField
          {...common('business_type', t('Kind of business'), t('Individuals send a proof of identity.'))}
          options={[unchosen, ...choicesOf(masters?.business_types ?? [], values.business_type)]}
        />
      </div>
      <SelectField
        {...common('address.country', t('Country'))}
        options={choicesOf(masters?.countries ?? [], values['address.country'])}
      />
      <div class="form-row">
        {inIndia ? (
          <>
            <TextField {...common('pan', t('PAN'), t('Ten characters, such as ABCDE1234F.'))} maxLength={10} />
            <TextField {...common('gstin', t('GSTIN'), t('Optional; it contains the PAN.'))} maxLength={15} />
            <TextField {...common('cin', t('CIN'), t('For companies.'))} maxLength={30} />
          </>
        ) : (
          <TextField {...common('tax_id', t('Tax ID'))} maxLength={60} />
        )}
        <TextField {...common('website', t('Website'), inIndia ? t('Optional.') : undefined)} type="url" />
      </div>
      <TextField {...common('address.line1', t('Street and number'))} />
      <TextField {...common('address.line2', t('Further address lines'))} />
      <div class="form-row">
        <TextField {...common('address.city', t('Town or city'))} />
        {inIndia ? (
          <SelectField
            {...common('address.state', t('State'))}
            options={[
              unchosen,
              ...choicesOf(
                (states.data?.states ?? []).map(({ name }) => ({ id: name, name })),
                values['address.state'],
              ),
            ]}
          />
        ) : (
          <TextField {...common('address.state', t('State or region'))} />
        )}
        <TextField {...common('address.pincode', inIndia ? t('PIN code') : t('Postal code'))} maxLength={20} />
      </div>
      <h3>{t('Whom to ask')}</h3>
      <div class="form-row">
        <TextField {...common('contact_name', t('Contact name'))} />
        <TextField {...common('contact_email', t('Contact email'))} type="email" />
        <TextField {...common('contact_phone', t('Contact phone'))} type="tel" />
      </div>
      <h3>{t('The calls')}</h3>
      <TextArea
        {...common('use_case', t('What the calls are for'), t('Who is called, why, and how they agreed to it.'))}
        maxLength={4000}
      />
      <TextArea {...common('sample_script', t('What an agent would say'))} maxLength={4000} />
    </>
  );
}
