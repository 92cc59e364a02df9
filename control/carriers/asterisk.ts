import { createAri } from './ari.ts';
import { createAsteriskCalls } from './asterisk-calls.ts';
import { placedChannel, targetChannel } from './asterisk-channels.ts';
import { listenToAsterisk } from './asterisk-events.ts';
import { createAsteriskTransfers } from './asterisk-transfers.ts';
import type { CallbackResponse } from './callback.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import { carrierErrorText } from './carrier-request.ts';
import type { DialOutcome, DialRequest } from './dial.ts';

export interface AsteriskAccount {
  /** Of ARI, with its prefix: `http://127.0.0.1:8088/ari`. */
  ari_url: string;
  ari_user: string;
  ari_password: string;
  /** As in the dialplan's `Stasis(…)`. */
  app: string;
  /** Whom to dial, like `PJSIP/{number}@trunk`; `{number}` has the plus, `{digits}` has not. */
  endpoint: string;
  /** The section of websocket_client.conf that leads to our media server. */
  media_connection: string;
}

const EMPTY_RESPONSE: CallbackResponse = { content_type: 'text/plain; charset=utf-8', text: '' };

/**
 * An Asterisk of one's own, led over ARI: a call is a channel, its sound a second one of chan_websocket, both in a
 * mixing bridge. There are no callbacks: the news comes on the application's connection (`listen`), and what other
 * carriers are answered is done by commands. docs/asterisk.md says what belongs into Asterisk's own settings.
 */
export function createAsterisk(account: AsteriskAccount): Carrier {
  const ari = createAri({
    url: account.ari_url,
    user: account.ari_user,
    password: account.ari_password,
    app: account.app,
  });
  const lines = createAsteriskCalls({ ari, mediaConnection: account.media_connection });

  /** Names the channel beforehand, so that its news is known even when the answer to the request is not. */
  async function originate(channelId: string, order: Pick<DialRequest, 'from_number' | 'to_number' | 'ring_seconds'>) {
    const { from_number, to_number, ring_seconds } = order;
    const path = `/channels/${encodeURIComponent(channelId)}`;
    const digits = to_number.replace(/^\+/, '');
    try {
      const { status, json } = await ari.request('POST', path, {
        endpoint: account.endpoint.replaceAll('{number}', to_number).replaceAll('{digits}', digits),
        app: account.app,
        callerId: from_number,
        timeout: String(ring_seconds),
      });
      if (status >= 200 && status < 300) {
        return { accepted: true, provider_call_id: channelId, provider_request_id: '' } satisfies DialOutcome;
      }
      return { accepted: false, reason: carrierErrorText(json.message ?? json.error, status) } satisfies DialOutcome;
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
      // It may ring all the same.
      void ari.remove(path);
      return { accepted: false, reason: error.message } satisfies DialOutcome;
    }
  }

  const transfers = createAsteriskTransfers({
    ari,
    calls: lines,
    originate: (transferId, order) => originate(targetChannel(transferId), order),
  });

  return {
    name: 'asterisk',
    dial: (order) => originate(placedChannel(idIn(order.status_url, 'call_id')), order),
    hangUp: ({ provider_call_id }) => lines.hangUp(provider_call_id),

    // Nobody of theirs calls our addresses.
    verifyCallback: () => false,
    parseCallback: () => null,

    async connect({ provider_call_id }, streamUrl) {
      await lines.connectMedia(provider_call_id, streamUrl.slice(streamUrl.lastIndexOf('/') + 1));
      return EMPTY_RESPONSE;
    },
    async reject({ provider_call_id }) {
      await lines.hangUp(provider_call_id, 'busy');
      return EMPTY_RESPONSE;
    },
    async end({ provider_call_id }) {
      await lines.hangUp(provider_call_id);
      return EMPTY_RESPONSE;
    },
    transfers: transfers.port,
    listen(news, log, transferNews) {
      return listenToAsterisk({
        ari,
        calls: lines,
        transfers,
        carrier: this,
        carrierEvents: news,
        transferEvents: transferNews,
        log,
      });
    },
  };
}

function idIn(url: string, name: string): string {
  return new URL(url).searchParams.get(name) ?? '';
}
