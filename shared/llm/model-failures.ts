import type { IncomingHttpHeaders } from 'node:http';
import { LanguageModelError, type LanguageModelFailure } from './language-model.ts';
import { list, record } from './loose-json.ts';

/** Maps the errors of providers to failures. */

/** The failure of an HTTP status. */
export function failureOfStatus(status: number): LanguageModelFailure {
  if (status === 401 || status === 402 || status === 403) return 'auth';
  if (status === 408) return 'timeout';
  // 498 is Groq's "capacity exceeded".
  if (status === 429 || status === 498) return 'capacity';
  return status >= 500 ? 'unavailable' : 'bad_request';
}

/** The code of an error body, for messages: the provider's own message may quote the conversation. */
export function errorCode(error: unknown): string {
  const { code, type, status } = record(error);
  const named = [code, status, type].find((value) => typeof value === 'string' && /^[\w .-]{1,60}$/.test(value));
  return typeof named === 'string' ? named : '';
}

/** An error inside a response with status 200. */
export function streamedError(provider: string, error: unknown): LanguageModelError {
  const { code, status } = record(error);
  const number = [code, status].map(Number).find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  const name = errorCode(error);
  const byNumber = number === undefined ? failureOfCode(name) : failureOfStatus(number);
  const kind = unpaid(name) ? 'auth' : byNumber;
  return new LanguageModelError(kind, `${provider} broke off its answer${name && ` (${name})`}`, number ?? 0);
}

/** A response with a status other than 200; `error` is from its body. */
export function refusal(
  provider: string,
  status: number,
  headers: IncomingHttpHeaders,
  error: unknown,
): LanguageModelError {
  const code = errorCode(error);
  const kind = badKey(error) || unpaid(code) ? 'auth' : failureOfStatus(status);
  const message = `${provider} answered ${status}${code && ` (${code})`}`;
  return new LanguageModelError(kind, message, status, retryAfterMs(headers, error));
}

function failureOfCode(code: string): LanguageModelFailure {
  if (/rate_limit|slow_down|capacity|overloaded|RESOURCE_EXHAUSTED/i.test(code)) return 'capacity';
  if (/api_key|auth|permission|billing/i.test(code)) return 'auth';
  if (/invalid|context_length|content_filter|not_found|too_large|tool_use_failed/i.test(code)) return 'bad_request';
  if (/timeout/i.test(code)) return 'timeout';
  return 'unavailable';
}

/** OpenAI's status for an account without credit is that of a rate limit, but asking again does not help. */
function unpaid(code: string): boolean {
  return /^(insufficient_quota|credit_balance_exhausted)$/.test(code);
}

/** Google rejects a wrong key with status 400 and a detail (google.rpc.ErrorInfo). */
function badKey(error: unknown): boolean {
  return list(record(error).details).some((detail) => detail.reason === 'API_KEY_INVALID');
}

const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** `retry-after-ms` (OpenAI, Azure), `retry-after` in seconds (RFC 9110), or Google's `RetryInfo` ("12s"). */
function retryAfterMs(headers: IncomingHttpHeaders, error: unknown): number | null {
  const delay = list(record(error).details).find((detail) => typeof detail.retryDelay === 'string')?.retryDelay;
  const given = [
    Number.parseFloat(String(headers['retry-after-ms'])),
    Number.parseFloat(String(headers['retry-after'])) * 1_000,
    Number.parseFloat(String(delay)) * 1_000,
  ];
  return given.find((value) => value >= 0 && value <= MAX_RETRY_AFTER_MS) ?? null;
}
