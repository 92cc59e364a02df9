import type { TransferStatus } from '../../shared/transfer.ts';
import type { CarrierCallback, CarrierStatus, SignedCallback } from './callback.ts';
import { jsonObject, jsonText } from './callback-fields.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import { commandId, readTelnyxEvent, type TelnyxCommand } from './telnyx-events.ts';
import type { TransferEventHandler } from './transfer-event-handler.ts';
import { briefingVoice, type CarrierTransfers, type TargetStep } from './transfers.ts';

export interface TelnyxTransferDeps {
  dial: CarrierTransfers['dialTarget'];
  command: TelnyxCommand;
}

/** Of a text that is read aloud. */
const MAX_SPOKEN_CHARACTERS = 3000;

/**
 * Transfers at Telnyx, by commands: `transfer` rings the person for a caller, `speak` briefs a person, `bridge` brings caller
 * and person together; `streaming_stop` takes the caller from the agent. As in Telnyx's public documentation ("Transfer
 * call", "Bridge calls", "Speak text"). What a person's leg tells comes to its one address, and leads to the next command.
 */
export function telnyxTransfers({
  dial,
  command,
}: TelnyxTransferDeps): Required<Pick<Carrier, 'transfers' | 'handleTransferCallback'>> {
  /** The engine takes the end of the stream for the caller's leaving; where it cannot be stopped, it notices by itself. */
  async function leaveAgent(callerId: string): Promise<void> {
    try {
      await command(callerId, 'streaming_stop', {});
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
    }
  }

  async function lead(personId: string, step: TargetStep): Promise<void> {
    if (step.do === 'hang up') await command(personId, 'hangup', {});
    if (step.do !== 'listen') return;
    const language = briefingVoice(step.language)?.language ?? 'en-US';
    await command(personId, 'speak', {
      payload: step.text.slice(0, MAX_SPOKEN_CHARACTERS),
      voice: 'female',
      language,
      command_id: commandId('speak', personId),
    });
  }

  async function takeDial(transferId: string, callback: CarrierCallback, caller: string, news: TransferEventHandler) {
    const { status, carrier_status: dial_status } = callback;
    if (status === 'in-progress') {
      await news.dialStatus('telnyx', transferId, { event: 'answered', status: null, dial_status });
      return;
    }
    const end = status === null ? undefined : DIAL_OUTCOMES[status];
    if (end === undefined) return;
    await news.dialStatus('telnyx', transferId, { event: 'over', status: end, dial_status });
    // Whom nobody answered would wait in silence for ever.
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
      if (outcome === 'done') await leaveAgent(provider_call_id);
      return outcome;
    },

    dialTarget: dial,

    async join({ provider_call_id }, person, { room }) {
      const outcome = await command(provider_call_id, 'bridge', {
        call_control_id: person.provider_call_id,
        command_id: commandId('bridge', room),
      });
      if (outcome === 'done') await leaveAgent(provider_call_id);
      return outcome;
    },

    parseDialCallback: () => null,
    documents: null,
  };

  return {
    transfers,

    async handleTransferCallback(address, transferId, { json }, news) {
      const callback = readTelnyxEvent(json);
      if (!callback) return;
      if (address === 'dial') {
        const caller = callerInClientState(json);
        // Without it the event is of the caller's own leg.
        if (caller !== '') await takeDial(transferId, callback, caller, news);
        return;
      }
      const { provider_call_id, kind: wants, carrier_status } = callback;
      if (wants === 'answer') {
        await lead(provider_call_id, await news.targetAnswered('telnyx', transferId, callback));
      } else if (carrier_status === 'call.speak.ended') {
        await lead(provider_call_id, await news.targetBriefed('telnyx', transferId, callback));
      } else {
        await news.targetStatus('telnyx', transferId, callback);
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

/** Before the caller's id in what the person's leg repeats with every event. */
const CALLER_STATE_PREFIX = 'caller ';

function callerInClientState(json: SignedCallback['json']): string {
  const state = jsonText(jsonObject(jsonObject(json?.data)?.payload), 'client_state');
  const text = Buffer.from(state, 'base64').toString();
  return text.startsWith(CALLER_STATE_PREFIX) ? text.slice(CALLER_STATE_PREFIX.length) : '';
}
