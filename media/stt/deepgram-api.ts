import type { AudioFormat } from '../audio/format.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';
import { closeFailure, type ProviderSocketOptions } from '../provider/socket.ts';

/** What the two streaming APIs of Deepgram have in common (developers.deepgram.com). */

export const DEEPGRAM_ENCODINGS: Record<AudioFormat['encoding'], string> = {
  mulaw: 'mulaw',
  alaw: 'alaw',
  pcm16: 'linear16',
};

export const DEEPGRAM_CLOSE_MESSAGE = '{"type":"CloseStream"}';

const MAX_KEYTERMS = 100;

export function deepgramSocket(options: { apiKey: string }, url: string) {
  return {
    url,
    headers: { Authorization: `Token ${options.apiKey}` },
    refusalHeader: 'dg-error',
    closeMeaning: (code, reason) => deepgramFailure(reason) ?? closeFailure(code),
  } satisfies Partial<ProviderSocketOptions>;
}

/** The terms that are not blank, as many as the API takes. */
export function limitKeyterms(keyterms: readonly string[] = []): string[] {
  return keyterms
    .map((term) => term.trim())
    .filter((term) => term !== '')
    .slice(0, MAX_KEYTERMS);
}

/** What an error code or close reason (`NET-0001`, `DATA-0000`, …) means; undefined for an unknown one. */
export function deepgramFailure(code: string): ProviderFailure | undefined {
  if (/NET-0001|TIMEOUT/i.test(code)) return 'timeout';
  if (/AUTH|FORBIDDEN|CREDENTIAL/i.test(code)) return 'auth';
  if (/TOO_MANY|RATE_LIMIT|CAPACITY|OVERLOAD/i.test(code)) return 'capacity';
  if (/DATA-|MESSAGE-|BIG-|INVALID|UNPARSABLE|BAD_REQUEST|UNSUPPORTED/i.test(code)) return 'bad_request';
  return undefined;
}
