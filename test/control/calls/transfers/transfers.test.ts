import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallRow } from '../../../../control/calls/call-row.ts';
import { ingest } from '../../../../control/calls/events/ingest.ts';
import { startTransfer } from '../../../../control/calls/transfers/start-transfer.ts';
import {
  createTransferController,
  type TransferController,
} from '../../../../control/calls/transfers/transfer-controller.ts';
import { reconcileTransfers } from '../../../../control/calls/transfers/transfer-reconciler.ts';
import { markCallerEnded, type TransferRow } from '../../../../control/calls/transfers/transfer-row.ts';
import { CarrierError } from '../../../../control/carriers/carrier.ts';
import { carrierUrls } from '../../../../control/carriers/carrier-urls.ts';
import type { DialOutcome, FoundDials } from '../../../../control/carriers/dial.ts';
import type { CarrierTransfers } from '../../../../control/carriers/transfers.ts';
import type { CallEnding, CallEvent, TransferOutcome } from '../../../../shared/bus/messages.ts';
import { newId } from '../../../../shared/ids.ts';
import {
  type CallFixture,
  carrierCallback,
  createCallFixture,
  createTestCarrier,
  delivered,
  log,
  mediaEvent,
  type Tenant,
} from '../call-fixture.ts';

const NUMBER = '+919800011111';
const addresses = carrierUrls('https://api.example.com', 'wss://media.example.com');

let fixture: CallFixture;
let tenant: Tenant;
/** The carrier's behaviour and the requests it got. */
let asked: string[] = [];
let dialled: () => Promise<DialOutcome>;
let moves: () => Promise<'done' | 'gone'>;
/** The outcomes that the engine got, and its replies. */
let outcomes: TransferOutcome[] = [];
let engine: () => boolean;
let working: Promise<void>[] = [];

const transfers: CarrierTransfers = {
  async connect() {
    asked.push('connect');
    return moves();
  },
  async dialTarget(request) {
    asked.push(`dial ${request.to_number} from ${request.from_number}`);
    return dialled();
  },
  async join() {
    asked.push('join');
    return moves();
  },
  parseDialCallback: () => null,
  documents: null,
};

beforeAll(async () => {
  fixture = await createCallFixture();
  tenant = await fixture.tenant(100);
});
beforeEach(() => {
  dialled = async () => ({ accepted: true, provider_call_id: `CA-target-${newId()}`, provider_request_id: '' });
  moves = async () => 'done';
  engine = () => true;
});
afterEach(() => {
  asked = [];
  outcomes = [];
  working = [];
});

const line = createTestCarrier();
/** The carrier's list of calls. */
let listed: FoundDials | null = null;
const findDial = async () => listed ?? Promise.reject(new CarrierError('no list', 500));
const carriers = new Map([['twilio', { ...line.carrier, transfers, findDial }] as const]);

function steps(): TransferController {
  return createTransferController({
    sql: fixture.sql,
    clock: fixture.clock,
    log,
    carriers,
    addresses,
    bus: {
      async sendTransferOutcome(outcome) {
        outcomes.push(outcome);
        return { done: engine(), detail: '' };
      },
    },
    track: (work) => void working.push(work),
  });
}

const hangUpTarget = (transfer: TransferRow) => steps().hangUpTarget(transfer);

async function inConversation(): Promise<CallRow> {
  const call = await fixture.opened(tenant);
  await deliver(call.id, mediaEvent(call.id, 1, 'call.started'));
  return fixture.read(call.id);
}

const deliver = (_callId: string, ...events: CallEvent[]) =>
  ingest(
    { sql: fixture.sql, clock: fixture.clock, log },
    events.map((event) => delivered(event)),
  );

const ended = (callId: string, seq: number, hangup_reason: CallEnding['hangup_reason']) =>
  deliver(
    callId,
    mediaEvent(callId, seq, 'call.ended', {
      ending: { hangup_by: 'agent', hangup_reason, duration_seconds: 5, recorded: false },
    }),
  );

