import type { AudioFormat } from '../audio/format.ts';
import type { ProviderFailure } from '../provider/provider-error.ts';

/** What the services of Deepgram have in common (developers.deepgram.com). */

/** Names of our encodings in the vendor's query. */
export const DEEPGRAM_ENCODINGS: Record<AudioFormat['encoding'], string> = {
  mulaw: 'mulaw',
  alaw: 'alaw',
  pcm16: 'linear16',
};

/** The vendor's error codes and close reasons (`NET-0001`, `DATA-0000`, …) in our words; undefined: none we know. */
export function deepgramFailure(code: string): ProviderFailure | undefined {
  if (/NET-0001|TIMEOUT/i.test(code)) return 'timeout';
  if (/AUTH|FORBIDDEN|CREDENTIAL/i.test(code)) return 'auth';
  if (/TOO_MANY|RATE_LIMIT|CAPACITY|OVERLOAD/i.test(code)) return 'capacity';
  if (/DATA-|MESSAGE-|BIG-|INVALID|UNPARSABLE|BAD_REQUEST|UNSUPPORTED/i.test(code)) return 'bad_request';
  return undefined;
}
