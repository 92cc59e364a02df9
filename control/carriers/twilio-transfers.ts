import type { CarrierAnswer, CarrierStatus } from './callback.ts';
import { field } from './callback-fields.ts';
import { CarrierError } from './carrier.ts';
import { type CarrierReply, inWords } from './carrier-request.ts';
import { briefingVoice, type CallerStep, type CarrierTransfers, type DialNews, type PersonStep } from './transfers.ts';
import { escapeXml, xmlAnswer } from './xml.ts';

export interface TwilioTransferParts {
  dial: CarrierTransfers['dialPerson'];
  /** POST to the resource of one call. */
  update(callSid: string, form: URLSearchParams): Promise<CarrierReply>;
}

/** Twilio's error for a call that is not in progress any more ("Call is not in-progress. Cannot redirect."). */
const NOT_IN_PROGRESS = 21220;

/**
 * Transfers at Twilio: a live call is given another document (`POST Calls/{sid}` with `Url`), which ends its media stream;
 * `Dial` with `Number` or `Conference`. As in Twilio's public documentation ("Modify calls", "TwiML: Dial, Number,
 * Conference, Say").
 */
export function twilioTransfers({ dial, update }: TwilioTransferParts): CarrierTransfers {
  async function redirect(callSid: string, url: string): Promise<'done' | 'gone'> {
    const { status, json } = await update(callSid, new URLSearchParams({ Url: url, Method: 'POST' }));
    if (status >= 200 && status < 300) return 'done';
    if (status === 404 || json.code === NOT_IN_PROGRESS) return 'gone';
    throw new CarrierError(inWords(json.message, status), status);
  }

  return {
    connect: ({ provider_call_id }, { caller_url }) => redirect(provider_call_id, caller_url),
    dialPerson: dial,
    join: ({ provider_call_id }, _person, { caller_url }) => redirect(provider_call_id, caller_url),
    documents: { person: personDocument, caller: callerDocument },

    readDial({ fields }): DialNews | null {
      // The action of `Dial` tells the end; the status callback of `Number` tells the rest, and the end as well.
      const dial_status = field(fields, 'DialCallStatus') || field(fields, 'CallStatus');
      const status = ENDS.get(dial_status);
      if (status) return { event: 'over', status, dial_status };
      const isSecondLeg = field(fields, 'ParentCallSid') !== '';
      return isSecondLeg && dial_status === 'in-progress' ? { event: 'answered', status: null, dial_status } : null;
    },
  };
}

const ENDS = new Map<string, Exclude<DialNews['status'], null>>(
  Object.entries({
    completed: 'answered',
    answered: 'answered',
    busy: 'busy',
    'no-answer': 'no-answer',
    failed: 'failed',
    canceled: 'canceled',
  } satisfies Partial<Record<CarrierStatus | 'answered', DialNews['status']>>),
);

function personDocument(step: PersonStep): CarrierAnswer {
  switch (step.do) {
    case 'listen': {
      const voice = briefingVoice(step.language);
      const attributes = voice ? ` voice="${voice.voice}" language="${voice.language}"` : '';
      const next = `<Redirect method="POST">${escapeXml(step.next_url)}</Redirect>`;
      // A second to bring the receiver to the ear.
      return xmlAnswer(`<Pause length="1"/><Say${attributes}>${escapeXml(step.text)}</Say>${next}`);
    }
    case 'wait in room':
      return xmlAnswer(room(step.room));
    case 'hang up':
      return xmlAnswer('<Hangup/>');
  }
}

function callerDocument(step: CallerStep): CarrierAnswer {
  switch (step.do) {
    case 'dial': {
      const { from_number, to_number, ring_seconds, dial_url, dialled_url } = step;
      const dial = `callerId="${from_number}" timeout="${ring_seconds}" action="${escapeXml(dialled_url)}" method="POST"`;
      const events = 'statusCallbackEvent="initiated ringing answered completed" statusCallbackMethod="POST"';
      const number = `<Number statusCallback="${escapeXml(dial_url)}" ${events}>${to_number}</Number>`;
      return xmlAnswer(`<Dial ${dial}>${number}</Dial>`);
    }
    case 'enter room':
      return xmlAnswer(room(step.room));
    case 'hang up':
      return xmlAnswer('<Hangup/>');
  }
}

/** Ends with whoever leaves first; without beeps, and without music for the second one waits. */
function room(name: string): string {
  const manner = 'beep="false" waitUrl="" startConferenceOnEnter="true" endConferenceOnExit="true"';
  return `<Dial><Conference ${manner}>${escapeXml(name)}</Conference></Dial>`;
}