async function start(call: CallRow, warm: boolean, transfer_id = newId()) {
  const request = { call_id: call.id, transfer_id, name: 'Sales', number: NUMBER, reason: 'a bill', warm };
  const reply = await startTransfer(
    { sql: fixture.sql, clock: fixture.clock, log, carriers, addresses, hangUpTarget },
    { ...request, summary: warm ? 'A caller.' : '', language: 'en' },
  );
  return { reply, id: transfer_id };
}

const outcomesOf = (id: string) => outcomes.filter(({ transfer_id }) => transfer_id === id);

async function row(id: string): Promise<TransferRow> {
  const [found] = await fixture.sql<TransferRow[]>`select * from transfers where id = ${id}`;
  return found!;
}

const round = () => reconcileTransfers({ sql: fixture.sql, clock: fixture.clock, log, transfers: steps() });
const later = async (ms: number) => {
  fixture.clock.shift(ms);
  await round();
};
const statusEvents = async (call: CallRow) =>
  (await fixture.timeline(call)).filter(({ type }) => type === 'call.transfer_status');

/** A callback for the target's leg. */
const ofTarget = async (id: string, status: Parameters<typeof carrierCallback>[0]['status'] = null) =>
  carrierCallback({ provider_call_id: (await row(id)).target_call_id, status: status ?? null });

it("rings the target from the service's number, plays the summary, and joins the caller", async () => {
  const call = await inConversation();
  const { reply, id } = await start(call, true);
  expect(reply).toEqual({ accepted: true, message: '' });
  expect(asked).toEqual([`dial ${NUMBER} from ${call.from_number}`]);
  expect((await fixture.read(call.id)).transfer).toMatchObject({ name: 'Sales', number: NUMBER, status: 'ringing' });

  const listen = await steps().targetAnswered('twilio', id, await ofTarget(id));
  expect(listen).toMatchObject({ do: 'listen', text: 'A caller.', language: 'en' });
  expect(outcomesOf(id)).toEqual([]);
  const step = await steps().targetBriefed('twilio', id, await ofTarget(id));
  expect(step).toEqual({ do: 'wait in room', room: id });
  await Promise.all(working);
  expect(outcomesOf(id)).toMatchObject([{ call_id: call.id, status: 'answered' }]);
  expect(asked.at(-1)).toBe('join');
  expect(await steps().callerMoved('twilio', id)).toEqual({ do: 'enter room', room: id });
  expect(await row(id)).toMatchObject({ state: 'talking', status: 'answered', reported: false });

  await ended(call.id, 2, 'transferred');
  await round();
  expect(await statusEvents(call)).toMatchObject([
    { level: 'info', data: { status: 'answered', name: 'Sales', number: NUMBER } },
  ]);
  await round();
  expect(await statusEvents(call)).toHaveLength(1);
  expect((await fixture.read(call.id)).transfer?.status).toBe('answered');

  await steps().targetStatus('twilio', id, await ofTarget(id, 'completed'));
  await markCallerEnded(fixture.sql, 'twilio', '', call.provider_call_id, fixture.clock.wall());
  expect(await row(id)).toMatchObject({ state: 'over', status: 'answered' });
  expect((await row(id)).caller_ended_at).not.toBeNull();
});

it.each([
  ['no-answer', 'no-answer'],
  ['busy', 'busy'],
  ['failed', 'failed'],
  ['canceled', 'canceled'],
] as const)('returns the caller to the agent when the target is %s', async (word, status) => {
  const call = await inConversation();
  const { id } = await start(call, true);
  await steps().targetStatus('twilio', id, await ofTarget(id, word));
  expect(outcomesOf(id)).toMatchObject([{ status, dial_status: word }]);
  // The engine reports it with its own events.
  expect(await statusEvents(call)).toEqual([]);
  const data_json = JSON.stringify({ status, name: 'Sales', number: NUMBER, dial_status: word });
  await deliver(call.id, mediaEvent(call.id, 2, 'call.transfer_status', { level: 'warning', data_json }));
  await ended(call.id, 3, 'caller hung up');
  await round();
  expect(await statusEvents(call)).toHaveLength(1);
  expect((await fixture.read(call.id)).transfer?.status).toBe(status);
});

