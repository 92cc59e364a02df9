import { randomBytes } from 'node:crypto';
import { systemClock } from '../../shared/clock.ts';
import type { Ari } from './ari.ts';
import { callerBridge, mediaChannel, NETWORK_OUT_OF_ORDER, NORMAL_CLEARING } from './asterisk-channels.ts';
import { CarrierError } from './carrier.ts';

/** A caller's channel and what hangs on it: a bridge, and the channel of the agent's sound. */
export interface AsteriskCall {
  /** The caller's channel. */
  readonly id: string;
  /** The channel of the agent's sound that counts; another one that ends means nothing. */
  mediaChannelId: string;
  /** The pass of the call's stream; empty when it is not known (any more). */
  streamToken: string;
  /** The agent's channel is in the bridge. */
  connected: boolean;
  /** Connections that failed one after the other. */
  failures: number;
  /** The caller belongs to a transfer: the end of the agent's sound is no longer their end. */
  transferred: boolean;
}

export interface AsteriskCallsDeps {
  ari: Ari;
  /** The section of websocket_client.conf that leads to our media server. */
  mediaConnection: string;
}

export interface AsteriskCalls {
  get(channelId: string): AsteriskCall | undefined;
  all(): AsteriskCall[];
  /** Makes the caller's channel known; the one that is known stays. */
  add(channelId: string): AsteriskCall;
  /** Answers if need be, and brings caller and agent together. @throws CarrierError; the caller is where they were. */
  connectMedia(channelId: string, pass: string): Promise<void>;
  /** The agent's channel is up. */
  mediaStarted(line: AsteriskCall, mediaId: string): Promise<void>;
  /** The agent's channel is gone: opens another one where it broke, ends the call otherwise. */
  mediaEnded(line: AsteriskCall, mediaId: string, cause: number): Promise<void>;
  /** Ends the agent's part; the caller stays. */
  dropMedia(line: AsteriskCall): Promise<void>;
  hangUp(channelId: string, reason?: 'normal' | 'busy'): Promise<'done' | 'gone'>;
  /** The caller's channel is gone: takes the rest away. */
  remove(line: AsteriskCall): Promise<void>;
}

/** After a break; the engine waits five seconds for its stream. */
const RETRY_DELAY_MS = 700;
const MAX_CONNECT_FAILURES = 5;

export function createAsteriskCalls({ ari, mediaConnection }: AsteriskCallsDeps): AsteriskCalls {
  const lines = new Map<string, AsteriskCall>();
  const pathOf = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;

  async function openMedia(line: AsteriskCall): Promise<void> {
    line.mediaChannelId = mediaChannel(line.id, randomBytes(4).toString('hex'));
    line.connected = false;
    await ari.requestOk('POST', '/channels/externalMedia', {
      channelId: line.mediaChannelId,
      app: ari.app,
      external_host: mediaConnection,
      transport: 'websocket',
      encapsulation: 'none',
      connection_type: 'client',
      format: 'ulaw',
      transport_data: `f(json)v(pass=${line.streamToken})`,
    });
  }

  const made: AsteriskCalls = {
    get: (channelId) => lines.get(channelId),
    all: () => [...lines.values()],
    add(id) {
      const known = lines.get(id);
      if (known) return known;
      const line = { id, media: '', pass: '', connected: false, failures: 0, transferred: false };
      lines.set(id, line);
      return line;
    },

    async connectMedia(channelId, pass) {
      const line = made.add(channelId);
      line.streamToken = pass;
      const bridge = callerBridge(channelId);
      // Harmless for a channel that is up.
      await ari.requestOk('POST', `${pathOf(channelId)}/answer`);
      await ari.requestOk('POST', `/bridges/${encodeURIComponent(bridge)}`, { type: 'mixing', name: bridge });
      await ari.requestOk('POST', `/bridges/${encodeURIComponent(bridge)}/addChannel`, { channel: channelId });
      await openMedia(line);
    },

    async mediaStarted(line, mediaId) {
      if (line.mediaChannelId !== mediaId || lines.get(line.id) !== line || line.transferred)
        return ari.remove(pathOf(mediaId));
      line.connected = true;
      line.failures = 0;
      const bridge = encodeURIComponent(callerBridge(line.id));
      await ari.requestOk('POST', `/bridges/${bridge}/addChannel`, { channel: mediaId });
    },

    async mediaEnded(line, mediaId, cause) {
      if (line.mediaChannelId !== mediaId || lines.get(line.id) !== line || line.transferred) return;
      const broke = line.connected ? cause === NETWORK_OUT_OF_ORDER : cause !== NORMAL_CLEARING;
      if (!line.connected) line.failures++;
      line.mediaChannelId = '';
      line.connected = false;
      if (!broke || line.streamToken === '' || line.failures >= MAX_CONNECT_FAILURES) {
        await made.hangUp(line.id);
        return;
      }
      if (line.failures > 0) await new Promise<void>((resolve) => systemClock.after(RETRY_DELAY_MS, resolve));
      if (lines.get(line.id) === line && !line.transferred) await openMedia(line);
    },

    async dropMedia(line) {
      const { mediaChannelId: media } = line;
      line.mediaChannelId = '';
      line.connected = false;
      if (media !== '') await ari.remove(pathOf(media), { reason: 'normal' });
    },

    async hangUp(channelId, reason = 'normal') {
      const { status, json } = await ari.request('DELETE', pathOf(channelId), { reason });
      if (status >= 200 && status < 300) return 'done';
      if (status === 404) return 'gone';
      throw new CarrierError(String(json.message ?? `HTTP ${status}`).slice(0, 200), status);
    },

    async remove(line) {
      if (lines.get(line.id) === line) lines.delete(line.id);
      await made.dropMedia(line);
      await ari.remove(`/bridges/${encodeURIComponent(callerBridge(line.id))}`);
    },
  };
  return made;
}
