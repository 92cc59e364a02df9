import type { CarrierName } from '../../shared/carriers/registry.ts';

/** The last part of a transfer callback's path; `TransferEventHandler` says what each is for. */
export type TransferEndpoint = 'answer' | 'briefed' | 'status' | 'caller' | 'dial' | 'dialled';

/** The URLs given to carriers: built here, served by `routes.ts`, `transfer-routes.ts` and the media engine. */
export interface CarrierUrls {
  /** Where calls to the service's numbers arrive. */
  inboundUrl(provider: CarrierName): string;
  answerUrl(provider: CarrierName, callId: string): string;
  statusUrl(provider: CarrierName, callId: string): string;
  /** `token` as made by `shared/media-token.ts`; `engine` where an engine has a URL of its own, without a slash at the end. */
  streamUrl(provider: CarrierName, token: string, engine?: string): string;
  transferUrl(provider: CarrierName, endpoint: TransferEndpoint, transferId: string): string;
}

/** `publicApiUrl` and `publicMediaUrl` without or with a slash at the end; no query. */
export function carrierUrls(publicApiUrl: string, publicMediaUrl: string): CarrierUrls {
  const api = publicApiUrl.replace(/\/+$/, '');
  const media = publicMediaUrl.replace(/\/+$/, '');
  return {
    inboundUrl: (provider) => `${api}/carriers/${provider}/inbound`,
    answerUrl: (provider, callId) => `${api}/carriers/${provider}/answer?call_id=${callId}`,
    statusUrl: (provider, callId) => `${api}/carriers/${provider}/status?call_id=${callId}`,
    streamUrl: (provider, token, engine = media) => `${engine}/carrier/${provider}/${token}`,
    transferUrl: (provider, endpoint, transferId) =>
      `${api}/carriers/${provider}/transfer/${endpoint}?transfer_id=${transferId}`,
  };
}