it('sends the outcome again when the engine did not report it', async () => {
  const call = await inConversation();
  const { id } = await start(call, true);
  await steps().targetStatus('twilio', id, await ofTarget(id, 'busy'));
  await round();
  expect(outcomesOf(id)).toHaveLength(1);
  fixture.clock.shift(6_000);
  await round();
  expect(outcomesOf(id)).toMatchObject([{ status: 'busy' }, { status: 'busy' }]);
});

it('hangs up the target when the caller leaves while it rings', async () => {
  const call = await inConversation();
  const { id } = await start(call, true);
  const targetLeg = (await row(id)).target_call_id;
  await ended(call.id, 2, 'caller hung up');
  await round();
  expect(line.hungUp).toContain(targetLeg);
  expect(outcomesOf(id)).toEqual([]);
  expect(await statusEvents(call)).toMatchObject([{ level: 'warning', data: { status: 'canceled', dial_status: '' } }]);
  expect(await steps().targetAnswered('twilio', id, await ofTarget(id))).toEqual({ do: 'hang up' });
});

it('hangs up the target when the caller left during the dial request', async () => {
  const call = await inConversation();
  const usual = dialled;
  dialled = async () => {
    await ended(call.id, 2, 'caller hung up');
    await round();
    return usual();
  };
  const { reply, id } = await start(call, true);
  expect(reply.accepted).toBe(false);
  expect(line.hungUp).toContain((await row(id)).target_call_id);
});

it('fails when the target hangs up during the summary', async () => {
  const call = await inConversation();
  const { id } = await start(call, true);
  await steps().targetAnswered('twilio', id, await ofTarget(id));
  await steps().targetStatus('twilio', id, await ofTarget(id, 'completed'));
  expect(outcomesOf(id)).toMatchObject([{ status: 'failed', dial_status: 'completed' }]);
  expect(await steps().targetBriefed('twilio', id, await ofTarget(id))).toEqual({ do: 'hang up' });
  expect((await fixture.read(call.id)).status).toBe('in-progress');
});

it.each([
  ['the engine does not let go', 'failed'],
  ['the carrier would not', 'failed'],
  ['the caller has just left', 'canceled'],
] as const)('undoes it when %s', async (why, status) => {
  const call = await inConversation();
  const { id } = await start(call, true);
  if (why === 'the engine does not let go') engine = () => outcomes.at(-1)?.status !== 'answered';
  if (why === 'the carrier would not') moves = async () => Promise.reject(new CarrierError('no', 500));
  if (why === 'the caller has just left') moves = async () => 'gone';
  await steps().targetAnswered('twilio', id, await ofTarget(id));
  await steps().targetBriefed('twilio', id, await ofTarget(id));
  await Promise.all(working);
  expect(await row(id)).toMatchObject({ state: 'over', status });
  expect(line.hungUp).toContain((await row(id)).target_call_id);
  expect(outcomesOf(id).map((outcome) => outcome.status)).toEqual(['answered', status]);
});

it('survives a restart in every state', async () => {
  for (const [state, status] of [
    ['starting', 'failed'],
    ['ringing', 'no-answer'],
    ['briefing', 'failed'],
    ['joining', 'failed'],
  ] as const) {
    const call = await inConversation();
    const { id } = await start(call, true);
    await fixture.sql`update transfers set state = ${state} where id = ${id}`;
    await round();
    expect((await row(id)).status).toBeNull();
    fixture.clock.shift(80_000);
    await round();
    expect(await row(id), state).toMatchObject({ state: 'over', status });
    expect(line.hungUp).toContain((await row(id)).target_call_id);
    expect(outcomesOf(id)).toMatchObject([{ status }]);
  }
});

