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
import { queryParameter } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import type { DialOutcome, DialRequest } from './dial.ts';
import type { TransferEventHandler } from './event-handlers.ts';
import type { CarrierTransfers } from './transfers.ts';

export interface AsteriskTransferDeps {
  ari: Ari;
  calls: AsteriskCalls;
  /** Dials the target of a transfer. Never throws. */
  originate(
    transferId: string,
    request: Pick<DialRequest, 'from_number' | 'to_number' | 'ring_seconds'>,
  ): Promise<DialOutcome>;
}

export interface AsteriskTransfers {
  readonly port: CarrierTransfers;
  targetStarted(channel: Channel, events: TransferEventHandler): Promise<void>;
  /** The channels of all targets that should exist. */
  targetChannels(): string[];
  targetGone(channel: Channel, cause: number, causeText: string, events: TransferEventHandler): Promise<void>;
  /** Hangs up the target of a caller who has left. */
  callerGone(call: AsteriskCall): Promise<void>;
}

interface Handover {
  /** The caller's channel once they were taken from the agent: at the start of a cold transfer, at the end of a warm one. */
  caller: string;
  cold: boolean;
  answered: boolean;
}

/**
 * Transfers at an Asterisk: the target is dialled on a channel of its own and joins one bridge with the caller. Asterisk
 * cannot read a briefing aloud; a warm transfer still keeps the caller with the agent until the target has answered.
 * Transfers in progress are known to this process only: after a restart the transfer reconciler gives them up.
 */
export function createAsteriskTransfers({ ari, calls, originate }: AsteriskTransferDeps): AsteriskTransfers {
  const handovers = new Map<string, Handover>();
  const channelPath = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;
  const bridgePath = (bridgeId: string) => `/bridges/${encodeURIComponent(bridgeId)}`;
  const hangUp = (channelId: string) => ari.remove(channelPath(channelId), { reason: 'normal' });
  const addToBridge = (bridgeId: string, channel: string) =>
    ari.request('POST', `${bridgePath(bridgeId)}/addChannel`, { channel });

  async function openRoom(room: string, channel: string): Promise<void> {
    await ari.requestOk('POST', bridgePath(roomBridge(room)), { type: 'mixing', name: roomBridge(room) });
    if (channel !== '') await ari.requestOk('POST', `${bridgePath(roomBridge(room))}/addChannel`, { channel });
  }

  /** @throws CarrierError when the caller is not known here. */
  function callOf({ provider_call_id }: CarrierCallRef): AsteriskCall {
    const call = calls.get(provider_call_id);
    if (!call) throw new CarrierError('the caller is not known to this process', 0);
    return call;
  }

  /** After a dial that was not accepted: where its outcome is unknown, the target may ring all the same. */
  function giveUpTarget(transferId: string, { accepted }: DialOutcome): void {
    handovers.delete(transferId);
    if (accepted === 'unknown') void hangUp(targetChannel(transferId));
  }

  async function isGone({ provider_call_id }: CarrierCallRef): Promise<boolean> {
    const { status } = await ari.request('GET', channelPath(provider_call_id));
    return status === 404;
  }

  const port: CarrierTransfers = {
    documents: null,
    parseDialCallback: () => null,

    async connect(caller, request) {
      if (await isGone(caller)) return 'gone';
      const call = callOf(caller);
      const transferId = queryParameter(request.dial_url, 'transfer_id');
      handovers.set(transferId, { caller: call.id, cold: true, answered: false });
      const outcome = await originate(transferId, request);
      if (outcome.accepted !== true) {
        giveUpTarget(transferId, outcome);
        throw new CarrierError(outcome.reason, 0);
      }
      call.transferred = true;
      await calls.dropMedia(call);
      // A ringing tone instead of silence; without it the transfer goes on.
      await ari.request('POST', `${channelPath(call.id)}/ring`).catch(() => {});
      return 'done';
    },

    async dialTarget(request) {
      const transferId = queryParameter(request.status_url, 'transfer_id');
      handovers.set(transferId, { caller: '', cold: false, answered: false });
      const outcome = await originate(transferId, request);
      if (outcome.accepted !== true) giveUpTarget(transferId, outcome);
      return outcome;
    },

    async join(caller, _target, { room }) {
      if (await isGone(caller)) return 'gone';
      const call = callOf(caller);
      const handover = handovers.get(room);
      if (!handover) throw new CarrierError('the target has left', 0);
      call.transferred = true;
      handover.caller = call.id;
      try {
        await openRoom(room, '');
        await ari.request('POST', `${bridgePath(callerBridge(call.id))}/removeChannel`, { channel: call.id });
        await ari.requestOk('POST', `${bridgePath(roomBridge(room))}/addChannel`, { channel: call.id });
      } catch (error) {
        call.transferred = false;
        handover.caller = '';
        await addToBridge(callerBridge(call.id), call.id).catch(() => {});
        throw error;
      }
      await calls.dropMedia(call);
      return 'done';
    },
  };

  return {
    port,

    async targetStarted(channel, events) {
      const transferId = idInChannelName(channel.id);
      const handover = handovers.get(transferId);
      if (!handover) return hangUp(channel.id);
      handover.answered = true;
      if (handover.cold) {
        await ari.request('DELETE', `${channelPath(handover.caller)}/ring`).catch(() => {});
        const { status } = await addToBridge(callerBridge(handover.caller), channel.id);
        if (status >= 300) return hangUp(channel.id);
        return events.dialStatus('asterisk', transferId, {
          event: 'answered',
          status: null,
          dial_status: channel.state,
        });
      }
      const callback = asCallback(channel);
      let step = await events.targetAnswered('asterisk', transferId, callback);
      if (step.do === 'listen') {
        // The target joins before the caller is sent there.
        await openRoom(transferId, channel.id);
        step = await events.targetBriefed('asterisk', transferId, callback);
      }
      if (step.do !== 'wait in room') await hangUp(channel.id);
    },

    async targetGone(channel, cause, causeText, events) {
      const transferId = idInChannelName(channel.id);
      const handover = handovers.get(transferId);
      handovers.delete(transferId);
      const answered = handover?.answered || channel.state === 'Up';
      const dial_status = causeText || String(cause);
      if (handover?.caller) await hangUp(handover.caller);
      await ari.remove(bridgePath(roomBridge(transferId)));
      const unanswered = unansweredStatus(cause);
      if (handover?.cold) {
        const status = answered ? 'answered' : unanswered;
        await events.dialStatus('asterisk', transferId, { event: 'over', status, dial_status });
        return;
      }
      const status = answered ? 'completed' : unanswered;
      await events.targetStatus('asterisk', transferId, {
        ...asCallback(channel),
        status,
        carrier_status: dial_status,
      });
    },

    targetChannels: () => [...handovers.keys()].map(targetChannel),

    async callerGone(call) {
      for (const [transferId, { caller }] of handovers) if (caller === call.id) await hangUp(targetChannel(transferId));
    },
  };
}
