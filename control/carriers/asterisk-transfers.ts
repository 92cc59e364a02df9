import type { Ari } from './ari.ts';
import type { AsteriskCall, AsteriskCalls } from './asterisk-calls.ts';
import {
  asCallback,
  type Channel,
  callerBridge,
  idInChannelName,
  roomBridge,
  targetChannel,
  unansweredStatus,
} from './asterisk-channels.ts';
import type { CarrierCallRef } from './callback.ts';
import { CarrierError } from './carrier.ts';
import type { DialOutcome, DialRequest } from './dial.ts';
import type { TransferEventHandler } from './transfer-event-handler.ts';
import type { CarrierTransfers } from './transfers.ts';

export interface AsteriskTransferDeps {
  ari: Ari;
  calls: AsteriskCalls;
  /** Rings the person of a transfer. Never throws. */
  originate(
    transferId: string,
    order: Pick<DialRequest, 'from_number' | 'to_number' | 'ring_seconds'>,
  ): Promise<DialOutcome>;
}

export interface AsteriskTransfers {
  readonly port: CarrierTransfers;
  targetStarted(channel: Channel, news: TransferEventHandler): Promise<void>;
  /** The channels of persons there must be. */
  targetChannels(): string[];
  targetGone(channel: Channel, cause: number, word: string, news: TransferEventHandler): Promise<void>;
  /** The caller's channel is gone. */
  callerGone(line: AsteriskCall): Promise<void>;
}

interface Handover {
  /** Empty until the caller is taken from the agent: from the beginning of a cold one, at the end of a warm one. */
  caller: string;
  cold: boolean;
  answered: boolean;
}

/**
 * Transfers at an Asterisk: the person is rung on a channel of their own and put into one bridge with the caller.
 * Asterisk has no voice to read a briefing with: of a warm transfer remains that the person is there before the caller
 * is taken from the agent. What is under way is known to this process only; after a restart it is given up by whoever
 * keeps transfers.
 */
export function createAsteriskTransfers({ ari, calls: lines, originate }: AsteriskTransferDeps): AsteriskTransfers {
  const handovers = new Map<string, Handover>();
  const path = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;
  const bridgePath = (bridgeId: string) => `/bridges/${encodeURIComponent(bridgeId)}`;
  const hangUp = (channelId: string) => ari.remove(path(channelId), { reason: 'normal' });

  /** @throws CarrierError when nobody knows this caller here. */
  function lineOf({ provider_call_id }: CarrierCallRef): AsteriskCall {
    const line = lines.get(provider_call_id);
    if (!line) throw new CarrierError('the caller is not led from here', 0);
    return line;
  }

  async function isGone({ provider_call_id }: CarrierCallRef): Promise<boolean> {
    const { status } = await ari.request('GET', path(provider_call_id));
    return status === 404;
  }

  const port: CarrierTransfers = {
    documents: null,
    parseDialCallback: () => null,

    async connect(caller, order) {
      if (await isGone(caller)) return 'gone';
      const line = lineOf(caller);
      const transferId = idIn(order.dial_url);
      handovers.set(transferId, { caller: line.id, cold: true, answered: false });
      const outcome = await originate(transferId, order);
      if (!outcome.accepted) {
        handovers.delete(transferId);
        throw new CarrierError(outcome.reason, 0);
      }
      line.transferred = true;
      await lines.dropMedia(line);
      // They hear it ring instead of nothing; where that fails, nothing.
      await ari.request('POST', `${path(line.id)}/ring`).catch(() => {});
      return 'done';
    },

    async dialTarget(order) {
      const transferId = idIn(order.status_url);
      handovers.set(transferId, { caller: '', cold: false, answered: false });
      const outcome = await originate(transferId, order);
      if (!outcome.accepted) handovers.delete(transferId);
      return outcome;
    },

    async join(caller, _person, { room }) {
      if (await isGone(caller)) return 'gone';
      const line = lineOf(caller);
      const handover = handovers.get(room);
      if (!handover) throw new CarrierError('the person has left', 0);
      line.transferred = true;
      handover.caller = line.id;
      try {
        await openRoom(room);
        await ari.request('POST', `${bridgePath(callerBridge(line.id))}/removeChannel`, { channel: line.id });
        await ari.requestOk('POST', `${bridgePath(roomBridge(room))}/addChannel`, { channel: line.id });
      } catch (error) {
        line.transferred = false;
        handover.caller = '';
        await ari
          .request('POST', `${bridgePath(callerBridge(line.id))}/addChannel`, { channel: line.id })
          .catch(() => {});
        throw error;
      }
      await lines.dropMedia(line);
      return 'done';
    },
  };

  const openRoom = (room: string) =>
    ari.requestOk('POST', bridgePath(roomBridge(room)), { type: 'mixing', name: roomBridge(room) });

  return {
    port,

    async targetStarted(channel, news) {
      const transferId = idInChannelName(channel.id);
      const handover = handovers.get(transferId);
      if (!handover) return hangUp(channel.id);
      handover.answered = true;
      if (handover.cold) {
        await ari.request('DELETE', `${path(handover.caller)}/ring`).catch(() => {});
        const { status } = await ari.request('POST', `${bridgePath(callerBridge(handover.caller))}/addChannel`, {
          channel: channel.id,
        });
        if (status >= 300) return hangUp(channel.id);
        return news.dialStatus('asterisk', transferId, { event: 'answered', status: null, dial_status: channel.state });
      }
      const callback = asCallback(channel);
      let step = await news.targetAnswered('asterisk', transferId, callback);
      if (step.do === 'listen') {
        // In the room before the caller is sent there.
        await openRoom(transferId);
        await ari.requestOk('POST', `${bridgePath(roomBridge(transferId))}/addChannel`, { channel: channel.id });
        step = await news.targetBriefed('asterisk', transferId, callback);
      }
      if (step.do !== 'wait in room') await hangUp(channel.id);
    },

    async targetGone(channel, cause, word, news) {
      const transferId = idInChannelName(channel.id);
      const handover = handovers.get(transferId);
      handovers.delete(transferId);
      const answered = handover?.answered || channel.state === 'Up';
      const dial_status = word === '' ? String(cause) : word;
      if (handover?.caller) await hangUp(handover.caller);
      await ari.remove(bridgePath(roomBridge(transferId)));
      const status = unansweredStatus(cause);
      if (handover?.cold) {
        await news.dialStatus('asterisk', transferId, {
          event: 'over',
          status: answered ? 'answered' : status,
          dial_status,
        });
        return;
      }
      await news.targetStatus('asterisk', transferId, {
        ...asCallback(channel),
        status: answered ? 'completed' : status,
        carrier_status: dial_status,
      });
    },

    targetChannels: () => [...handovers.keys()].map(targetChannel),

    async callerGone(line) {
      for (const [transferId, { caller }] of handovers) if (caller === line.id) await hangUp(targetChannel(transferId));
    },
  };
}

function idIn(url: string): string {
  return new URL(url).searchParams.get('transfer_id') ?? '';
}
