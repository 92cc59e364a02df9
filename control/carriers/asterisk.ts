import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { asterisk } from '../../shared/carriers/asterisk.ts';
import { errorText } from '../../shared/log.ts';
import type { SettingsOf } from '../../shared/providers/manifest.ts';
import type { Sql } from '../db/connect.ts';
import { isSuccess } from '../http/rest-request.ts';
import { createAri } from './ari.ts';
import { createAsteriskCalls } from './asterisk-calls.ts';
import { placedChannel, readChannel, targetChannel } from './asterisk-channels.ts';
import { listenToAsterisk } from './asterisk-events.ts';
import { createAsteriskState } from './asterisk-state.ts';
import { createAsteriskTransfers } from './asterisk-transfers.ts';
import { EMPTY_RESPONSE } from './callback.ts';
import { queryParameter, withoutPlus } from './callback-fields.ts';
import { type Carrier, type CarrierAdapter, CarrierError } from './carrier.ts';
import { carrierErrorText, dialOutcome, dialWithoutCall } from './carrier-request.ts';
import { type LeaseTimes, leaseConnection } from './connection-lease.ts';
import type { DialOutcome, DialRequest } from './dial.ts';
import { readSampleRate, type SampleRate } from './sample-rate.ts';

export interface AsteriskAccount {
  /** Of ARI, with its prefix: `http://127.0.0.1:8088/ari`. */
  ari_url: string;
  /** Authorities (PEM) that sign its certificate, instead of the public ones. */
  ari_ca?: string | undefined;
  ari_user: string;
  ari_password: string;
  /** As in the dialplan's `Stasis(…)`. */
  app: string;
  /** Whom to dial, like `PJSIP/{number}@trunk`; `{number}` has the plus, `{digits}` has not. */
  endpoint: string;
  /** The section of websocket_client.conf that leads to media; `{port}` stands for the engine's port. */
  media_connection: string;
  /** Of the stream; default 8000. */
  sample_rate?: SampleRate;
}

export interface AsteriskDeps {
  sql: Sql;
  /** Shorter ones, for tests. */
  leaseTimes?: LeaseTimes;
}

/**
 * The operator's own Asterisk, controlled over ARI: a call is a channel, its audio a second channel of chan_websocket, both
 * in a mixing bridge. There are no callbacks: events come on the application's connection (`listen`), and commands do what
 * other carriers are sent in responses. docs/asterisk.md has Asterisk's own settings.
 *
 * Asterisk gives an application's events to one connection, so that one control process at a time listens; commands may come from
 * any.
 */
