import { errorText, type Logger } from '../../shared/log.ts';
import type { Ari } from './ari.ts';
import type { AsteriskCall, AsteriskCalls } from './asterisk-calls.ts';
import {
  asCallback,
  asObject,
  type Channel,
  callerOfBridge,
  callerOfMedia,
  channelKindOf,
  idInChannelName,
  NETWORK_OUT_OF_ORDER,
  readChannel,
  text,
  unansweredStatus,
} from './asterisk-channels.ts';
import type { AsteriskTransfers } from './asterisk-transfers.ts';
import type { CarrierStatus } from './callback.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import type { CarrierEventHandler } from './carrier-event-handler.ts';
import type { TransferEventHandler } from './transfer-event-handler.ts';

export interface AsteriskEventsDeps {
  ari: Ari;
  calls: AsteriskCalls;
  transfers: AsteriskTransfers;
  carrier: Carrier;
  carrierEvents: CarrierEventHandler;
  transferEvents: TransferEventHandler;
  log: Logger;
}

/**
 * What Asterisk tells becomes what other carriers ask and tell. The events of one call are dealt with one after the
 * other, those of different calls are not. What happened while the connection was away is looked up when it is back:
 * channels nobody leads are taken over or hung up, calls that are gone are told as over.
 */
export function listenToAsterisk(parts: AsteriskEventsDeps): { stop(): Promise<void> } {
  const { ari, calls: lines, transfers, carrier, carrierEvents: news, transferEvents: transferNews, log } = parts;
  const { name } = carrier;
  const queues = new Map<string, Promise<void>>();

  function inTurn(key: string, work: () => Promise<void>): void {
    const done = (queues.get(key) ?? Promise.resolve()).then(work).catch((error: unknown) => {
      log.error({ error: errorText(error) }, 'news of Asterisk could not be dealt with');
    });
    queues.set(key, done);
    void done.then(() => {
      if (queues.get(key) === done) queues.delete(key);
    });
  }

  function event(told: Record<string, unknown>): void {
    const channel = readChannel(told.channel);
    if (!channel) return;
    const key = channelKindOf(channel.id) === 'media' ? callerOfMedia(channel.id) : channel.id;
    switch (told.type) {
      case 'StasisStart': {
        const args = Array.isArray(told.args) ? told.args : [];
        inTurn(key, () => started(channel, text(args[0])));
        return;
      }
      case 'ChannelStateChange':
        if (channelKindOf(channel.id) === 'placed' && channel.state === 'Ringing') {
          inTurn(key, () => tell(channel, 'ringing', channel.state));
        }
        return;
      case 'ChannelDestroyed': {
        const cause = typeof told.cause === 'number' ? told.cause : 0;
        inTurn(key, () => destroyed(channel, cause, text(told.cause_txt)));
      }
    }
  }

  function tell(channel: Pick<Channel, 'id'>, status: CarrierStatus, word: string): Promise<void> {
    const callback = asCallback({ state: '', caller: '', exten: '', inStasis: true, ...channel });
    return news.status(name, idInChannelName(channel.id), { ...callback, status, carrier_status: word });
  }

  async function started(channel: Channel, dialled: string): Promise<void> {
    const { id } = channel;
    switch (channelKindOf(id)) {
      case 'media': {
        const line = lines.get(callerOfMedia(id));
        if (line) await lines.mediaStarted(line, id).catch(() => lines.hangUp(line.id));
        else await ari.remove(`/channels/${encodeURIComponent(id)}`);
        return;
      }
      case 'person':
        return transfers.targetStarted(channel, transferNews);
      default:
        return answer(channel, dialled);
    }
  }

  /** A call of ours was answered, or one came in. */
  async function answer(channel: Channel, dialled: string): Promise<void> {
    if (lines.get(channel.id)) return;
    lines.add(channel.id);
    const inbound = channelKindOf(channel.id) === 'inbound';
    const callback = asCallback(channel, dialled || channel.exten);
    try {
      const streamUrl = inbound
        ? await news.inbound(name, callback)
        : await news.answered(name, idInChannelName(channel.id), callback);
      if (streamUrl !== null) await carrier.connect(callback, streamUrl);
      else if (inbound) await carrier.reject(callback);
      else await carrier.end(callback);
    } catch (error) {
      log.warn({ channel: channel.id, error: errorText(error) }, 'Asterisk could not connect a call');
      await lines.hangUp(channel.id).catch(() => 'gone');
    }
  }

  async function destroyed(channel: Channel, cause: number, word: string): Promise<void> {
    const { id, state } = channel;
    switch (channelKindOf(id)) {
      case 'media': {
        const line = lines.get(callerOfMedia(id));
        if (line) await lines.mediaEnded(line, id, cause).catch(() => lines.hangUp(line.id));
        return;
      }
      case 'person':
        return transfers.targetGone(channel, cause, word, transferNews);
      default: {
        const line = lines.get(id);
        if (line) {
          await transfers.callerGone(line);
          await lines.remove(line);
        }
        // Whoever was answered has been in our application, whatever state the channel had at its end.
        const answered = state === 'Up' || line !== undefined;
        await tell(channel, answered ? 'completed' : unansweredStatus(cause), word === '' ? String(cause) : word);
      }
    }
  }

  /** The application's channels and bridges as they are now, against what is known here. */
  async function opened(): Promise<void> {
    try {
      // What begins while the answer is on its way is not in it.
      const known = lines.all().map((line) => ({ line, media: line.mediaChannelId }));
      const persons = transfers.targetChannels();
      const { channel_ids, bridge_ids } = await ari.requestOk('GET', `/applications/${encodeURIComponent(ari.app)}`);
      const channels = new Set(Array.isArray(channel_ids) ? channel_ids.map(text) : []);
      for (const { line, media } of known) {
        if (!channels.has(line.id)) inTurn(line.id, () => lost(line.id));
        else if (media !== '' && !channels.has(media)) inTurn(line.id, () => lostMedia(line, media));
      }
      for (const id of persons) if (!channels.has(id)) inTurn(id, () => lostPerson(id));
      for (const id of channels) {
        const kind = channelKindOf(id);
        if (kind === 'media') inTurn(callerOfMedia(id), () => foundMedia(id, channels));
        else if (kind !== 'person' && !lines.get(id)) inTurn(id, () => foundCaller(id, channels));
      }
      for (const id of Array.isArray(bridge_ids) ? bridge_ids.map(text) : []) await foundBridge(id, channels);
    } catch (error) {
      log.warn({ error: errorText(error) }, "Asterisk's channels could not be looked up");
    }
  }

  async function find(id: string): Promise<Channel | null> {
    const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(id)}`);
    if (status !== 200 && status !== 404) throw new CarrierError(`HTTP ${status}`, status);
    return status === 200 ? readChannel(json) : null;
  }

  /** Ended while nobody listened. */
  async function lost(id: string): Promise<void> {
    const line = lines.get(id);
    if (!line || (await find(id))) return;
    await transfers.callerGone(line);
    await lines.remove(line);
    await tell(line, 'completed', 'gone');
  }

  async function lostPerson(id: string): Promise<void> {
    if (await find(id)) return;
    await transfers.targetGone({ id, state: '', caller: '', exten: '', inStasis: false }, 0, 'gone', transferNews);
  }

  async function lostMedia(line: AsteriskCall, media: string): Promise<void> {
    if (lines.get(line.id) !== line || (await find(media))) return;
    await lines.mediaEnded(line, media, line.connected ? NETWORK_OUT_OF_ORDER : 0);
  }

  async function foundMedia(id: string, channels: ReadonlySet<string>): Promise<void> {
    const caller = callerOfMedia(id);
    const known = lines.get(caller);
    if (known) {
      if (known.mediaChannelId === id && !known.connected && (await find(id))?.inStasis)
        await lines.mediaStarted(known, id);
      return;
    }
    if (!channels.has(caller)) return ari.remove(`/channels/${encodeURIComponent(id)}`);
    // Of a call that a process before this one connected. Its pass is not known: when it breaks, the call ends.
    const line = lines.add(caller);
    line.mediaChannelId = id;
    line.connected = true;
  }

  async function foundCaller(id: string, channels: ReadonlySet<string>): Promise<void> {
    if (lines.get(id) || [...channels].some((one) => channelKindOf(one) === 'media' && callerOfMedia(one) === id))
      return;
    const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(id)}`);
    const channel = status === 200 ? readChannel(json) : null;
    if (channel?.inStasis) await answer(channel, text(asObject(json.dialplan).app_data).split(',')[1] ?? '');
  }

  async function foundBridge(id: string, channels: ReadonlySet<string>): Promise<void> {
    const caller = callerOfBridge(id);
    if (caller !== null && !channels.has(caller)) await ari.remove(`/bridges/${encodeURIComponent(id)}`);
  }

  const listening = ari.listen({ onOpen: opened, onEvent: event }, log);
  return {
    async stop() {
      listening.stop();
      await Promise.all(queues.values());
    },
  };
}
