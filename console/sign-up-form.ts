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
    ...(name.trim() === '' && { name: 'Enter your name.' }),
    ...(!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email.trim()) && {
      email: 'Enter an email address, like asha@example.com.',
    }),
    ...(password.length < MIN_PASSWORD && { password: `Choose at least ${MIN_PASSWORD} characters.` }),
  };
}

/** Why the API refused. `field` is what it is about; without one it is about the whole form. Status 0: no response. */
export function signUpRefusal(result: { status: number; detail: string }): { field?: keyof SignUpForm; text: string } {
  if (result.status === 0) return { text: 'The service cannot be reached. Check your connection and try again.' };
  if (result.status === 409)
    return { field: 'email', text: 'There is an account with this email already. Sign in instead.' };
  if (result.status === 422 && result.detail.startsWith('this password')) {
    return { field: 'password', text: `${result.detail[0]!.toUpperCase()}${result.detail.slice(1)}.` };
  }
  if (result.status === 422) return { field: 'email', text: 'This email address is not accepted. Enter another one.' };
  if (result.status === 429) return { text: 'Too many new accounts from here. Try again in an hour.' };
  if (result.status === 403) {
    return { text: 'This browser hid where the request came from. Open this page directly and try again.' };
  }
  return { text: 'The account could not be created. Try again in a moment.' };
}
