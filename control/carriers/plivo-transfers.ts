import { isSuccess } from '../http/rest-request.ts';
import type { CallbackResponse } from './callback.ts';
import { field, withoutPlus } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierResponse, carrierErrorText } from './carrier-request.ts';
import { briefingVoice, type CallerStep, type CarrierTransfers, type DialEvent, type TargetStep } from './transfers.ts';
import { escapeXml, xmlResponse } from './xml.ts';

export interface PlivoTransferDeps {
  dial: CarrierTransfers['dialTarget'];
  /** POST to the resource of one live call. */
  update(callUuid: string, body: object): Promise<CarrierResponse>;
}

/**
 * Transfers at Plivo: a live call's A leg is given another document (`POST Call/{uuid}/` with `aleg_url`), which ends its
 * stream; `Dial` with `Number`, and `Conference`. As in Plivo's public documentation ("Transfer a call", "The Dial element",
 * "The Conference element", "The Speak element").
 */
export function plivoTransfers({ dial, update }: PlivoTransferDeps): CarrierTransfers {
  async function redirect(callUuid: string, url: string): Promise<'done' | 'gone'> {
    const { status, json } = await update(callUuid, { legs: 'aleg', aleg_url: url, aleg_method: 'POST' });
    if (isSuccess(status)) return 'done';
    if (status === 404) return 'gone';
    throw new CarrierError(carrierErrorText(json.error, status), status);
  }

  return {
    connect: ({ provider_call_id }, { caller_url }) => redirect(provider_call_id, caller_url),
    dialTarget: dial,
    join: ({ provider_call_id }, _target, { caller_url }) => redirect(provider_call_id, caller_url),
    documents: { target: targetDocument, caller: callerDocument },

    parseDialCallback({ fields }): DialEvent | null {
      // The action URL of `Dial` is sent a DialStatus at the end; its callback URL is sent a DialAction before.
      const dial_status = field(fields, 'DialStatus');
      if (dial_status !== '') return { event: 'over', status: DIAL_OUTCOMES.get(dial_status) ?? 'failed', dial_status };
      const action = field(fields, 'DialAction');
      if (action === 'answer' || action === 'connected')
        return { event: 'answered', status: null, dial_status: action };
      return action === 'hangup' ? { event: 'over', status: null, dial_status: action } : null;
    },
  };
}

const DIAL_OUTCOMES = new Map<string, Exclude<DialEvent['status'], null>>(
  Object.entries({
    completed: 'answered',
    busy: 'busy',
    timeout: 'no-answer',
    'no-answer': 'no-answer',
    failed: 'failed',
    cancel: 'canceled',
    canceled: 'canceled',
  } as const),
);

function targetDocument(step: TargetStep): CallbackResponse {
  switch (step.do) {
    case 'listen': {
      const voice = briefingVoice(step.language);
      const attributes = voice ? ` voice="${voice.voice}" language="${voice.language}"` : '';
      const next = `<Redirect method="POST">${escapeXml(step.next_url)}</Redirect>`;
      // Time to bring the phone to the ear.
      return xmlResponse(`<Wait length="1"/><Speak${attributes}>${escapeXml(step.text)}</Speak>${next}`);
    }
    case 'wait in room':
      return xmlResponse(conference(step.room));
    case 'hang up':
      return xmlResponse('<Hangup/>');
  }
}

function callerDocument(step: CallerStep): CallbackResponse {
  switch (step.do) {
    case 'dial': {
      const { from_number, to_number, ring_seconds, dial_url, dialled_url } = step;
      const callback = `callbackUrl="${escapeXml(dial_url)}" callbackMethod="POST"`;
      const action = `action="${escapeXml(dialled_url)}" method="POST" redirect="true"`;
      const numbers = `callerId="${withoutPlus(from_number)}" timeout="${ring_seconds}"`;
      return xmlResponse(`<Dial ${numbers} ${callback} ${action}><Number>${withoutPlus(to_number)}</Number></Dial>`);
    }
    case 'enter room':
      return xmlResponse(conference(step.room));
    case 'hang up':
      return xmlResponse('<Hangup/>');
  }
}

/** Ends when either participant leaves. */
function conference(name: string): string {
  return `<Conference startConferenceOnEnter="true" endConferenceOnExit="true">${escapeXml(name)}</Conference>`;
}
