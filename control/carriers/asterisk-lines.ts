import { randomBytes } from 'node:crypto';
import { systemClock } from '../../shared/clock.ts';
import type { Ari } from './ari.ts';
import { callerBridge, mediaChannel, NETWORK_OUT_OF_ORDER, NORMAL } from './asterisk-channels.ts';
import { CarrierError } from './carrier.ts';

/** A caller's channel and what hangs on it: a bridge, and the channel of the agent's sound. */
export interface Line {
  /** The caller's channel. */
  readonly id: string;
  /** The channel of the agent's sound that counts; another one that ends means nothing. */
  media: string;
  /** The pass of the call's stream; empty when it is not known (any more). */
  pass: string;
  /** The agent's channel is in the bridge. */
  connected: boolean;
  /** Connections that failed one after the other. */
  failures: number;
  /** The caller belongs to a transfer: the end of the agent's sound is no longer their end. */
  transferred: boolean;
}

export interface LinesParts {
  ari: Ari;
  /** The section of websocket_client.conf that leads to our media server. */
  mediaConnection: string;
}

export interface Lines {
  get(channelId: string): Line | undefined;
  all(): Line[];
  /** Makes the caller's channel known; the one that is known stays. */
  add(channelId: string): Line;
  /** Answers if need be, and brings caller and agent together. @throws CarrierError; the caller is where they were. */
  connect(channelId: string, pass: string): Promise<void>;
  /** The agent's channel is up. */
  mediaStarted(line: Line, mediaId: string): Promise<void>;
  /** The agent's channel is gone: opens another one where it broke, ends the call otherwise. */
  mediaEnded(line: Line, mediaId: string, cause: number): Promise<void>;
  /** Ends the agent's part; the caller stays. */
  dropMedia(line: Line): Promise<void>;
  hangUp(channelId: string, reason?: 'normal' | 'busy'): Promise<'done' | 'gone'>;
  /** The caller's channel is gone: takes the rest away. */
  remove(line: Line): Promise<void>;
}

/** After a break; the engine waits five seconds for its stream. */
const TRY_AGAIN_MS = 700;
const FAILURES = 5;

export function createLines({ ari, mediaConnection }: LinesParts): Lines {
  const lines = new Map<string, Line>();
  const pathOf = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;

  async function openMedia(line: Line): Promise<void> {
    line.media = mediaChannel(line.id, randomBytes(4).toString('hex'));
    line.connected = false;
    await ari.must('POST', '/channels/externalMedia', {
      channelId: line.media,
      app: ari.app,
      external_host: mediaConnection,
      transport: 'websocket',
      encapsulation: 'none',
      connection_type: 'client',
      format: 'ulaw',
      transport_data: `f(json)v(pass=${line.pass})`,
    });
  }

  const made: Lines = {
    get: (channelId) => lines.get(channelId),
    all: () => [...lines.values()],
    add(id) {
      const known = lines.get(id);
      if (known) return known;
      const line = { id, media: '', pass: '', connected: false, failures: 0, transferred: false };
      lines.set(id, line);
      return line;
    },

    async connect(channelId, pass) {
      const line = made.add(channelId);
      line.pass = pass;
      const bridge = callerBridge(channelId);
      // Harmless for a channel that is up.
      await ari.must('POST', `${pathOf(channelId)}/answer`);
      await ari.must('POST', `/bridges/${encodeURIComponent(bridge)}`, { type: 'mixing', name: bridge });
      await ari.must('POST', `/bridges/${encodeURIComponent(bridge)}/addChannel`, { channel: channelId });
      await openMedia(line);
    },

    async mediaStarted(line, mediaId) {
      if (line.media !== mediaId || lines.get(line.id) !== line || line.transferred) return ari.drop(pathOf(mediaId));
      line.connected = true;
      line.failures = 0;
      const bridge = encodeURIComponent(callerBridge(line.id));
      await ari.must('POST', `/bridges/${bridge}/addChannel`, { channel: mediaId });
    },

    async mediaEnded(line, mediaId, cause) {
      if (line.media !== mediaId || lines.get(line.id) !== line || line.transferred) return;
      const broke = line.connected ? cause === NETWORK_OUT_OF_ORDER : cause !== NORMAL;
      if (!line.connected) line.failures++;
      line.media = '';
      line.connected = false;
      if (!broke || line.pass === '' || line.failures >= FAILURES) {
        await made.hangUp(line.id);
        return;
      }
      if (line.failures > 0) await new Promise<void>((resolve) => systemClock.after(TRY_AGAIN_MS, resolve));
      if (lines.get(line.id) === line && !line.transferred) await openMedia(line);
    },

    async dropMedia(line) {
      const { media } = line;
      line.media = '';
      line.connected = false;
      if (media !== '') await ari.drop(pathOf(media), { reason: 'normal' });
    },

    async hangUp(channelId, reason = 'normal') {
      const { status, json } = await ari.ask('DELETE', pathOf(channelId), { reason });
      if (status >= 200 && status < 300) return 'done';
      if (status === 404) return 'gone';
      throw new CarrierError(String(json.message ?? `HTTP ${status}`).slice(0, 200), status);
    },

    async remove(line) {
      if (lines.get(line.id) === line) lines.delete(line.id);
      await made.dropMedia(line);
      await ari.drop(`/bridges/${encodeURIComponent(callerBridge(line.id))}`);
    },
  };
  return made;
}
