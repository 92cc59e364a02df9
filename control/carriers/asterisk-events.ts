import { errorText, type Logger } from '../../shared/log.ts';
import type { Ari } from './ari.ts';
import type { AsteriskCall, AsteriskCalls } from './asterisk-calls.ts';
import {
  asCallback,
  type Channel,
  callerOfBridge,
  callerOfMedia,
  channelKindOf,
  idInChannelName,
  NETWORK_OUT_OF_ORDER,
  readChannel,
  unansweredStatus,
} from './asterisk-channels.ts';
import type { AsteriskTransfers } from './asterisk-transfers.ts';
import type { CarrierStatus } from './callback.ts';
import { jsonObject, jsonText } from './callback-fields.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import type { CarrierEventHandler, TransferEventHandler } from './event-handlers.ts';

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
 * Turns Asterisk's events into calls of the handlers that other carriers' callbacks reach. Events of one call are handled
 * one after the other, those of different calls in parallel. After a lost connection the state is looked up: unknown
 * channels are taken over or hung up, calls that have gone are reported as completed.
 */
export function listenToAsterisk(deps: AsteriskEventsDeps): { stop(): Promise<void> } {
  const { ari, calls, transfers, carrier, carrierEvents, transferEvents, log } = deps;
  const { name } = carrier;
  const queues = new Map<string, Promise<void>>();

  function enqueue(key: string, work: () => Promise<void>): void {
    const done = (queues.get(key) ?? Promise.resolve()).then(work).catch((error: unknown) => {
      log.error({ error: errorText(error) }, 'Asterisk event handler failed');
    });
    queues.set(key, done);
    void done.then(() => {
      if (queues.get(key) === done) queues.delete(key);
    });
  }

  function onEvent(event: Record<string, unknown>): void {
    const channel = readChannel(event.channel);
    if (!channel) return;
    const key = channelKindOf(channel.id) === 'media' ? callerOfMedia(channel.id) : channel.id;
    switch (event.type) {
      case 'StasisStart': {
        const [dialled] = textList(event.args);
        enqueue(key, () => onChannelStart(channel, dialled ?? ''));
        return;
      }
      case 'ChannelStateChange':
        if (channelKindOf(channel.id) === 'placed' && channel.state === 'Ringing') {
          enqueue(key, () => reportStatus(channel.id, 'ringing', channel.state));
        }
        return;
      case 'ChannelDestroyed': {
        const cause = typeof event.cause === 'number' ? event.cause : 0;
        enqueue(key, () => onChannelEnd(channel, cause, jsonText(event, 'cause_txt')));
      }
    }
  }

  function reportStatus(id: string, status: CarrierStatus, carrier_status: string): Promise<void> {
    const callback = asCallback({ id, state: '', caller: '', exten: '', inStasis: true });
    return carrierEvents.status(name, idInChannelName(id), { ...callback, status, carrier_status });
  }

  async function onChannelStart(channel: Channel, dialled: string): Promise<void> {
    const { id } = channel;
    switch (channelKindOf(id)) {
      case 'media': {
        const call = calls.get(callerOfMedia(id));
        if (call) await calls.mediaStarted(call, id).catch(() => calls.hangUp(call.id));
        else await ari.remove(`/channels/${encodeURIComponent(id)}`);
        return;
      }
      case 'target':
        return transfers.targetStarted(channel, transferEvents);
      default:
        return connectCall(channel, dialled);
    }
  }

  /** A placed call was answered, or a call came in. */
  async function connectCall(channel: Channel, dialled: string): Promise<void> {
    if (calls.get(channel.id)) return;
    calls.add(channel.id);
    const inbound = channelKindOf(channel.id) === 'inbound';
    const callback = asCallback(channel, dialled || channel.exten);
    try {
      const streamUrl = inbound
        ? await carrierEvents.inbound(name, callback)
        : await carrierEvents.answered(name, idInChannelName(channel.id), callback);
      if (streamUrl !== null) await carrier.connect(callback, streamUrl);
      else if (inbound) await carrier.reject(callback);
      else await carrier.end(callback);
    } catch (error) {
      log.warn({ channel: channel.id, error: errorText(error) }, 'Asterisk call could not be connected');
      await calls.hangUp(channel.id).catch(() => 'gone');
    }
  }

  async function onChannelEnd(channel: Channel, cause: number, causeText: string): Promise<void> {
    const { id, state } = channel;
    switch (channelKindOf(id)) {
      case 'media': {
        const call = calls.get(callerOfMedia(id));
        if (call) await calls.mediaEnded(call, id, cause).catch(() => calls.hangUp(call.id));
        return;
      }
      case 'target':
        return transfers.targetGone(channel, cause, causeText, transferEvents);
      default: {
        const call = calls.get(id);
        if (call) await removeCall(call);
        // An answered channel was a call here, whatever state the channel had at its end.
        const answered = state === 'Up' || call !== undefined;
        await reportStatus(id, answered ? 'completed' : unansweredStatus(cause), causeText || String(cause));
      }
    }
  }

  async function removeCall(call: AsteriskCall): Promise<void> {
    await transfers.callerGone(call);
    await calls.remove(call);
  }

  /** Compares the application's channels and bridges with the calls and transfers known here. */
  async function onOpen(): Promise<void> {
    try {
      // Taken before the request: its response lacks what begins meanwhile.
      const known = calls.all().map((call) => ({ call, mediaId: call.mediaChannelId }));
      const targets = transfers.targetChannels();
      const { channel_ids, bridge_ids } = await ari.requestOk('GET', `/applications/${encodeURIComponent(ari.app)}`);
      const channels = new Set(textList(channel_ids));
      for (const { call, mediaId } of known) {
        if (!channels.has(call.id)) enqueue(call.id, () => callMissing(call.id));
        else if (mediaId !== '' && !channels.has(mediaId)) enqueue(call.id, () => mediaMissing(call, mediaId));
      }
      for (const id of targets) if (!channels.has(id)) enqueue(id, () => targetMissing(id));
      for (const id of channels) {
        const kind = channelKindOf(id);
        if (kind === 'media') enqueue(callerOfMedia(id), () => mediaFound(id, channels));
        else if (kind !== 'target' && !calls.get(id)) enqueue(id, () => callerFound(id, channels));
      }
      for (const id of textList(bridge_ids)) await bridgeFound(id, channels);
    } catch (error) {
      log.warn({ error: errorText(error) }, 'Asterisk channels could not be looked up');
    }
  }

  async function findChannel(id: string): Promise<Channel | null> {
    const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(id)}`);
    if (status !== 200 && status !== 404) throw new CarrierError(`HTTP ${status}`, status);
    return status === 200 ? readChannel(json) : null;
  }

  async function callMissing(id: string): Promise<void> {
    const call = calls.get(id);
    if (!call || (await findChannel(id))) return;
    await removeCall(call);
    await reportStatus(id, 'completed', 'gone');
  }

  async function targetMissing(id: string): Promise<void> {
    if (await findChannel(id)) return;
    await transfers.targetGone({ id, state: '', caller: '', exten: '', inStasis: false }, 0, 'gone', transferEvents);
  }

  async function mediaMissing(call: AsteriskCall, mediaId: string): Promise<void> {
    if (calls.get(call.id) !== call || (await findChannel(mediaId))) return;
    await calls.mediaEnded(call, mediaId, call.connected ? NETWORK_OUT_OF_ORDER : 0);
  }

  async function mediaFound(id: string, channels: ReadonlySet<string>): Promise<void> {
    const caller = callerOfMedia(id);
    const known = calls.get(caller);
    if (known) {
      const waits = known.mediaChannelId === id && !known.connected;
      if (waits && (await findChannel(id))?.inStasis) await calls.mediaStarted(known, id);
      return;
    }
    if (!channels.has(caller)) return ari.remove(`/channels/${encodeURIComponent(id)}`);
    // Connected by an earlier process. Its stream token is not known, so the call ends when the media channel breaks.
    const call = calls.add(caller);
    call.mediaChannelId = id;
    call.connected = true;
  }

  async function callerFound(id: string, channels: ReadonlySet<string>): Promise<void> {
    const hasMedia = [...channels].some(
      (channel) => channelKindOf(channel) === 'media' && callerOfMedia(channel) === id,
    );
    if (calls.get(id) || hasMedia) return;
    const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(id)}`);
    const channel = status === 200 ? readChannel(json) : null;
    const dialled = jsonText(jsonObject(json.dialplan), 'app_data').split(',')[1] ?? '';
    if (channel?.inStasis) await connectCall(channel, dialled);
  }

  async function bridgeFound(id: string, channels: ReadonlySet<string>): Promise<void> {
    const caller = callerOfBridge(id);
    if (caller !== null && !channels.has(caller)) await ari.remove(`/bridges/${encodeURIComponent(id)}`);
  }

  const connection = ari.listen({ onOpen, onEvent }, log);
  return {
    async stop() {
      connection.stop();
      await Promise.all(queues.values());
    },
  };
}

/** A list of strings; empty for anything else. */
function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
