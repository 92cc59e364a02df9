import { systemClock, type Timer } from '../../shared/clock.ts';
import { errorText, type Logger } from '../../shared/log.ts';
import type { Ari } from './ari.ts';
import type { AsteriskCalls } from './asterisk-calls.ts';
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
import type { AsteriskState } from './asterisk-state.ts';
import type { AsteriskTransfers } from './asterisk-transfers.ts';
import type { CarrierStatus } from './callback.ts';
import { jsonObject, jsonText } from './callback-fields.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import type { CarrierEventHandler, TransferEventHandler } from './event-handlers.ts';

export interface AsteriskEventsDeps {
  ari: Ari;
  state: AsteriskState;
  calls: AsteriskCalls;
  transfers: AsteriskTransfers;
  carrier: Carrier;
  carrierEvents: CarrierEventHandler;
  transferEvents: TransferEventHandler;
  log: Logger;
}

/** After an event that could not be handled. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Turns Asterisk's events into calls of the handlers that other carriers' callbacks reach. Events of one call are handled
 * one after the other, those of different calls in parallel. After a lost connection the state is looked up: unknown
 * channels are taken over or hung up, calls that have gone are reported as completed.
 */
export function listenToAsterisk(deps: AsteriskEventsDeps): { close(): Promise<void> } {
  const { ari, state, calls, transfers, carrier, carrierEvents, transferEvents, log } = deps;
  const { name } = carrier;
  const queues = new Map<string, Promise<void>>();
  let looking: Timer | null = null;
  let closed = false;

  function enqueue(key: string, work: () => Promise<void>): void {
    // What still waits when this process stops is found by the next one, as after a lost connection.
    const next = () => (closed ? undefined : work());
    const done = (queues.get(key) ?? Promise.resolve()).then(next).catch((error: unknown) => {
      log.error({ error: errorText(error) }, 'Asterisk event handler failed');
      lookLater();
    });
    queues.set(key, done);
    void done.then(() => {
      if (queues.get(key) === done) queues.delete(key);
    });
  }

  /** What an event that was not handled has left behind is found like after a lost connection. */
  function lookLater(): void {
    looking ??= systemClock.after(LOOK_AGAIN_MS, () => {
      looking = null;
      void onOpen();
    });
  }

  /** A call whose audio Asterisk refuses is hung up; one that only could not be written is looked at again. */
  async function hangUpOnRefusal(caller: string, error: unknown): Promise<void> {
    if (!(error instanceof CarrierError)) throw error;
    await calls.hangUp(caller);
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
        const caller = callerOfMedia(id);
        await calls.mediaStarted(caller, id).catch((error: unknown) => hangUpOnRefusal(caller, error));
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
    if (!(await state.add(channel.id))) return;
    await requestStream(channel, dialled);
  }

  async function requestStream(channel: Channel, dialled: string): Promise<void> {
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
    const { id } = channel;
    switch (channelKindOf(id)) {
      case 'media': {
        const caller = callerOfMedia(id);
        await calls.mediaEnded(caller, id, cause).catch((error: unknown) => hangUpOnRefusal(caller, error));
        return;
      }
      case 'target':
        return transfers.targetGone(channel, cause, causeText, transferEvents);
      default: {
        const call = await state.find(id);
        if (call) await removeCall(id);
        // An answered channel was a call here, whatever state the channel had at its end.
        const answered = channel.state === 'Up' || call !== null;
        await reportStatus(id, answered ? 'completed' : unansweredStatus(cause), causeText || String(cause));
      }
    }
  }

  async function removeCall(id: string): Promise<void> {
    await transfers.callerGone(id);
    await calls.remove(id);
  }

  /** Compares the application's channels and bridges with the calls and transfers known here. */
  async function onOpen(): Promise<void> {
    try {
      // Taken before the request: its response lacks what begins meanwhile.
      const known = await state.all();
      const targets = await transfers.targetChannels();
      const { channel_ids, bridge_ids } = await ari.requestOk('GET', `/applications/${encodeURIComponent(ari.app)}`);
      const channels = new Set(textList(channel_ids));
      for (const { channel_id: id, media_channel_id: mediaId, connected } of known) {
        if (!channels.has(id)) enqueue(id, () => callMissing(id));
        else if (mediaId !== '' && !channels.has(mediaId)) enqueue(id, () => mediaMissing(id, mediaId, connected));
      }
      for (const id of targets) enqueue(id, () => (channels.has(id) ? targetFound(id) : targetMissing(id)));
      for (const id of channels) {
        const kind = channelKindOf(id);
        if (kind === 'media') enqueue(callerOfMedia(id), () => mediaFound(id, channels));
        else if (kind !== 'target') enqueue(id, () => callerFound(id, channels));
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
    if (!(await state.find(id)) || (await findChannel(id))) return;
    await removeCall(id);
    await reportStatus(id, 'completed', 'gone');
  }

  async function targetMissing(id: string): Promise<void> {
    if (await findChannel(id)) return;
    await transfers.targetGone({ id, state: '', caller: '', exten: '', inStasis: false }, 0, 'gone', transferEvents);
  }

  /** The target may have answered while nobody listened. */
  async function targetFound(id: string): Promise<void> {
    const channel = (await transfers.awaitsTarget(id)) ? await findChannel(id) : null;
    if (channel?.inStasis) await transfers.targetStarted(channel, transferEvents);
  }

  async function mediaMissing(id: string, mediaId: string, connected: boolean): Promise<void> {
    if (await findChannel(mediaId)) return;
    await calls.mediaEnded(id, mediaId, connected ? NETWORK_OUT_OF_ORDER : 0);
  }

  async function mediaFound(id: string, channels: ReadonlySet<string>): Promise<void> {
    const caller = callerOfMedia(id);
    const call = await state.find(caller);
    if (!call || !channels.has(caller)) return ari.remove(`/channels/${encodeURIComponent(id)}`);
    const waits = call.media_channel_id === id && !call.connected;
    if (waits && (await findChannel(id))?.inStasis) await calls.mediaStarted(caller, id);
  }

  async function callerFound(id: string, channels: ReadonlySet<string>): Promise<void> {
    const call = await state.find(id);
    const hasMedia = [...channels].some(
      (channel) => channelKindOf(channel) === 'media' && callerOfMedia(channel) === id,
    );
    if (hasMedia || call?.transferred || (call && call.media_channel_id !== '')) return;
    const { status, json } = await ari.request('GET', `/channels/${encodeURIComponent(id)}`);
    const channel = status === 200 ? readChannel(json) : null;
    const dialled = jsonText(jsonObject(json.dialplan), 'app_data').split(',')[1] ?? '';
    if (!channel?.inStasis) return;
    // The process that took the call died before its audio was opened.
    if (call && call.stream_token !== '') await calls.reopenMedia(call);
    else if (call) await requestStream(channel, dialled);
    else await connectCall(channel, dialled);
  }

  async function bridgeFound(id: string, channels: ReadonlySet<string>): Promise<void> {
    const caller = callerOfBridge(id);
    if (caller !== null && !channels.has(caller)) await ari.remove(`/bridges/${encodeURIComponent(id)}`);
  }

  const connection = ari.listen({ onOpen, onEvent }, log);
  return {
    async close() {
      closed = true;
      connection.stop();
      await Promise.all(queues.values());
      looking?.cancel();
    },
  };
}

/** A list of strings; empty for anything else. */
function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