export function createAsterisk(account: AsteriskAccount, { sql, leaseTimes }: AsteriskDeps): Carrier {
  const { ari_url: url, ari_ca: ca, ari_user: user, ari_password: password, app } = account;
  const ari = createAri({ url, ca, user, password, app });
  const state = createAsteriskState(sql);
  const calls = createAsteriskCalls({
    ari,
    state,
    mediaConnection: account.media_connection,
    sampleRate: account.sample_rate,
  });

  /** Names the channel beforehand, so that its events are recognized even when the response to the request is lost. */
  function originate(
    channelId: string,
    { from_number, to_number, ring_seconds }: Pick<DialRequest, 'from_number' | 'to_number' | 'ring_seconds'>,
  ): Promise<DialOutcome> {
    const path = `/channels/${encodeURIComponent(channelId)}`;
    const endpoint = account.endpoint.replaceAll('{number}', to_number).replaceAll('{digits}', withoutPlus(to_number));
    return dialOutcome(async () => {
      const parameters = { endpoint, app, callerId: from_number, timeout: String(ring_seconds) };
      const response = await ari.request('POST', path, parameters);
      const { status, json } = response;
      // 409: a channel of that name is there already, from the same dial.
      if (isSuccess(status) || status === 409) {
        return { accepted: true, provider_call_id: channelId, provider_request_id: '' };
      }
      const reason = carrierErrorText(json.message ?? json.error, status);
      // Asterisk says with 500 that it could not make the channel ("Allocation failed"); a proxy before it sends other failures.
      return status === 500 ? { accepted: false, reason } : dialWithoutCall(response, reason);
    });
  }

  const transfers = createAsteriskTransfers({
    ari,
    state,
    calls,
    originate: (transferId, request) => originate(targetChannel(transferId), request),
  });

  return {
    name: 'asterisk',
    dial: (request) => originate(placedChannel(queryParameter(request.status_url, 'call_id')), request),
    async findDial({ call_id }) {
      const id = placedChannel(call_id);
      const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(id)}`);
      if (status === 404) return { dials: [], exact: true, complete: true };
      const channel = isSuccess(status) ? readChannel(json) : null;
      if (!channel) throw new CarrierError(carrierErrorText(json.message ?? json.error, status), status);
      const dial = { provider_call_id: id, provider_request_id: '', status: null, carrier_status: channel.state };
      return { dials: [dial], exact: true, complete: true };
    },
    async findCall({ provider_call_id }) {
      const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(provider_call_id)}`);
      if (isSuccess(status)) return { status: null, carrier_status: '' };
      if (status === 404) return { status: 'no-answer', carrier_status: '' };
      throw new CarrierError(carrierErrorText(json.message ?? json.error, status), status);
    },
    hangUp: ({ provider_call_id }) => calls.hangUp(provider_call_id),

    // Asterisk sends no callbacks, so none is genuine.
    verifyCallback: () => false,
    parseCallback: () => null,

    async connect({ provider_call_id }, streamUrl) {
      await calls.connectMedia(provider_call_id, streamUrl);
      return EMPTY_RESPONSE;
    },
    async reject({ provider_call_id }) {
      await calls.hangUp(provider_call_id, 'busy');
      return EMPTY_RESPONSE;
    },
    async end({ provider_call_id }) {
      await calls.hangUp(provider_call_id);
      return EMPTY_RESPONSE;
    },
    transfers: transfers.port,
    listen(carrierEvents, log, transferEvents) {
      const deps = { ari, state, calls, transfers, carrier: this, carrierEvents, transferEvents, log };
      const open = () => listenToAsterisk(deps);
      return leaseConnection({ sql, log, name: `asterisk ${app}`, open, ...(leaseTimes ? { times: leaseTimes } : {}) });
    },
  };
}

/** @throws Error when the address is not one of an ARI. */
export const adapter: CarrierAdapter<typeof asterisk> = (settings, { sql }) => {
  if (!sql) throw new Error('Asterisk is used with a database only');
  if (!/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(settings.ASTERISK_ARI_URL)) {
    throw new Error('ASTERISK_ARI_URL is not an address like http://127.0.0.1:8088/ari');
  }
  const account = {
    ari_url: settings.ASTERISK_ARI_URL,
    ari_ca: readAuthorities(settings),
    ari_user: settings.ASTERISK_ARI_USER,
    ari_password: settings.ASTERISK_ARI_PASSWORD,
    app: settings.ASTERISK_APP,
    endpoint: settings.ASTERISK_ENDPOINT,
    media_connection: settings.ASTERISK_MEDIA_CONNECTION,
    sample_rate: readSampleRate('ASTERISK_SAMPLE_RATE', settings.ASTERISK_SAMPLE_RATE),
  };
  return createAsterisk(account, { sql });
};

/** @throws Error when the file holds no certificate, or the address is none of TLS. */
function readAuthorities(settings: SettingsOf<typeof asterisk>): string | undefined {
  const { ASTERISK_ARI_CA_FILE: path, ASTERISK_ARI_URL: url } = settings;
  if (path === '') return undefined;
  if (!url.startsWith('https://')) throw new Error('ASTERISK_ARI_CA_FILE is for an ASTERISK_ARI_URL of https://');
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch (error) {
    throw new Error(`ASTERISK_ARI_CA_FILE has no certificate: ${errorText(error)}`);
  }
}
