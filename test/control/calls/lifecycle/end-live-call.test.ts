import { describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { hasUnreadEvents } from '../../../../control/calls/events/ingest.ts';
import { isSameCall } from '../../../../control/calls/lifecycle/answered-call.ts';
import { unlessRequested } from '../../../../control/calls/lifecycle/call-state-machine.ts';
import { endLiveCall, hangUpAtCarrier } from '../../../../control/calls/lifecycle/hang-up.ts';
import { createTestBus, createTestCarrier, log } from '../call-fixture.ts';

const RINGING = {
  ...{ id: 'c1', provider: 'twilio', provider_call_id: 'CA1', provider_request_id: '', media_nonce: null },
  ...{ hangup_requested_reason: '', media_seq: 5 },
} as unknown as CallRow;
const OPENED = { ...RINGING, media_nonce: 'n' } as CallRow;
const COMMAND = { call_id: 'c1', hangup_by: 'member', hangup_reason: 'hung up by Asha' } as const;

describe('the end of a live call', () => {
  /** What the engine and the carrier were asked, and whether one of them ended it. */
  async function end(call: CallRow, reply: { done: boolean } | null) {
    const bus = createTestBus();
    bus.reply = reply as typeof bus.reply;
    const { carriers, hungUp } = createTestCarrier();
    const ended = await endLiveCall({ log, bus, carriers }, call, COMMAND);
    return { ended, commands: bus.commands, hungUp };
  }

  it('is asked of the engine that holds it', async () => {
    expect(await end(OPENED, { done: true })).toEqual({ ended: true, commands: [COMMAND], hungUp: [] });
  });

  it.each([[{ done: false }], [null]])('is asked of the carrier when the engine answers %j', async (reply) => {
    expect(await end(OPENED, reply)).toEqual({ ended: true, commands: [COMMAND], hungUp: ['CA1'] });
  });

  it('is asked of the carrier only while no engine has it', async () => {
    expect(await end(RINGING, { done: true })).toEqual({ ended: true, commands: [], hungUp: ['CA1'] });
  });

  it.each<[string, Partial<CallRow>]>([
    ['of a browser', { provider: '' }],
    ['of a carrier without an account', { provider: 'plivo' }],
    ['that its carrier has not named', { provider_call_id: '' }],
  ])('is left to the reaper for a call %s', async (_what, change) => {
    expect(await end({ ...RINGING, ...change } as CallRow, null)).toEqual({ ended: false, commands: [], hungUp: [] });
  });

  it('is asked by the id of the request where that is all that is known', async () => {
    const call = { ...RINGING, provider_call_id: '', provider_request_id: 'R1' } as CallRow;
    expect(await end(call, null)).toMatchObject({ ended: true, hungUp: ['R1'] });
  });

  it('is left to the reaper when the carrier fails', async () => {
    const { carrier } = createTestCarrier();
    const broken = { ...carrier, hangUp: () => Promise.reject(new Error('no answer')) };
    expect(await hangUpAtCarrier({ log, carriers: new Map([['twilio', broken]]) }, RINGING)).toBe(false);
  });
});

describe('the end of a call that did not connect', () => {
  const end = { status: 'busy', hangup_by: 'carrier', hangup_reason: 'busy', level: 'warning', message: 'm' } as const;

  it('is as the carrier says', () => {
    expect(unlessRequested(RINGING, end)).toEqual(end);
  });

  it('is by the member who hung up before', () => {
    const call = { ...RINGING, hangup_requested_reason: 'hung up by Asha' as const };
    expect(unlessRequested(call, { ...end, data: { a: 1 } })).toEqual({
      ...{ status: 'canceled', hangup_by: 'member', hangup_reason: 'hung up by Asha', level: 'warning' },
      ...{ message: 'not connected: canceled', data: { a: 1 } },
    });
  });
});

it.each([
  ['', '', true],
  ['a', '', true],
  ['', 'a', true],
  ['a', 'a', true],
  ['a', 'b', false],
])('the ids %j and %j of a carrier may be of one call: %s', (known, received, isSame) => {
  expect(isSameCall(known, received)).toBe(isSame);
});

it.each([
  [5, false],
  [6, true],
  [null, true],
])('of events up to number %j on the bus, 5 of which are written, some are unread: %s', async (stored, isUnread) => {
  const lastEventSeq = async () => stored ?? Promise.reject(new Error('no bus'));
  expect(await hasUnreadEvents({ lastEventSeq, reachableForMs: () => 60_000 }, RINGING)).toBe(isUnread);
});

it.each([
  ['nonce', 44_000, true],
  ['nonce', 45_000, false],
  [null, 0, false],
])(
  'of a call with the token %j the engine may have unpublished events %d ms after the bus came back: %s',
  async (media_nonce, ms, may) => {
    const bus = { lastEventSeq: async () => 0, reachableForMs: () => ms };
    expect(await hasUnreadEvents(bus, { ...RINGING, media_nonce })).toBe(may);
  },
);
