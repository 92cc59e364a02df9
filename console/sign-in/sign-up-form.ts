import type { Failure } from '../data/failure.ts';
import { sentence } from '../data/field-errors.ts';
import { t } from '../texts/texts.ts';

/** What a new user enters; `workspace_name` may be empty. */
export interface SignUpForm {
  name: string;
  email: string;
  password: string;
  workspace_name: string;
}

export type SignUpErrors = { [Field in keyof SignUpForm]?: string };

const MIN_PASSWORD = 10;

/** Returns what is wrong with each field before it is sent; the API has the last word. */
export function signUpErrors({ name, email, password }: SignUpForm): SignUpErrors {
  return {
    ...(name.trim() === '' && { name: t('Enter your name.') }),
    ...(!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) && {
      email: t('Enter an email address, like asha@example.com.'),
    }),
    ...(password.length < MIN_PASSWORD && { password: t('Choose at least 10 characters.') }),
  };
}

/** Why the API refused. `field` is what it is about; without one it is about the whole form. Status 0: no response. */
export function signUpRefusal(result: Failure): { field?: keyof SignUpForm; text: string } {
  if (result.status === 0) return { text: t('The service cannot be reached. Check your connection and try again.') };
  if (result.status === 409)
    return { field: 'email', text: t('There is an account with this email already. Sign in instead.') };
  if (result.status === 422 && result.detail.startsWith('this password')) {
    return { field: 'password', text: sentence(result.detail) };
  }
  if (result.status === 422)
    return { field: 'email', text: t('This email address is not accepted. Enter another one.') };
  if (result.status === 429) return { text: t('Too many new accounts from here. Try again in an hour.') };
  if (result.status === 403) {
    return { text: t('This browser hid where the request came from. Open this page directly and try again.') };
  }
  return { text: t('The account could not be created. Try again in a moment.') };
}
