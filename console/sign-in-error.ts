/** Why nobody was signed in, as a sentence. Status 0: nobody answered. */
export function signInError({ status, detail }: { status: number; detail: string }, secondStep: boolean): string {
  if (status === 0) return 'The service cannot be reached. Check your connection and try again.';
  if (status === 429) return 'Too many tries. Wait a few minutes, then try again.';
  if (status === 401 || status === 422) {
    if (!secondStep) return 'That email and password do not belong together.';
    return isExpired(detail)
      ? 'That took too long, or too many tries. Sign in again, please.'
      : 'That code is not right.';
  }
  if (status === 403) return 'This browser hid where the request came from. Open this page directly and try again.';
  return 'The service could not sign you in. Try again in a moment.';
}

/** The second step has its time and its tries; after them the first one is due again. */
export function isExpired(detail: string): boolean {
  return detail.includes('expired');
}
