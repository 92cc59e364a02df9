import { beforeEach, describe, expect, test } from 'vitest';
import type { CallScope } from '../../../media/call/call-scope.ts';
import type { ChatContext } from '../../../media/call/chat-context.ts';
import { TransferController, type TransferOptions } from '../../../media/call/transfer.ts';
import { agentConfigSchema } from '../../../shared/agent.ts';
import type { StartTransferReply, StartTransferRequest } from '../../../shared/bus/messages.ts';
import type { LanguageModel } from '../../../shared/llm/language-model.ts';
import { emptyUsage } from '../../../shared/usage.ts';
import { createVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';

const CALL = { id: 't1', name: 'transfer_call', arguments: '{"target":"Sales","reason":"a bill"}' };
const REQUEST = { call: CALL, name: 'Sales', number: '+919800011111', reason: 'a bill' };

let clock: VirtualClock;
let transfers: TransferController;
/** What happens to the caller and is reported, in order. */
let log: string[];
let requests: Omit<StartTransferRequest, 'call_id'>[];
let control: PromiseWithResolvers<StartTransferReply>;
let summaries: AbortSignal[];

function open(warm: boolean): void {
  clock = createVirtualClock();
  [log, requests, summaries] = [[], [], []];
  control = Promise.withResolvers();
  const target = { name: 'Sales', number: '+919800011111' };
  const call = { transfer_enabled: true, transfer_targets: [target], transfer_summary: warm };
  const model = {
    async *stream(_request: object, signal: AbortSignal) {
      summaries.push(signal);
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  } as unknown as LanguageModel;
  const options: TransferOptions = {
    ...{ agent: agentConfigSchema.parse({ name: 'A', call }), model, usage: emptyUsage(), clock },
    scope: { watch: (work) => void work.catch(() => {}) } as CallScope,
    transferClient: {
      start(request) {
        requests.push(request);
        return control.promise;
      },
    },
  };
  const context = {
    history: [],
    report: (type: string, message: string) => log.push(`${type}: ${message}`),
    addToolRound: () => ({ addResult: (_call: object, result: string) => log.push(result) }),
  } as unknown as ChatContext;
  transfers = new TransferController(options, context, {
    onHold: () => log.push('on hold'),
    onCallerReturned: () => log.push('with the agent'),
    end: ({ hangup_reason }) => log.push(`ended: ${hangup_reason}`),
  });
}

const begin = async () => {
  transfers.begin({ ...REQUEST, summary: Promise.resolve('They ask about a bill.') });
  await clock.advance(0);
};
const reply = async (accepted: boolean, message = '') => {
  control.resolve({ accepted, message });
  await clock.advance(0);
};
const outcome = (status: 'answered' | 'busy', id = requests[0]!.transfer_id) =>
  transfers.onOutcome({ transfer_id: id, status, dial_status: '' } as never);

const HANDED = 'call.transferred: handing the caller over to Sales';
const ANSWERED = 'tool.result: transfer_call answered';
const STILL = 'The caller is still on the line with you.';

describe('a warm transfer', () => {
  beforeEach(() => open(true));

  test('whose summary is being written stops that with the call, and does not begin any more', async () => {
    const prepared = transfers.prepare(CALL);
    await clock.advance(0);
    expect([summaries.length, summaries[0]!.aborted]).toEqual([1, false]);
    transfers.close();
    expect(summaries[0]!.aborted).toBe(true);
    if (typeof prepared !== 'string') transfers.begin(prepared);
    await clock.advance(100);
    expect([log, requests]).toEqual([[], []]);
  });

  test('is one at a time, and has everything that control needs', async () => {
    await begin();
    await begin();
    expect(log).toEqual(['on hold']);
    expect(requests).toMatchObject([
      { name: 'Sales', number: '+919800011111', reason: 'a bill', warm: true, summary: 'They ask about a bill.' },
    ]);
    expect(transfers.refusalReason(CALL)).toBe('One transfer at a time.');
  });

  test('that is answered before control replies is reported once, and fails when the caller stays', async () => {
    await begin();
    expect([outcome('answered', 'another'), outcome('answered')]).toEqual([false, true]);
    await reply(true);
    await clock.advance(29_999);
    expect(log).toEqual(['on hold', HANDED]);
    expect(await transfers.onLegEnded()).toBe(true);
    await clock.advance(1);
    expect(log.slice(2)).toEqual([
      'call.transfer_status: transfer to Sales: failed',
      `Sales could not take the call. ${STILL}`,
      ANSWERED,
      'with the agent',
    ]);
    expect(outcome('answered')).toBe(false);
  });

  test('that is answered although control’s reply is lost connects the caller', async () => {
    await begin();
    outcome('answered');
    control.reject(new Error('timeout'));
    await clock.advance(0);
    expect(log).toEqual(['on hold', HANDED]);
    expect(await transfers.onLegEnded()).toBe(true);
  });

  test('that nobody takes returns the caller, whose hanging up meanwhile is their own', async () => {
    await begin();
    await reply(true);
    expect(transfers.onLegEnded()).toBeNull();
    outcome('busy');
    expect(log.slice(2)).toEqual([
      'call.transfer_status: transfer to Sales: busy',
      `The line of Sales is busy. ${STILL}`,
      ANSWERED,
      'with the agent',
    ]);
    await clock.advance(600_000);
    expect(log).toHaveLength(6);
  });

  test.each([
    ['control refuses', 'no credits', 'no credits'],
    ['control does not answer', null, 'no answer'],
  ])('that %s returns the caller at once', async (_what, message, why) => {
    await begin();
    expect(transfers.onLegEnded()).toBeNull();
    if (message === null) control.reject(new Error('timeout'));
    else control.resolve({ accepted: false, message });
    await clock.advance(0);
    expect(log.slice(1)).toEqual([
      `The transfer to Sales is not possible: ${why}. ${STILL}`,
      ANSWERED,
      'with the agent',
    ]);
  });

  test('says nothing more once its call is over', async () => {
    await begin();
    transfers.close();
    await reply(true);
    await clock.advance(600_000);
    expect([log, outcome('busy'), transfers.onLegEnded()]).toEqual([['on hold'], false, null]);
  });
});

describe('a cold transfer', () => {
  beforeEach(() => open(false));

  test('ends the call five seconds after it was accepted, at the latest', async () => {
    const prepared = transfers.prepare(CALL);
    expect(typeof prepared === 'string' ? prepared : await prepared.summary).toBe('');
    await begin();
    const connected = transfers.onLegEnded();
    await reply(true);
    expect(await connected).toBe(true);
    expect(outcome('busy')).toBe(false);
    await clock.advance(4_999);
    expect(log).toEqual(['on hold', HANDED]);
    await clock.advance(1);
    expect(log.at(-1)).toBe('ended: transferred');
  });

  test('that is refused connects nobody', async () => {
    await begin();
    const connected = transfers.onLegEnded();
    await reply(false, 'no');
    expect(await connected).toBe(false);
  });
});

test('a transfer to nobody is refused with the targets', () => {
  open(true);
  const call = { ...CALL, arguments: '{"target":"Boss","reason":""}' };
  const why = 'There is no such target. The targets are: Sales.';
  expect([transfers.prepare(call), transfers.refusalReason(call)]).toEqual([why, why]);
  expect(transfers.onLegEnded()).toBeNull();
});
