import type { Ari } from './ari.ts';
import type { AsteriskCalls } from './asterisk-calls.ts';
import {
  asCallback,
  type Channel,
  callerBridge,
  idInChannelName,
  roomBridge,
  targetChannel,
  unansweredStatus,
} from './asterisk-channels.ts';
import type { AsteriskState } from './asterisk-state.ts';
import type { CarrierCallRef } from './callback.ts';
import { queryParameter } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import type { DialOutcome, DialRequest } from './dial.ts';
import type { TransferEventHandler } from './event-handlers.ts';
import type { CarrierTransfers } from './transfers.ts';

export interface AsteriskTransferDeps {
  ari: Ari;
  state: AsteriskState;
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
  targetChannels(): Promise<string[]>;
  /** Whether the target's answer was not handled yet. */
  awaitsTarget(channelId: string): Promise<boolean>;
  targetGone(channel: Channel, cause: number, causeText: string, events: TransferEventHandler): Promise<void>;
  /** Hangs up the target of a caller who has left. */
  callerGone(channelId: string): Promise<void>;
}

/**
 * Transfers at an Asterisk: the target is dialled on a channel of its own and joins one bridge with the caller. Asterisk
 * cannot read a briefing aloud; a warm transfer still keeps the caller with the agent until the target has answered.
 */
export function createAsteriskTransfers({ ari, state, calls, originate }: AsteriskTransferDeps): AsteriskTransfers {
  const channelPath = (channelId: string) => `/channels/${encodeURIComponent(channelId)}`;
  const bridgePath = (bridgeId: string) => `/bridges/${encodeURIComponent(bridgeId)}`;
  const hangUp = (channelId: string) => ari.remove(channelPath(channelId), { reason: 'normal' });
  const addToBridge = (bridgeId: string, channel: string) =>
    ari.request('POST', `${bridgePath(bridgeId)}/addChannel`, { channel });

  async function openRoom(room: string, channel: string): Promise<void> {
    await ari.requestOk('POST', bridgePath(roomBridge(room)), { type: 'mixing', name: roomBridge(room) });
    if (channel !== '') await ari.requestOk('POST', `${bridgePath(roomBridge(room))}/addChannel`, { channel });
  }

  /** @throws CarrierError when the caller is not known. */
  async function channelOf({ provider_call_id }: CarrierCallRef): Promise<string> {
    const call = await state.find(provider_call_id);
    if (!call) throw new CarrierError('the caller is not known', 0);
    return call.channel_id;
  }

  /** After a dial that was not accepted: where its outcome is unknown, the target may ring all the same. */
  async function giveUpTarget(transferId: string, { accepted }: DialOutcome): Promise<void> {
    await state.removeHandover(transferId);
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
      const channelId = await channelOf(caller);
      const transferId = queryParameter(request.dial_url, 'transfer_id');
      await state.addHandover({ transfer_id: transferId, caller: channelId, cold: true, answered: false });
      const outcome = await originate(transferId, request);
      if (outcome.accepted !== true) {
        await giveUpTarget(transferId, outcome);
        throw new CarrierError(outcome.reason, 0);
      }
      await state.change(channelId, { transferred: true });
      await calls.dropMedia(channelId);
      // A ringing tone instead of silence; without it the transfer goes on.
      await ari.request('POST', `${channelPath(channelId)}/ring`).catch(() => {});
      return 'done';
    },

    async dialTarget(request) {
      const transferId = queryParameter(request.status_url, 'transfer_id');
      await state.addHandover({ transfer_id: transferId, caller: '', cold: false, answered: false });
      const outcome = await originate(transferId, request);
      const target = { provider_call_id: targetChannel(transferId), provider_request_id: '' };
      // Its name is known, so that it can be asked for: where that is not answered either, its events settle it.
      if (outcome.accepted === 'unknown' && !(await isGone(target).catch(() => false))) {
        return { accepted: true, ...target };
      }
      if (outcome.accepted !== true) await giveUpTarget(transferId, outcome);
      return outcome.accepted === 'unknown' ? { accepted: false, reason: outcome.reason } : outcome;
    },

    async join(caller, _target, { room }) {
      if (await isGone(caller)) return 'gone';
      const channel = await channelOf(caller);
      if (!(await state.findHandover(room))) throw new CarrierError('the target has left', 0);
      await state.change(channel, { transferred: true });
      await state.changeHandover(room, { caller: channel });
      try {
        await openRoom(room, '');
        await ari.request('POST', `${bridgePath(callerBridge(channel))}/removeChannel`, { channel });
        await ari.requestOk('POST', `${bridgePath(roomBridge(room))}/addChannel`, { channel });
      } catch (error) {
        await state.change(channel, { transferred: false });
        await state.changeHandover(room, { caller: '' });
        await addToBridge(callerBridge(channel), channel).catch(() => {});
        throw error;
      }
      await calls.dropMedia(channel);
      return 'done';
    },
  };

  return {
    port,

    async targetStarted(channel, events) {
      const transferId = idInChannelName(channel.id);
      const handover = await state.findHandover(transferId);
      if (!handover) return hangUp(channel.id);
      await state.changeHandover(transferId, { answered: true });
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
      const handover = await state.removeHandover(transferId);
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

    targetChannels: async () => (await state.handovers()).map(({ transfer_id }) => targetChannel(transfer_id)),

    async awaitsTarget(channelId) {
      const handover = await state.findHandover(idInChannelName(channelId));
      return handover !== null && !handover.answered;
    },

    async callerGone(channelId) {
      for (const { transfer_id } of await state.handoversOf(channelId)) await hangUp(targetChannel(transfer_id));
    },
  };
}
