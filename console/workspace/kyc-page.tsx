import { ok } from '@oazapfts/runtime';
import { useQuery } from '@tanstack/preact-query';
import { getKyc, type Kyc } from '../generated/api.ts';
import { t } from '../texts/texts.ts';
import { timeText } from '../ui/format.ts';
import { Loading, Problem } from '../ui/states.tsx';
import { KycDetails } from './kyc-details.tsx';
import { KycDocuments } from './kyc-documents.tsx';
import { KycForm } from './kyc-form.tsx';
import { WorkspaceFrame } from './workspace-frame.tsx';
import { kycState } from './workspace-texts.ts';

/** Who the workspace is, with documents, for the service's team to approve; works before the workspace is active. */
export function KycPage() {
  const kyc = useQuery({ queryKey: ['kyc'], queryFn: ({ signal }) => ok(getKyc({}, { signal })) });
  const { data } = kyc;
  return (
    <WorkspaceFrame title={t('Business details')} aside={data && <KycChip kyc={data} />}>
      {data ? (
        <KycContent kyc={data} />
      ) : kyc.isError ? (
        <Problem error={kyc.error} what={t('the business details')} onRetry={() => void kyc.refetch()} />
      ) : (
        <Loading what={t('the business details')} />
      )}
    </WorkspaceFrame>
  );
}

function KycChip({ kyc }: { kyc: Kyc }) {
  const { text, tone } = kycState(kyc.status);
  return (
    <span class="chip" data-tone={tone}>
      {text}
    </span>
  );
}

function KycContent({ kyc }: { kyc: Kyc }) {
  const editable = kyc.status === 'not_submitted' || kyc.status === 'rejected';
  return (
    <>
      <KycNotice kyc={kyc} />
      <div class="kyc-columns">
        {editable ? <KycForm kyc={kyc} /> : <KycDetails kyc={kyc} />}
        <KycDocuments documents={kyc.documents} businessType={kyc.business_type} editable={editable} />
      </div>
    </>
  );
}

function KycNotice({ kyc }: { kyc: Kyc }) {
  const at = (time: string | null) => (time ? timeText(time, Date.now()) : '');
  switch (kyc.status) {
    case 'rejected':
      return (
        <p class="notice urgent">
          <strong>{t('Not approved: {{reason}}', { reason: kyc.rejection_reason })}</strong>{' '}
          {t('Change what is needed and submit the details again.')}
        </p>
      );
    case 'submitted':
      return (
        <p class="notice">
          {t('Submitted {{time}}. The service is looking at them; you get an email when that is done.', {
            time: at(kyc.submitted_at),
          })}
        </p>
      );
    case 'approved':
      return <p class="notice">{t('Approved {{time}}.', { time: at(kyc.decided_at) })}</p>;
    default:
      return (
        <p class="quiet">
          {t(
            'The service looks at who calls, and what for, before a workspace may call. Save as often as you like, then submit.',
          )}
        </p>
      );
  }
}
