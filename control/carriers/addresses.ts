import type { Carrier } from '../../shared/call.ts';

/** The addresses carriers are told: built here, served by `routes.ts` and by the media engine. */
export interface CarrierAddresses {
  answerUrl(provider: Carrier, callId: string): string;
  statusUrl(provider: Carrier, callId: string): string;
  /** `token` as made by `shared/media-token.ts`. */
  streamUrl(provider: Carrier, token: string): string;
}

/** `publicApiUrl` and `publicMediaUrl` without or with a slash at the end; no query. */
export function carrierAddresses(publicApiUrl: string, publicMediaUrl: string): CarrierAddresses {
  const api = publicApiUrl.replace(/\/+$/, '');
  const media = publicMediaUrl.replace(/\/+$/, '');
  return {
    answerUrl: (provider, callId) => `${api}/carriers/${provider}/answer?call_id=${callId}`,
    statusUrl: (provider, callId) => `${api}/carriers/${provider}/status?call_id=${callId}`,
    streamUrl: (provider, token) => `${media}/carrier/${provider}/${token}`,
  };
}
