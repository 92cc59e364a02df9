import { HttpError } from '@oazapfts/runtime';
import { detailOf } from '../api.ts';

/** Why a request failed: its status, 0 when there was no answer, and what the API says. */
export interface Failure {
  status: number;
  detail: string;
}

export const failureOf = (error: unknown): Failure =>
  error instanceof HttpError
    ? { status: error.status, detail: detailOf(error.data?.detail) }
    : { status: 0, detail: '' };