it('refuses invalid transfers with a message', async () => {
  const call = await inConversation();
  dialled = async () => ({ accepted: false, reason: 'Invalid number' });
  const refused = await start(call, true);
  expect(refused.reply).toEqual({ accepted: false, message: 'the carrier refused: Invalid number' });
  expect((await fixture.read(call.id)).transfer).toBeNull();
  dialled = async () => ({ accepted: true, provider_call_id: 'CA-p', provider_request_id: '' });
  const first = await start(call, true);
  expect((await start(call, true)).reply.message).toBe('a transfer is under way already');
  expect((await start(call, true, first.id)).reply).toEqual({ accepted: true, message: '' });
  await ended(call.id, 2, 'caller hung up');
  expect((await start(call, true)).reply.message).toBe('the call is over');
  await round();
  const other = await inConversation();
  const bare = new Map([['twilio', line.carrier] as const]);
  const { transfers: _, ...without } = line.carrier;
  bare.set('twilio', without);
  const reply = await startTransfer(
    { sql: fixture.sql, clock: fixture.clock, log, carriers: bare, addresses, hangUpTarget },
    {
      call_id: other.id,
      transfer_id: newId(),
      name: 'S',
      number: NUMBER,
      reason: '',
      warm: true,
      summary: '',
      language: 'en',
    },
  );
  expect(reply).toEqual({ accepted: false, message: 'transfers are not possible on this line' });
  const garbage = {
    call_id: 'x',
    transfer_id: 'y',
    name: '\0',
    number: '12',
    reason: '',
    warm: true,
    summary: '',
    language: '',
  };
  expect(
    (await startTransfer({ sql: fixture.sql, clock: fixture.clock, log, carriers, addresses, hangUpTarget }, garbage))
      .accepted,
  ).toBe(false);
});

