import { errorText } from '../../shared/log.ts';

/** How a speech provider failed, in the words the timeline and the fallback understand. */
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

/** Whatever was thrown, as the provider's: what is no ProviderError is something that could not be reached. */
export function asProviderError(error: unknown, provider: string): ProviderError {
  return error instanceof ProviderError ? error : new ProviderError(provider, 'unavailable', errorText(error));
}
