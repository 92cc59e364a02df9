import type { Ari } from './ari.ts';
import {
  asCallback,
  type Channel,
  callerBridge,
  ownId,
  personChannel,
  roomBridge,
  unansweredStatus,
} from './asterisk-channels.ts';
import type { Line, Lines } from './asterisk-lines.ts';
import type { CarrierCallRef } from './callback.ts';
import { CarrierError } from './carrier.ts';
import type { DialOrder, DialOutcome } from './dial.ts';
import type { TransferNews } from './transfer-news.ts';
import type { CarrierTransfers } from './transfers.ts';

export interface AsteriskTransferParts {
  ari: Ari;
  lines: Lines;
  /** Rings the person of a transfer. Never throws. */
  originate(
    transferId: string,
    order: Pick<DialOrder, 'from_number' | 'to_number' | 'ring_seconds'>,
  ): Promise<DialOutcome>;
}

export interface AsteriskTransfers {
  readonly port: CarrierTransfers;
  personStarted(channel: Channel, news: TransferNews): Promise<void>;
  /** The channels of persons there must be. */
  persons(): string[];
  personGone(channel: Channel, cause: number, word: string, news: TransferNews): Promise<void>;
  /** The caller's channel is gone. */
  callerGone(line: Line): Promise<void>;
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
export function createAsteriskTransfers({ ari, lines, originate }: AsteriskTransferParts): AsteriskTransfers {
  const handovers = new Map<string, Handover>();
  const path = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;
  const bridgePath = (bridgeId: string) => `/bridges/${encodeURIComponent(bridgeId)}`;
  const hangUp = (channelId: string) => ari.drop(path(channelId), { reason: 'normal' });

  /** @throws CarrierError when nobody knows this caller here. */
  function lineOf({ provider_call_id }: CarrierCallRef): Line {
    const line = lines.get(provider_call_id);
    if (!line) throw new CarrierError('the caller is not led from here', 0);
    return line;
  }

  async function isGone({ provider_call_id }: CarrierCallRef): Promise<boolean> {
    const { status } = await ari.ask('GET', path(provider_call_id));
    return status === 404;
  }

  const port: CarrierTransfers = {
    documents: null,
    readDial: () => null,

    async connect(caller, order) {
      if (await isGone(caller)) return 'gone';
      const line = lineOf(caller);
      const transferId = idIn(order.dial_url);
      handovers.set(transferId, { caller: line.id, cold: true, answered: false });
      const outcome = await originate(transferId, order);
      if (!outcome.accepted) {
        handovers.delete(transferId);
        throw new CarrierError(outcome.words, 0);
      }
      line.transferred = true;
      await lines.dropMedia(line);
      // They hear it ring instead of nothing; where that fails, nothing.
      await ari.ask('POST', `${path(line.id)}/ring`).catch(() => {});
      return 'done';
    },

    async dialPerson(order) {
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
        await ari.ask('POST', `${bridgePath(callerBridge(line.id))}/removeChannel`, { channel: line.id });
        await ari.must('POST', `${bridgePath(roomBridge(room))}/addChannel`, { channel: line.id });
      } catch (error) {
        line.transferred = false;
        handover.caller = '';
        await ari.ask('POST', `${bridgePath(callerBridge(line.id))}/addChannel`, { channel: line.id }).catch(() => {});
        throw error;
      }
      await lines.dropMedia(line);
      return 'done';
    },
  };

  const openRoom = (room: string) =>
    ari.must('POST', bridgePath(roomBridge(room)), { type: 'mixing', name: roomBridge(room) });

  return {
    port,

    async personStarted(channel, news) {
      const transferId = ownId(channel.id);
      const handover = handovers.get(transferId);
      if (!handover) return hangUp(channel.id);
      handover.answered = true;
      if (handover.cold) {
        await ari.ask('DELETE', `${path(handover.caller)}/ring`).catch(() => {});
        const { status } = await ari.ask('POST', `${bridgePath(callerBridge(handover.caller))}/addChannel`, {
          channel: channel.id,
        });
        if (status >= 300) return hangUp(channel.id);
        return news.dialNews('asterisk', transferId, { event: 'answered', status: null, dial_status: channel.state });
      }
      const callback = asCallback(channel);
      let step = await news.personAnswered('asterisk', transferId, callback);
      if (step.do === 'listen') {
        // In the room before the caller is sent there.
        await openRoom(transferId);
        await ari.must('POST', `${bridgePath(roomBridge(transferId))}/addChannel`, { channel: channel.id });
        step = await news.personBriefed('asterisk', transferId, callback);
      }
      if (step.do !== 'wait in room') await hangUp(channel.id);
    },

    async personGone(channel, cause, word, news) {
      const transferId = ownId(channel.id);
      const handover = handovers.get(transferId);
      handovers.delete(transferId);
      const answered = handover?.answered || channel.state === 'Up';
      const dial_status = word === '' ? String(cause) : word;
      if (handover?.caller) await hangUp(handover.caller);
      await ari.drop(bridgePath(roomBridge(transferId)));
      const status = unansweredStatus(cause);
      if (handover?.cold) {
        await news.dialNews('asterisk', transferId, {
          event: 'over',
          status: answered ? 'answered' : status,
          dial_status,
        });
        return;
      }
      await news.personStatus('asterisk', transferId, {
        ...asCallback(channel),
        status: answered ? 'completed' : status,
        carrier_status: dial_status,
      });
    },

    persons: () => [...handovers.keys()].map(personChannel),

    async callerGone(line) {
      for (const [transferId, { caller }] of handovers) if (caller === line.id) await hangUp(personChannel(transferId));
    },
  };
}

function idIn(url: string): string {
  return new URL(url).searchParams.get('transfer_id') ?? '';
}
