import { randomUUID } from 'node:crypto';
import type { ProviderFailure } from './provider-error.ts';

/** An id in Azure's form. It names a request or a connection to the provider and decides nothing. */
export function azureId(): string {
  return randomUUID().replaceAll('-', '');
}

/** What the words of Azure mean: of a close, or the status of a phrase. */
export function azureFailure(words: string): ProviderFailure | undefined {
  if (/too ?many|quota|throttl|429/i.test(words)) return 'capacity';
  if (/unauthori|forbidden|authenticat|subscription|401|403/i.test(words)) return 'auth';
  if (/time ?out|timed out|idle/i.test(words)) return 'unavailable';
  return /bad ?request|invalid|unsupported|malformed/i.test(words) ? 'bad_request' : undefined;
}
