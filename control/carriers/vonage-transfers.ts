import type { CallbackResponse } from './callback.ts';
import { jsonObject, jsonText, withoutPlus } from './callback-fields.ts';
import { briefingVoice, type CallerStep, type CarrierTransfers, type DialEvent, type TargetStep } from './transfers.ts';

export interface VonageTransferDeps {
  dial: CarrierTransfers['dialTarget'];
  /** PUT to the resource of one call. */
  modifyCall(uuid: string, body: object): Promise<'done' | 'gone'>;
  ncco(actions: object[]): CallbackResponse;
}

/**
 * Transfers at Vonage: a live call is given other actions (`PUT calls/{uuid}` with `transfer`), which leaves its stream alone
 * in the old conversation, so that it closes; `connect` with `phone`, and `conversation`. As in Vonage's public documentation
 * ("Voice API reference: Modify call", "NCCO reference: connect, conversation, talk, notify"). The request carries the actions,
 * so the carrier does not fetch them.
 */
export function vonageTransfers({ dial, modifyCall, ncco }: VonageTransferDeps): CarrierTransfers {
  const transfer = (uuid: string, actions: object[]) =>
    modifyCall(uuid, { action: 'transfer', destination: { type: 'ncco', ncco: actions } });

  return {
    connect: ({ provider_call_id }, request) => transfer(provider_call_id, callerActions({ do: 'dial', ...request })),
    dialTarget: dial,
    join: ({ provider_call_id }, _target, { room }) =>
      transfer(provider_call_id, callerActions({ do: 'enter room', room })),
    documents: { target: (step) => ncco(targetActions(step)), caller: (step) => ncco(callerActions(step)) },

    parseDialCallback({ json }): DialEvent | null {
      const object = jsonObject(json);
      const dial_status = jsonText(object, 'status');
      if (jsonText(object, 'direction') !== 'outbound') return null;
      if (dial_status === 'answered') return { event: 'answered', status: null, dial_status };
      const status = DIAL_OUTCOMES.get(dial_status);
      return status === undefined ? null : { event: 'over', status, dial_status };
    },
  };
}

const DIAL_OUTCOMES = new Map<string, Exclude<DialEvent['status'], null>>(
  Object.entries({
    completed: 'answered',
    busy: 'busy',
    timeout: 'no-answer',
    unanswered: 'no-answer',
    cancelled: 'canceled',
    rejected: 'failed',
    failed: 'failed',
  } as const),
);

function targetActions(step: TargetStep): object[] {
  switch (step.do) {
    case 'listen': {
      const voice = briefingVoice(step.language);
      return [
        { action: 'talk', text: step.text, ...(voice ? { language: voice.language } : {}) },
        { action: 'notify', payload: { briefed: true }, eventUrl: [step.next_url], eventMethod: 'POST' },
      ];
    }
    case 'wait in room':
      return [conversation(step.room)];
    case 'hang up':
      return [];
  }
}

function callerActions(step: CallerStep): object[] {
  switch (step.do) {
    case 'dial': {
      const { from_number, to_number, ring_seconds, dial_url } = step;
      return [
        {
          action: 'connect',
          from: withoutPlus(from_number),
          timeout: ring_seconds,
          eventUrl: [dial_url],
          eventMethod: 'POST',
          endpoint: [{ type: 'phone', number: withoutPlus(to_number) }],
        },
      ];
    }
    case 'enter room':
      return [conversation(step.room)];
    case 'hang up':
      return [];
  }
}

/** Ends when either participant leaves. */
function conversation(name: string): object {
  return { action: 'conversation', name, startOnEnter: true, endOnExit: true };
}
