import { HttpError } from '@oazapfts/runtime';

/** Whether the API wants the password, or a second factor, entered again before it does this. */
export const needsConfirmation = (error: unknown): boolean =>
  error instanceof HttpError && error.status === 403 && error.data?.code === 'confirmation_required';
