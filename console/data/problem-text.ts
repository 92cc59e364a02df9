import { HttpError } from '@oazapfts/runtime';
import { detailOf } from '../api.ts';
import { t } from '../texts/texts.ts';
import { apiWords, fieldErrors } from './field-errors.ts';

/** Returns for a person why a request failed. `what` is what they wanted, such as `the calls`, in their language. */
export function problemText(error: unknown, what: string): string {
  if (!(error instanceof HttpError)) return t('The service cannot be reached. Check your connection.');
  const detail = detailOf(error.data?.detail);
  if (error.status === 401) return t('You were signed out. Sign in again, please.');
  if (error.status === 403) {
    return detail
      ? apiWords(meaningOf(error), detail)
      : t('You may not see {{what}}. Ask an admin of the workspace for that.', { what });
  }
  if (error.status === 404) return detail ? apiWords(meaningOf(error), detail) : meaningOf(error);
  if (error.status === 429) return t('Too many requests in a short time. Wait a moment.');
  if (error.status >= 500) return t('The service could not read {{what}} just now. Try again in a moment.', { what });
  return detail ? apiWords(meaningOf(error), detail) : t('The service could not read {{what}}.', { what });
}

/** Returns for a person why a change was not made, such as `Used by 2 agents.` */
export function changeProblemText(error: unknown): string {
  if (!(error instanceof HttpError)) return t('The service cannot be reached. Check your connection.');
  if (error.status === 401) return t('You were signed out. Sign in again, please.');
  if (error.status === 429) return t('Too many requests in a short time. Wait a moment.');
  const detail = detailOf(error.data?.detail);
  if (detail !== '' && error.status !== 500) return apiWords(meaningOf(error), detail);
  return t('That could not be done just now. Try again in a moment.');
}

/** What a refusal means, by its code and its status. */
function meaningOf({ status, data }: HttpError): string {
  if (data?.code === 'email_unverified') return t('Confirm your email address first.');
  if (data?.code === 'confirmation_required') return t('Confirm first that it is you.');
  if (data?.code === 'workspace_inactive') return t('The workspace is not active.');
  switch (status) {
    case 402:
      return t('There are not enough credits.');
    case 403:
      return t('You may not do that.');
    case 404:
      return t('There is nothing here any more.');
    case 409:
      return t('That does not fit how things are now.');
    case 413:
      return t('That is too large.');
    case 415:
      return t('Files of this kind are not taken.');
    case 422:
      return t('Something of it is not right.');
    case 502:
      return t('A provider did not answer.');
    default:
      return t('That cannot be done.');
  }
}

/** The same under a form; empty where the fields say it already, and for no error. */
export const formProblemText = (error: unknown): string =>
  error === null || Object.keys(fieldErrors(error)).length > 0 ? '' : changeProblemText(error);
