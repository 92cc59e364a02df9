import type { TransferStatus } from '../../shared/transfer.ts';
import type { CarrierCallback, CarrierStatus, SignedCallback } from './callback.ts';
import { jsonObject, jsonText } from './callback-fields.ts';
import { type Carrier, CarrierError } from './carrier.ts';
import { commandId, readTelnyxEvent, type TelnyxCommand } from './telnyx-events.ts';
import type { TransferNews } from './transfer-news.ts';
import { briefingVoice, type CarrierTransfers, type PersonStep } from './transfers.ts';

export interface TelnyxTransferParts {
  dial: CarrierTransfers['dialPerson'];
  command: TelnyxCommand;
}

/** Of a text that is read aloud. */
const SPEAK_LIMIT = 3000;

/**
 * Transfers at Telnyx, by commands: `transfer` rings the person for a caller, `speak` briefs a person, `bridge` brings caller
 * and person together; `streaming_stop` takes the caller from the agent. As in Telnyx's public documentation ("Transfer
 * call", "Bridge calls", "Speak text"). What a person's leg tells comes to its one address, and leads to the next command.
 */
export function telnyxTransfers({
  dial,
  command,
}: TelnyxTransferParts): Required<Pick<Carrier, 'transfers' | 'takeTransfer'>> {
  /** The engine takes the end of the stream for the caller's leaving; where it cannot be stopped, it notices by itself. */
  async function leaveAgent(callerId: string): Promise<void> {
    try {
      await command(callerId, 'streaming_stop', {});
    } catch (error) {
      if (!(error instanceof CarrierError)) throw error;
    }
  }

  async function lead(personId: string, step: PersonStep): Promise<void> {
    if (step.do === 'hang up') await command(personId, 'hangup', {});
    if (step.do !== 'listen') return;
    const language = briefingVoice(step.language)?.language ?? 'en-US';
    await command(personId, 'speak', {
      payload: step.text.slice(0, SPEAK_LIMIT),
      voice: 'female',
      language,
      command_id: commandId('speak', personId),
    });
  }

  async function takeDial(transferId: string, callback: CarrierCallback, caller: string, news: TransferNews) {
    const { status, carrier_status: dial_status } = callback;
    if (status === 'in-progress') {
      await news.dialNews('telnyx', transferId, { event: 'answered', status: null, dial_status });
      return;
    }
    const end = status === null ? undefined : ENDS[status];
    if (end === undefined) return;
    await news.dialNews('telnyx', transferId, { event: 'over', status: end, dial_status });
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
        target_leg_client_state: Buffer.from(CALLER + provider_call_id).toString('base64'),
        command_id: commandId('transfer', dial_url),
      });
      if (outcome === 'done') await leaveAgent(provider_call_id);
      return outcome;
    },

    dialPerson: dial,

    async join({ provider_call_id }, person, { room }) {
      const outcome = await command(provider_call_id, 'bridge', {
        call_control_id: person.provider_call_id,
        command_id: commandId('bridge', room),
      });
      if (outcome === 'done') await leaveAgent(provider_call_id);
      return outcome;
    },

    readDial: () => null,
    documents: null,
  };

  return {
    transfers,

    async takeTransfer(address, transferId, { json }, news) {
      const callback = readTelnyxEvent(json);
      if (!callback) return;
      if (address === 'dial') {
        const caller = callerIn(json);
        // Without it the event is of the caller's own leg.
        if (caller !== '') await takeDial(transferId, callback, caller, news);
        return;
      }
      const { provider_call_id, wants, carrier_status } = callback;
      if (wants === 'answer') {
        await lead(provider_call_id, await news.personAnswered('telnyx', transferId, callback));
      } else if (carrier_status === 'call.speak.ended') {
        await lead(provider_call_id, await news.personBriefed('telnyx', transferId, callback));
      } else {
        await news.personStatus('telnyx', transferId, callback);
      }
    },
  };
}

const ENDS: Partial<Record<CarrierStatus, TransferStatus>> = {
  completed: 'answered',
  busy: 'busy',
  'no-answer': 'no-answer',
  failed: 'failed',
  canceled: 'canceled',
};

/** Before the caller's id in what the person's leg repeats with every event. */
const CALLER = 'caller ';

function callerIn(json: SignedCallback['json']): string {
  const state = jsonText(jsonObject(jsonObject(json?.data)?.payload), 'client_state');
  const text = Buffer.from(state, 'base64').toString();
  return text.startsWith(CALLER) ? text.slice(CALLER.length) : '';
}
