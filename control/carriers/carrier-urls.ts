import type { Carrier } from '../../shared/call.ts';

/** What a carrier asks or tells about a transfer there; see `TransferNews`. */
export type TransferEndpoint = 'answer' | 'briefed' | 'status' | 'caller' | 'dial' | 'dialled';

/** The addresses carriers are told: built here, served by `routes.ts` and by the media engine. */
export interface CarrierUrls {
  answerUrl(provider: Carrier, callId: string): string;
  statusUrl(provider: Carrier, callId: string): string;
  /** `token` as made by `shared/media-token.ts`; `engine` when it is not the common address of media, without a slash at the end. */
  streamUrl(provider: Carrier, token: string, engine?: string): string;
  /** Served by `transfer-routes.ts`. */
  transferUrl(provider: Carrier, what: TransferEndpoint, transferId: string): string;
}

/** `publicApiUrl` and `publicMediaUrl` without or with a slash at the end; no query. */
export function carrierUrls(publicApiUrl: string, publicMediaUrl: string): CarrierUrls {
  const api = publicApiUrl.replace(/\/+$/, '');
  const media = publicMediaUrl.replace(/\/+$/, '');
  return {
    answerUrl: (provider, callId) => `${api}/carriers/${provider}/answer?call_id=${callId}`,
    statusUrl: (provider, callId) => `${api}/carriers/${provider}/status?call_id=${callId}`,
    streamUrl: (provider, token, engine = media) => `${engine}/carrier/${provider}/${token}`,
    transferUrl: (provider, what, transferId) =>
      `${api}/carriers/${provider}/transfer/${what}?transfer_id=${transferId}`,
  };
}
