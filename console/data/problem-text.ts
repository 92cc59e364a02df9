import { HttpError } from '@oazapfts/runtime';
import { detailOf } from '../api.ts';

/** Returns for a person why a request failed. `what` is what they wanted, such as `the calls`. */
export function problemText(error: unknown, what: string): string {
  if (!(error instanceof HttpError)) return 'The service cannot be reached. Check your connection.';
  const detail = detailOf(error.data?.detail);
  if (error.status === 401) return 'You were signed out. Sign in again, please.';
  if (error.status === 403) return detail || `You may not see ${what}. Ask an admin of the workspace for that.`;
  if (error.status === 404) return detail || `There is nothing here any more.`;
  if (error.status === 429) return 'Too many requests in a short time. Wait a moment.';
  if (error.status >= 500) return `The service could not read ${what} just now. Try again in a moment.`;
  return detail || `The service could not read ${what}.`;
}
