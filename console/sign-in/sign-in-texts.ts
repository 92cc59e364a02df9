import type { Failure } from '../data/failure.ts';
import { t } from '../texts/texts.ts';

/** Why the sign-in failed. */
export function signInError({ status, detail }: Failure, secondStep: boolean): string {
  if (status === 0) return t('The service cannot be reached. Check your connection and try again.');
  if (status === 429) return t('Too many tries. Wait a few minutes, then try again.');
  if (status === 401 || status === 422) {
    if (!secondStep) return t('That email and password do not belong together.');
    return isExpired(detail)
      ? t('That took too long, or too many tries. Sign in again, please.')
      : t('That code is not right.');
  }
  if (status === 403) return t('This browser hid where the request came from. Open this page directly and try again.');
  return t('The service could not sign you in. Try again in a moment.');
}

/** Whether the login token of the second step expired, by time or by tries. */
export const isExpired = (detail: string): boolean => detail.includes('expired');
