import type { Account, Kyc } from './api-records.ts';

export interface OnboardingStep {
  title: string;
  text: string;
  done: boolean;
  link?: { href: string; text: string };
}

/** Returns the steps from a new account to an active workspace; `kyc` is null for members who may not see it. */
export function onboardingSteps({ email, email_verified }: Account, kyc: Kyc | null): OnboardingStep[] {
  const confirm: OnboardingStep = email_verified
    ? { title: 'Confirm your email address', text: `${email} is confirmed.`, done: true }
    : {
        title: 'Confirm your email address',
        text: `A link is on its way to ${email}. It works for 24 hours.`,
        done: false,
        link: { href: '/api/auth/verify-email', text: 'Send another link' },
      };
  const sent = kyc?.status === 'submitted' || kyc?.status === 'approved';
  return [
    confirm,
    { title: 'Submit your business details', text: detailsText(kyc), done: sent },
    {
      title: 'Wait for the approval',
      text: sent
        ? 'The service is looking at your details. You get an email when that is done.'
        : 'The service looks at your details once they are submitted.',
      done: kyc?.status === 'approved',
    },
  ];
}

function detailsText(kyc: Kyc | null): string {
  switch (kyc?.status) {
    case 'submitted':
    case 'approved':
      return 'They are submitted.';
    case 'rejected':
      return `They were not approved: ${kyc.rejection_reason} Change them and submit them again.`;
    case 'not_submitted':
      return 'Who you are and what your calls are for: PUT /api/v1/kyc, a document to /api/v1/kyc/documents, then POST /api/v1/kyc/submit.';
    default:
      return 'An owner of the workspace does this.';
  }
}
