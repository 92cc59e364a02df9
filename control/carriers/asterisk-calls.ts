import { randomBytes } from 'node:crypto';
import { pause, systemClock } from '../../shared/clock.ts';
import { isSuccess } from '../http/rest-request.ts';
import type { Ari } from './ari.ts';
import { callerBridge, mediaChannel, NETWORK_OUT_OF_ORDER, NORMAL_CLEARING } from './asterisk-channels.ts';
import { CarrierError } from './carrier.ts';

/** A caller's channel with its bridge and the channel of the agent's audio. */
export interface AsteriskCall {
  /** The caller's channel. */
  readonly id: string;
  /** The present channel of the agent's audio, or empty; the end of any other one is ignored. */
  mediaChannelId: string;
  /** The section of websocket_client.conf that leads to the call's engine. */
  mediaConnection: string;
  /** The token of the call's media stream; empty when it is not known. */
  streamToken: string;
  /** The agent's channel has joined the bridge. */
  connected: boolean;
  /** Consecutive connections of the agent's channel that failed. */
  failures: number;
  /** The caller is being transferred: the end of the agent's audio no longer ends the call. */
  transferred: boolean;
}

export interface AsteriskCallsDeps {
  ari: Ari;
  /** The section of websocket_client.conf that leads to media; `{port}` stands for the engine's port. */
  mediaConnection: string;
}

export interface AsteriskCalls {
  get(channelId: string): AsteriskCall | undefined;
  all(): AsteriskCall[];
  /** Adds a caller's channel, or returns the known one. */
  add(channelId: string): AsteriskCall;
  /** Answers the channel and bridges caller and agent. @throws CarrierError; the caller stays where they were. */
  connectMedia(channelId: string, streamUrl: string): Promise<void>;
  /** Bridges the agent's channel, which is up. */
  mediaStarted(call: AsteriskCall, mediaId: string): Promise<void>;
  /** Handles the end of the agent's channel: opens another one where it broke, ends the call otherwise. */
  mediaEnded(call: AsteriskCall, mediaId: string, cause: number): Promise<void>;
  /** Ends the agent's channel; the caller stays. */
  dropMedia(call: AsteriskCall): Promise<void>;
  hangUp(channelId: string, reason?: 'normal' | 'busy'): Promise<'done' | 'gone'>;
  /** Removes what belonged to a caller's channel that has ended. */
  remove(call: AsteriskCall): Promise<void>;
}

/** After a failed connection; the engine waits five seconds for a stream that broke. */
const RETRY_DELAY_MS = 700;
const MAX_CONNECT_FAILURES = 5;

export function createAsteriskCalls({ ari, mediaConnection }: AsteriskCallsDeps): AsteriskCalls {
  const byChannel = new Map<string, AsteriskCall>();
  const pathOf = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;

  async function openMedia(call: AsteriskCall): Promise<void> {
    call.mediaChannelId = mediaChannel(call.id, randomBytes(4).toString('hex'));
    call.connected = false;
    await ari.requestOk('POST', '/channels/externalMedia', {
      channelId: call.mediaChannelId,
      app: ari.app,
      external_host: call.mediaConnection,
      transport: 'websocket',
      encapsulation: 'none',
      connection_type: 'client',
      format: 'ulaw',
      transport_data: `f(json)v(token=${call.streamToken})`,
    });
  }

  const calls: AsteriskCalls = {
    get: (channelId) => byChannel.get(channelId),
    all: () => [...byChannel.values()],
    add(id) {
      const known = byChannel.get(id);
      if (known) return known;
      const call: AsteriskCall = {
        id,
        mediaChannelId: '',
        mediaConnection,
        streamToken: '',
        connected: false,
        failures: 0,
        transferred: false,
      };
      byChannel.set(id, call);
      return call;
    },

    async connectMedia(channelId, streamUrl) {
      const call = calls.add(channelId);
      call.streamToken = streamUrl.slice(streamUrl.lastIndexOf('/') + 1);
      call.mediaConnection = mediaConnection.replaceAll('{port}', enginePort(streamUrl));
      const bridge = callerBridge(channelId);
      // No error for a channel that is up already.
      await ari.requestOk('POST', `${pathOf(channelId)}/answer`);
      await ari.requestOk('POST', `/bridges/${encodeURIComponent(bridge)}`, { type: 'mixing', name: bridge });
      await ari.requestOk('POST', `/bridges/${encodeURIComponent(bridge)}/addChannel`, { channel: channelId });
      await openMedia(call);
    },

    async mediaStarted(call, mediaId) {
      if (call.mediaChannelId !== mediaId || byChannel.get(call.id) !== call || call.transferred)
        return ari.remove(pathOf(mediaId));
      call.connected = true;
      call.failures = 0;
      const bridge = encodeURIComponent(callerBridge(call.id));
      await ari.requestOk('POST', `/bridges/${bridge}/addChannel`, { channel: mediaId });
    },

    async mediaEnded(call, mediaId, cause) {
      if (call.mediaChannelId !== mediaId || byChannel.get(call.id) !== call || call.transferred) return;
      const broke = call.connected ? cause === NETWORK_OUT_OF_ORDER : cause !== NORMAL_CLEARING;
      if (!call.connected) call.failures++;
      call.mediaChannelId = '';
      call.connected = false;
      if (!broke || call.streamToken === '' || call.failures >= MAX_CONNECT_FAILURES) {
        await calls.hangUp(call.id);
        return;
      }
      if (call.failures > 0) await pause(systemClock, RETRY_DELAY_MS);
      if (byChannel.get(call.id) === call && !call.transferred) await openMedia(call);
    },

    async dropMedia(call) {
      const { mediaChannelId } = call;
      call.mediaChannelId = '';
      call.connected = false;
      if (mediaChannelId !== '') await ari.remove(pathOf(mediaChannelId), { reason: 'normal' });
    },

    async hangUp(channelId, reason = 'normal') {
      const { status, json } = await ari.request('DELETE', pathOf(channelId), { reason });
      if (isSuccess(status)) return 'done';
      if (status === 404) return 'gone';
      throw new CarrierError(String(json.message ?? `HTTP ${status}`).slice(0, 200), status);
    },

    async remove(call) {
      if (byChannel.get(call.id) === call) byChannel.delete(call.id);
      await calls.dropMedia(call);
      await ari.remove(`/bridges/${encodeURIComponent(callerBridge(call.id))}`);
    },
  };
  return calls;
}

/** Reads the engine's port from a stream's address: the first part of the path where a proxy routes by it, else the address's own. */
function enginePort(streamUrl: string): string {
  const { port, pathname } = new URL(streamUrl);
  return /^\/(\d{1,5})\//.exec(pathname)?.[1] ?? port;
}
