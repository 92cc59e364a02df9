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
