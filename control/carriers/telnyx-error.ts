import { jsonObject } from './callback-fields.ts';
import { carrierErrorText } from './carrier-request.ts';

export interface TelnyxError {
  code: string;
  detail: unknown;
  title: unknown;
}

/** The first error of a response of Telnyx's API v2. */
export function firstError(json: Record<string, unknown>): TelnyxError {
  const error = Array.isArray(json.errors) ? jsonObject(json.errors[0]) : null;
  return { code: String(error?.code ?? ''), detail: error?.detail, title: error?.title };
}

export function telnyxErrorText(json: Record<string, unknown>, status: number): string {
  const { detail, title } = firstError(json);
  return carrierErrorText(detail ?? title, status);
}
