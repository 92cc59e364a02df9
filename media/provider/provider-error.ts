import { errorText } from '../../shared/log.ts';

/** How a speech provider failed, in the words of the call's timeline and of the fallback rules. */
export type ProviderFailure = 'auth' | 'bad_request' | 'capacity' | 'timeout' | 'unavailable';

export class ProviderError extends Error {
  readonly provider: string;
  readonly kind: ProviderFailure;
  constructor(provider: string, kind: ProviderFailure, message: string) {
    super(message);
    this.name = 'ProviderError';
    this.provider = provider;
    this.kind = kind;
  }
}

/** Returns a ProviderError as it is, and anything else as `unavailable`. */
export function asProviderError(error: unknown, provider: string): ProviderError {
  return error instanceof ProviderError ? error : new ProviderError(provider, 'unavailable', errorText(error));
}
