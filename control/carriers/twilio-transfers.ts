import { isSuccess } from '../http/rest-request.ts';
import type { CallbackResponse, CarrierStatus } from './callback.ts';
import { field } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierResponse, carrierErrorText } from './carrier-request.ts';
import { briefingVoice, type CallerStep, type CarrierTransfers, type DialEvent, type TargetStep } from './transfers.ts';
import { escapeXml, xmlResponse } from './xml.ts';

export interface TwilioTransferDeps {
  dial: CarrierTransfers['dialTarget'];
  /** POST to the resource of one call. */
  update(callSid: string, form: URLSearchParams): Promise<CarrierResponse>;
}

/** Twilio's error for a call that is not in progress any more ("Call is not in-progress. Cannot redirect."). */
const NOT_IN_PROGRESS = 21220;

/**
 * Transfers at Twilio: a live call is given another document (`POST Calls/{sid}` with `Url`), which ends its media stream;
 * `Dial` with `Number` or `Conference`. As in Twilio's public documentation ("Modify calls", "TwiML: Dial, Number,
 * Conference, Say").
 */
export function twilioTransfers({ dial, update }: TwilioTransferDeps): CarrierTransfers {
  async function redirect(callSid: string, url: string): Promise<'done' | 'gone'> {
    const { status, json } = await update(callSid, new URLSearchParams({ Url: url, Method: 'POST' }));
    if (isSuccess(status)) return 'done';
    if (status === 404 || json.code === NOT_IN_PROGRESS) return 'gone';
    throw new CarrierError(carrierErrorText(json.message, status), status);
  }

  return {
    connect: ({ provider_call_id }, { caller_url }) => redirect(provider_call_id, caller_url),
    dialTarget: dial,
    join: ({ provider_call_id }, _target, { caller_url }) => redirect(provider_call_id, caller_url),
    documents: { target: targetDocument, caller: callerDocument },

    parseDialCallback({ fields }): DialEvent | null {
      // The action URL of `Dial` is called at the end; the status callback of `Number` at every change, and at the end.
      const dial_status = field(fields, 'DialCallStatus') || field(fields, 'CallStatus');
      const status = DIAL_OUTCOMES.get(dial_status);
      if (status) return { event: 'over', status, dial_status };
      const isSecondLeg = field(fields, 'ParentCallSid') !== '';
      return isSecondLeg && dial_status === 'in-progress' ? { event: 'answered', status: null, dial_status } : null;
    },
  };
}

const DIAL_OUTCOMES = new Map<string, Exclude<DialEvent['status'], null>>(
  Object.entries({
    completed: 'answered',
    answered: 'answered',
    busy: 'busy',
    'no-answer': 'no-answer',
    failed: 'failed',
    canceled: 'canceled',
  } satisfies Partial<Record<CarrierStatus | 'answered', DialEvent['status']>>),
);

function targetDocument(step: TargetStep): CallbackResponse {
  switch (step.do) {
    case 'listen': {
      const voice = briefingVoice(step.language);
      const attributes = voice ? ` voice="${voice.voice}" language="${voice.language}"` : '';
      const next = `<Redirect method="POST">${escapeXml(step.next_url)}</Redirect>`;
      // Time to bring the phone to the ear.
      return xmlResponse(`<Pause length="1"/><Say${attributes}>${escapeXml(step.text)}</Say>${next}`);
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
      const dial = `callerId="${from_number}" timeout="${ring_seconds}" action="${escapeXml(dialled_url)}" method="POST"`;
      const events = 'statusCallbackEvent="initiated ringing answered completed" statusCallbackMethod="POST"';
      const number = `<Number statusCallback="${escapeXml(dial_url)}" ${events}>${to_number}</Number>`;
      return xmlResponse(`<Dial ${dial}>${number}</Dial>`);
    }
    case 'enter room':
      return xmlResponse(conference(step.room));
    case 'hang up':
      return xmlResponse('<Hangup/>');
  }
}

/** Ends when either participant leaves; without beeps and waiting music. */
function conference(name: string): string {
  const attributes = 'beep="false" waitUrl="" startConferenceOnEnter="true" endConferenceOnExit="true"';
  return `<Dial><Conference ${attributes}>${escapeXml(name)}</Conference></Dial>`;
}
