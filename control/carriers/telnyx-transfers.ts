import type { TransferStatus } from '../../shared/transfer.ts';
import type { CarrierCallback, CarrierStatus, SignedCallback } from './callback.ts';
import { jsonObject, jsonText } from './callback-fields.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import type { TransferEventHandler } from './event-handlers.ts';
import { commandId, readTelnyxEvent, type TelnyxCommand } from './telnyx-events.ts';
import { briefingVoice, type CarrierTransfers, type TargetStep } from './transfers.ts';

export interface TelnyxTransferDeps {
  dial: CarrierTransfers['dialTarget'];
  command: TelnyxCommand;
}

const MAX_SPOKEN_CHARACTERS = 3000;

/**
 * Transfers at Telnyx, by commands: `transfer` dials the target for a caller, `speak` briefs the target, `bridge` connects
 * caller and target; `streaming_stop` takes the caller from the agent. As in Telnyx's public documentation ("Transfer
 * call", "Bridge calls", "Speak text"). Webhooks of the target's leg, all to one URL, lead to the next command.
 */
export function telnyxTransfers({
  dial,
  command,
}: TelnyxTransferDeps): Required<Pick<Carrier, 'transfers' | 'handleTransferCallback'>> {
  /** Ends the call for the engine. Where the stream cannot be stopped, the engine notices its end by itself. */
  async function stopAgentStream(callerId: string): Promise<void> {
    try {
      await command(callerId, 'streaming_stop', {});
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
    }
  }

  async function runStep(targetId: string, step: TargetStep): Promise<void> {
    if (step.do === 'hang up') await command(targetId, 'hangup', {});
    if (step.do !== 'listen') return;
    const language = briefingVoice(step.language)?.language ?? 'en-US';
    await command(targetId, 'speak', {
      payload: step.text.slice(0, MAX_SPOKEN_CHARACTERS),
      voice: 'female',
      language,
      command_id: commandId('speak', targetId),
    });
  }

  async function handleDialCallback(
    transferId: string,
    callback: CarrierCallback,
    caller: string,
    events: TransferEventHandler,
  ) {
    const { status, carrier_status: dial_status } = callback;
    if (status === 'in-progress') {
      await events.dialStatus('telnyx', transferId, { event: 'answered', status: null, dial_status });
      return;
    }
    const end = status === null ? undefined : DIAL_OUTCOMES[status];
    if (end === undefined) return;
    await events.dialStatus('telnyx', transferId, { event: 'over', status: end, dial_status });
    // Otherwise the caller would wait in silence.
    await command(caller, 'hangup', {});
  }

  const transfers: CarrierTransfers = {
    async connect({ provider_call_id }, { from_number, to_number, ring_seconds, dial_url }) {
      const outcome = await command(provider_call_id, 'transfer', {
        to: to_number,
        from: from_number,
        timeout_secs: ring_seconds,
        webhook_url: dial_url,
        webhook_url_method: 'POST',
        target_leg_client_state: Buffer.from(CALLER_STATE_PREFIX + provider_call_id).toString('base64'),
        command_id: commandId('transfer', dial_url),
      });
      if (outcome === 'done') await stopAgentStream(provider_call_id);
      return outcome;
    },

    dialTarget: dial,

    async join({ provider_call_id }, target, { room }) {
      const outcome = await command(provider_call_id, 'bridge', {
        call_control_id: target.provider_call_id,
        command_id: commandId('bridge', room),
      });
      if (outcome === 'done') await stopAgentStream(provider_call_id);
      return outcome;
    },

    parseDialCallback: () => null,
    documents: null,
  };

  return {
    transfers,

    async handleTransferCallback(endpoint, transferId, { json }, events) {
      const callback = readTelnyxEvent(json);
      if (!callback) return;
      if (endpoint === 'dial') {
        const caller = callerInClientState(json);
        // Without it the event belongs to the caller's own leg.
        if (caller !== '') await handleDialCallback(transferId, callback, caller, events);
        return;
      }
      const { provider_call_id, kind, carrier_status } = callback;
      if (kind === 'answer') {
        await runStep(provider_call_id, await events.targetAnswered('telnyx', transferId, callback));
      } else if (carrier_status === 'call.speak.ended') {
        await runStep(provider_call_id, await events.targetBriefed('telnyx', transferId, callback));
      } else {
        await events.targetStatus('telnyx', transferId, callback);
      }
    },
  };
}

const DIAL_OUTCOMES: Partial<Record<CarrierStatus, TransferStatus>> = {
  completed: 'answered',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
  canceled: 'canceled',
};

/** Before the caller's id in the client state, which comes back with every event of the target's leg. */
const CALLER_STATE_PREFIX = 'caller ';

function callerInClientState(json: SignedCallback['json']): string {
  const state = jsonText(jsonObject(jsonObject(json?.data)?.payload), 'client_state');
  const text = Buffer.from(state, 'base64').toString();
  return text.startsWith(CALLER_STATE_PREFIX) ? text.slice(CALLER_STATE_PREFIX.length) : '';
}
