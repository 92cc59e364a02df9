import { randomBytes } from 'node:crypto';
import { pause, systemClock } from '../../shared/clock.ts';
import { isSuccess } from '../http/rest-request.ts';
import type { Ari } from './ari.ts';
import { callerBridge, mediaChannel, NETWORK_OUT_OF_ORDER, NORMAL_CLEARING } from './asterisk-channels.ts';
import type { AsteriskCall, AsteriskState } from './asterisk-state.ts';
import { CarrierError } from './carrier.ts';
import type { SampleRate } from './sample-rate.ts';

export interface AsteriskCallsDeps {
  ari: Ari;
  state: AsteriskState;
  /** The section of websocket_client.conf that leads to media; `{port}` stands for the engine's port. */
  mediaConnection: string;
  /** Of the agent's channel; default 8000. */
  sampleRate?: SampleRate | undefined;
}

/** Commands of a call. Everything known of it is in the database, so that any process may give them. */
export interface AsteriskCalls {
  /** Answers the channel and bridges caller and agent. @throws CarrierError; the caller stays where they were. */
  connectMedia(channelId: string, streamUrl: string): Promise<void>;
  /** Bridges the agent's channel, which is up. */
  mediaStarted(channelId: string, mediaId: string): Promise<void>;
  /** Handles the end of the agent's channel: opens another one where it broke, ends the call otherwise. */
  mediaEnded(channelId: string, mediaId: string, cause: number): Promise<void>;
  /** Opens the agent's channel of a call that has none, because the process that was to open it died. */
  reopenMedia(call: Pick<AsteriskCall, 'channel_id' | 'stream_token' | 'media_connection'>): Promise<void>;
  /** Ends the agent's channel; the caller stays. */
  dropMedia(channelId: string): Promise<void>;
  hangUp(channelId: string, reason?: 'normal' | 'busy'): Promise<'done' | 'gone'>;
  /** Removes what belonged to a caller's channel that has ended. */
  remove(channelId: string): Promise<void>;
}

/** After a failed connection; the engine waits five seconds for a stream that broke. */
const RETRY_DELAY_MS = 700;
const MAX_CONNECT_FAILURES = 5;

export function createAsteriskCalls({
  ari,
  state,
  mediaConnection,
  sampleRate = 8000,
}: AsteriskCallsDeps): AsteriskCalls {
  const pathOf = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;

  async function openMedia(
    id: string,
    { stream_token, media_connection }: Pick<AsteriskCall, 'stream_token' | 'media_connection'>,
  ): Promise<void> {
    const channelId = mediaChannel(id, randomBytes(4).toString('hex'));
    await state.change(id, { media_channel_id: channelId, connected: false });
    await ari.requestOk('POST', '/channels/externalMedia', {
      channelId,
      app: ari.app,
      external_host: media_connection,
      transport: 'websocket',
      encapsulation: 'none',
      connection_type: 'client',
      format: sampleRate === 16000 ? 'slin16' : 'ulaw',
      transport_data: `f(json)v(token=${stream_token})`,
    });
  }

  const calls: AsteriskCalls = {
    async connectMedia(channelId, streamUrl) {
      await state.add(channelId);
      const stream = {
        stream_token: streamUrl.slice(streamUrl.lastIndexOf('/') + 1),
        media_connection: mediaConnection.replaceAll('{port}', enginePort(streamUrl)),
      };
      await state.change(channelId, stream);
      await calls.reopenMedia({ channel_id: channelId, ...stream });
    },

    async mediaStarted(channelId, mediaId) {
      if (!(await state.joined(channelId, mediaId))) return ari.remove(pathOf(mediaId));
      const bridge = encodeURIComponent(callerBridge(channelId));
      await ari.requestOk('POST', `/bridges/${bridge}/addChannel`, { channel: mediaId });
    },

    async mediaEnded(channelId, mediaId, cause) {
      const call = await state.mediaGone(channelId, mediaId);
      if (!call) return;
      const broke = call.was_connected ? cause === NETWORK_OUT_OF_ORDER : cause !== NORMAL_CLEARING;
      if (!broke || call.stream_token === '' || call.failures >= MAX_CONNECT_FAILURES) {
        await calls.hangUp(channelId);
        return;
      }
      if (call.failures > 0) await pause(systemClock, RETRY_DELAY_MS);
      const now = await state.find(channelId);
      if (now && !now.transferred && now.media_channel_id === '') await openMedia(channelId, call);
    },

    async reopenMedia({ channel_id, ...stream }) {
      const bridge = callerBridge(channel_id);
      // No error for a channel that is up already, nor for a bridge that exists.
      await ari.requestOk('POST', `${pathOf(channel_id)}/answer`);
      await ari.requestOk('POST', `/bridges/${encodeURIComponent(bridge)}`, { type: 'mixing', name: bridge });
      await ari.requestOk('POST', `/bridges/${encodeURIComponent(bridge)}/addChannel`, { channel: channel_id });
      await openMedia(channel_id, stream);
    },

    async dropMedia(channelId) {
      const mediaId = await state.takeMedia(channelId);
      if (mediaId !== '') await ari.remove(pathOf(mediaId), { reason: 'normal' });
    },

    async hangUp(channelId, reason = 'normal') {
      const { status, json } = await ari.request('DELETE', pathOf(channelId), { reason });
      if (isSuccess(status)) return 'done';
      if (status === 404) return 'gone';
      throw new CarrierError(String(json.message ?? `HTTP ${status}`).slice(0, 200), status);
    },

    async remove(channelId) {
      const mediaId = await state.remove(channelId);
      if (mediaId !== '') await ari.remove(pathOf(mediaId), { reason: 'normal' });
      await ari.remove(`/bridges/${encodeURIComponent(callerBridge(channelId))}`);
    },
  };
  return calls;
}

/** Reads the engine's port from a stream's address: the first part of the path where a proxy routes by it, else the address's own. */
function enginePort(streamUrl: string): string {
  const { port, pathname } = new URL(streamUrl);
  return /^\/(\d{1,5})\//.exec(pathname)?.[1] ?? port;
}
