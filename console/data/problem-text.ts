import { HttpError } from '@oazapfts/runtime';
import { detailOf } from '../api.ts';
import { t } from '../texts/texts.ts';
import { fieldErrors, sentence } from './field-errors.ts';

/** Returns for a person why a request failed. `what` is what they wanted, such as `the calls`, in their language. */
export function problemText(error: unknown, what: string): string {
  if (!(error instanceof HttpError)) return t('The service cannot be reached. Check your connection.');
  const detail = detailOf(error.data?.detail);
  if (error.status === 401) return t('You were signed out. Sign in again, please.');
  if (error.status === 403) {
    return detail || t('You may not see {{what}}. Ask an admin of the workspace for that.', { what });
  }
  if (error.status === 404) return detail || t('There is nothing here any more.');
  if (error.status === 429) return t('Too many requests in a short time. Wait a moment.');
  if (error.status >= 500) return t('The service could not read {{what}} just now. Try again in a moment.', { what });
  return detail || t('The service could not read {{what}}.', { what });
}

/** Returns for a person why a change was not made, such as `Used by 2 agents.` */
export function changeProblemText(error: unknown): string {
  if (!(error instanceof HttpError)) return t('The service cannot be reached. Check your connection.');
  if (error.status === 401) return t('You were signed out. Sign in again, please.');
  if (error.status === 429) return t('Too many requests in a short time. Wait a moment.');
  const detail = detailOf(error.data?.detail);
  if (detail !== '' && error.status !== 500) return sentence(detail);
  return t('That could not be done just now. Try again in a moment.');
}

/** The same under a form; empty where the fields say it already, and for no error. */
export const formProblemText = (error: unknown): string =>
  error === null || Object.keys(fieldErrors(error)).length > 0 ? '' : changeProblemText(error);
