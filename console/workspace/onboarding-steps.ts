import type { Account, Kyc } from '../generated/api.ts';
import { t } from '../texts/texts.ts';

export interface OnboardingStep {
  title: string;
  text: string;
  done: boolean;
  link?: { href: string; text: string };
}

/** Returns the steps from a new account to an active workspace; `kyc` is null for members who may not see it. */
export function onboardingSteps(
  { email, email_verified }: Pick<Account, 'email' | 'email_verified'>,
  kyc: Pick<Kyc, 'status' | 'rejection_reason'> | null,
): OnboardingStep[] {
  const confirm: OnboardingStep = {
    title: t('Confirm your email address'),
    text: email_verified
      ? t('{{email}} is confirmed.', { email })
      : t('A link is on its way to {{email}}. It works for 24 hours.', { email }),
    done: email_verified,
    ...(email_verified ? {} : { link: { href: '/api/auth/verify-email', text: t('Send another link') } }),
  };
  const sent = kyc?.status === 'submitted' || kyc?.status === 'approved';
  const details: OnboardingStep = {
    title: t('Submit your business details'),
    text: detailsText(kyc),
    done: sent,
    ...(kyc === null
      ? {}
      : {
          link: {
            href: '/workspace/kyc',
            text: sent ? t('See the business details') : t('Enter the business details'),
          },
        }),
  };
  return [
    confirm,
    details,
    {
      title: t('Wait for the approval'),
      text: sent
        ? t('The service is looking at your details. You get an email when that is done.')
        : t('The service looks at your details once they are submitted.'),
      done: kyc?.status === 'approved',
    },
  ];
}

function detailsText(kyc: Pick<Kyc, 'status' | 'rejection_reason'> | null): string {
  switch (kyc?.status) {
    case 'submitted':
    case 'approved':
      return t('They are submitted.');
    case 'rejected':
      return t('They were not approved: {{reason}} Change them and submit them again.', {
        reason: kyc.rejection_reason,
      });
    case 'not_submitted':
      return t('Who you are, what your calls are for, and a document about your business.');
    default:
      return t('An owner of the workspace does this.');
  }
}