describe('a target whose dial is not answered', () => {
  beforeEach(() => {
    dialled = async () => ({ accepted: 'unknown', reason: 'the carrier did not answer' });
  });

  it('is briefed when it takes the call', async () => {
    const call = await inConversation();
    const { reply, id } = await start(call, true);
    expect(reply).toEqual({ accepted: true, message: '' });
    const answered = carrierCallback({ provider_call_id: 'CA-late' });
    expect(await steps().targetAnswered('twilio', id, answered)).toMatchObject({ do: 'listen', text: 'A caller.' });
    expect(await row(id)).toMatchObject({ state: 'briefing', target_call_id: 'CA-late' });
  });

  it("returns the caller by the carrier's callback", async () => {
    const call = await inConversation();
    const { id } = await start(call, true);
    await steps().targetStatus('twilio', id, carrierCallback({ provider_call_id: 'CA-busy', status: 'busy' }));
    expect(outcomesOf(id)).toMatchObject([{ status: 'busy' }]);
  });

  it("is found in the carrier's list, and hung up when the caller leaves, found before or not", async () => {
    const dial = {
      provider_call_id: `CA-${newId()}`,
      provider_request_id: '',
      status: null,
      carrier_status: 'ringing',
    };
    const call = await inConversation();
    const ofCall = { ...dial, provider_call_id: call.provider_call_id };
    listed = { dials: [ofCall, dial], exact: false, complete: true };
    const found = await start(call, true);
    await later(4_000);
    expect((await row(found.id)).target_call_id).toBe(dial.provider_call_id);
    await ended(call.id, 2, 'caller hung up');
    await round();
    expect(line.hungUp.filter((id) => id === dial.provider_call_id)).toHaveLength(1);

    const other = await inConversation();
    const another = { ...dial, provider_call_id: `CA-${newId()}` };
    listed = { dials: [another], exact: false, complete: true };
    await start(other, true);
    await ended(other.id, 2, 'caller hung up');
    await round();
    expect(line.hungUp).toContain(another.provider_call_id);
  });

  it('is given up when the list does not have it, and only then', async () => {
    const call = await inConversation();
    listed = { dials: [], exact: false, complete: false };
    const { id } = await start(call, true);
    await later(13_000);
    expect((await row(id)).status).toBeNull();
    listed = { dials: [], exact: false, complete: true };
    await round();
    expect(outcomesOf(id)).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a cold transfer that the carrier does not answer', () => {
  const unanswered = async () => Promise.reject(new CarrierError('HTTP 502', 502));

  it('leaves the caller with the agent, and goes on when the carrier moves the caller after all', async () => {
    moves = unanswered;
    const { reply, id } = await start(await inConversation(), false);
    expect(reply).toEqual({ accepted: false, message: 'the carrier did not answer' });
    expect(await steps().callerMoved('twilio', id)).toMatchObject({ do: 'dial', to_number: NUMBER });
  });

  it('is accepted when the carrier moved the caller before', async () => {
    const call = await inConversation();
    const id = newId();
    moves = async () => {
      await steps().callerMoved('twilio', id);
      return unanswered();
    };
    expect((await start(call, false, id)).reply).toEqual({ accepted: true, message: '' });
  });

  it('is given up after half a minute, and at once when the carrier refuses', async () => {
    moves = unanswered;
    const { id } = await start(await inConversation(), false);
    await later(31_000);
    expect((await row(id)).status).toBe('failed');
    moves = async () => Promise.reject(new CarrierError('not allowed', 400));
    const refused = await start(await inConversation(), false);
    expect((await row(refused.id)).status).toBe('failed');
    for (const each of [id, refused.id]) {
      expect(await steps().callerMoved('twilio', each)).toEqual({ do: 'hang up' });
    }
  });
});

it('transfers cold, and writes the outcome reported by the carrier', async () => {
  const call = await inConversation();
  const { reply, id } = await start(call, false);
  expect(reply.accepted).toBe(true);
  expect(asked).toEqual(['connect']);
  const dial = await steps().callerMoved('twilio', id);
  expect(dial).toMatchObject({ do: 'dial', from_number: call.from_number, to_number: NUMBER });
  await steps().dialStatus('twilio', id, { event: 'answered', status: null, dial_status: 'in-progress' });
  expect(await statusEvents(call)).toEqual([]);
  await ended(call.id, 2, 'transferred');
  await round();
  expect(await statusEvents(call)).toMatchObject([{ level: 'info', data: { status: 'answered' } }]);
  await steps().dialStatus('twilio', id, { event: 'over', status: 'answered', dial_status: 'completed' });
  expect(await row(id)).toMatchObject({ state: 'over', status: 'answered' });
  expect(outcomesOf(id)).toEqual([]);
});

it('writes the outcome of a cold transfer once when the carrier reports it twice', async () => {
  const call = await inConversation();
  const { id } = await start(call, false);
  await ended(call.id, 2, 'transferred');
  for (const status of ['no-answer', 'no-answer', 'answered'] as const) {
    await steps().dialStatus('twilio', id, { event: 'over', status, dial_status: 'no-answer' });
  }
  expect(await statusEvents(call)).toMatchObject([
    { level: 'warning', data: { status: 'no-answer', dial_status: 'no-answer' } },
  ]);
  expect(await steps().callerMoved('twilio', id)).toEqual({ do: 'hang up' });
});

it('refuses a cold transfer whose caller has hung up', async () => {
  const call = await inConversation();
  moves = async () => 'gone';
  expect((await start(call, false)).reply).toEqual({ accepted: false, message: 'the caller has hung up' });
  moves = async () => Promise.reject(new CarrierError('no', 400));
  expect((await start(call, false)).reply).toEqual({ accepted: false, message: 'the carrier would not do it' });
  expect(await statusEvents(call)).toEqual([]);
});

it('ignores events of other carriers, other legs and unknown ids', async () => {
  const call = await inConversation();
  const { id } = await start(call, true);
  const stranger = carrierCallback({ provider_call_id: 'CA-stranger', status: 'completed' });
  expect(await steps().targetAnswered('twilio', id, stranger)).toEqual({ do: 'hang up' });
  expect(await steps().targetAnswered('plivo', id, await ofTarget(id))).toEqual({ do: 'hang up' });
  expect(await steps().targetBriefed('twilio', id, await ofTarget(id))).toEqual({ do: 'hang up' });
  expect(await steps().callerMoved('twilio', id)).toEqual({ do: 'hang up' });
  for (const unknown of ['', 'x', newId()]) {
    expect(await steps().targetAnswered('twilio', unknown, null)).toEqual({ do: 'hang up' });
    expect(await steps().callerMoved('twilio', unknown)).toEqual({ do: 'hang up' });
    await steps().targetStatus('twilio', unknown, stranger);
    await steps().dialStatus('twilio', unknown, { event: 'answered', status: null, dial_status: '' });
  }
  await steps().targetStatus('twilio', id, stranger);
  expect(await row(id)).toMatchObject({ state: 'ringing', status: null });
});
