import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type AsteriskAccount, createAsterisk } from '../../../control/carriers/asterisk.ts';
import { type Carrier, CarrierError } from '../../../control/carriers/carrier.ts';
import type { CarrierEventHandler, TransferEventHandler } from '../../../control/carriers/event-handlers.ts';
import type { TargetStep } from '../../../control/carriers/transfers.ts';
import { type AsteriskSimulator, startAsteriskSimulator } from '../../../fixtures/simulators/asterisk.ts';
import type { Callee, CarrierCall } from '../../../fixtures/simulators/carrier-call.ts';
import { createLogger } from '../../../shared/log.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

const ACCOUNT = { ari_user: 'antiphon', ari_password: 'secret', app: 'antiphon', media_connection: 'antiphon' };
const CALLER = '+919811112222';
const OURS = '+911140000001';
const CALL_ID = 'c'.repeat(32);
const REQUEST = {
  from_number: OURS,
  to_number: CALLER,
  answer_url: `https://api.example.com/answer?call_id=${CALL_ID}`,
  status_url: `https://api.example.com/status?call_id=${CALL_ID}`,
  ring_seconds: 30,
};
const log = createLogger('test', 'fatal');

let database: TestDatabase;
let asterisk: AsteriskSimulator;
let carrier: Carrier;
let listening: { stop(): Promise<void> } | null;
let media: WebSocketServer;
let streams: { socket: WebSocket; url: string }[];
let handled: string[];
let stream: string | null;
let callee: Callee;
/** Asterisk's events are lost from the answer to an inbound call on. */
let eventsLost: boolean;
/** The handler of inbound calls fails. */
let databaseDown: boolean;
/** Calls that an engine has taken: a stream token works once. */
let taken: Set<string>;

const carrierEvents: CarrierEventHandler = {
  async inbound(_provider, { provider_call_id, from_number, to_number }) {
    handled.push(`inbound ${from_number} ${to_number}`);
    if (databaseDown) throw new Error('the database is down');
    if (taken.has(provider_call_id)) return null;
    taken.add(provider_call_id);
    if (eventsLost) asterisk.eventsLost(true);
    return stream;
  },
  async answered(_provider, callId, { provider_call_id }) {
    handled.push(`answered ${callId} ${provider_call_id}`);
    return stream;
  },
  async status(_provider, callId, { status }) {
    handled.push(`${status} ${callId}`.trim());
  },
};
let targetStep: TargetStep;
const transferEvents: TransferEventHandler = {
  async targetAnswered(_provider, transferId) {
    handled.push(`target answered ${transferId}`);
    return targetStep;
  },
  async targetBriefed(_provider, transferId) {
    handled.push(`target briefed ${transferId}`);
    return { do: 'wait in room', room: transferId };
  },
  async targetStatus(_provider, transferId, { status }) {
    handled.push(`target ${status} ${transferId}`);
  },
  callerMoved: async () => ({ do: 'hang up' }),
  async dialStatus(_provider, transferId, { event, status }) {
    handled.push(`dial ${event} ${status} ${transferId}`);
  },
};

/** A control process's own adapter. */
const anAdapter = (account: Partial<AsteriskAccount> = {}) =>
  createAsterisk(
    { ...ACCOUNT, ari_url: asterisk.url, endpoint: 'PJSIP/{number}@trunk', ...account },
    { sql: database.sql, leaseTimes: { heartbeat_ms: 50, lost_after_ms: 400 } },
  );

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  handled = [];
  streams = [];
  taken = new Set();
  eventsLost = false;
  databaseDown = false;
  stream = 'ws://media.example/carrier/asterisk/a.token-1_x';
  callee = { outcome: 'answer' };
  targetStep = { do: 'listen', text: 'Asha wants a table', language: 'en', next_url: 'https://api.example.com/x' };
  media = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/carrier/asterisk' });
  media.on('connection', (socket, request) => streams.push({ socket, url: request.url ?? '' }));
  await new Promise((resolve) => media.once('listening', resolve));
  asterisk = await startAsteriskSimulator({
    user: 'antiphon',
    password: 'secret',
    app: 'antiphon',
    callee: () => callee,
  });
  const address = `ws://127.0.0.1:${(media.address() as AddressInfo).port}/carrier/asterisk`;
  asterisk.connections.set('antiphon', address);
  carrier = anAdapter();
  listening = null;
});
afterEach(async () => {
  await listening?.stop();
  await asterisk.close();
  for (const socket of media.clients) socket.terminate();
  media.close();
  await database.sql`truncate asterisk_calls, asterisk_handovers, connection_leases`;
});

async function listen(by = carrier): Promise<void> {
  listening = by.listen!(carrierEvents, log, transferEvents);
  await until(() => asterisk.listening(), 'the connection of the events');
}
async function stopListening(): Promise<void> {
  await listening!.stop();
  await until(() => !asterisk.listening(), 'the end of the connection');
}
function comeBack(): void {
  asterisk.eventsLost(false);
  asterisk.eventsAway(true);
  asterisk.eventsAway(false);
}
const here = (what: string) => until(() => handled.includes(what), what);
const connected = (count: number) =>
  until(() => streams.length === count && asterisk.left().length > 0, `stream ${count}`);
const empty = () => until(() => asterisk.left().length === 0, 'an empty Asterisk');

async function talking(): Promise<CarrierCall> {
  await listen();
  const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
  await call.waitForPhone(60_000);
  return call;
}

describe('an inbound call', () => {
  it('and its stream takes the connection of the engine in its address', async () => {
    carrier = anAdapter({ media_connection: 'engine-{port}' });
    asterisk.connections.set('engine-7171', asterisk.connections.get('antiphon')!);
    asterisk.connections.delete('antiphon');
    stream = 'ws://media.example:7171/carrier/asterisk/a.token-1_x';
    await talking();
    expect(streams.map(({ url }) => url)).toEqual(['/carrier/asterisk?token=a.token-1_x']);
    stream = 'wss://media.example:8443/7171/carrier/asterisk/b.token-2_x';
    await asterisk.placeInbound({ from: CALLER, to: OURS, url: '' }).waitForPhone(60_000);
    expect(asterisk.violations).toEqual([]);
  });

  it('is answered and bridged with the agent; the stream has its token in the query', async () => {
    const call = await talking();
    expect(handled).toEqual([`inbound ${CALLER} ${OURS}`]);
    expect(streams.map(({ url }) => url)).toEqual(['/carrier/asterisk?token=a.token-1_x']);
    call.hangUp();
    await here('completed');
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it('is rejected as busy', async () => {
    stream = null;
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    expect(await call.waitForEnd(60_000)).toBe('busy');
    await empty();
    expect(streams).toEqual([]);
  });

  it('is hung up when the event handler fails', async () => {
    databaseDown = true;
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    await call.waitForEnd(60_000);
    await empty();
    expect(streams).toEqual([]);
  });

  it('ends when the agent closes the stream', async () => {
    const call = await talking();
    streams[0]!.socket.send('{"command":"HANGUP"}');
    expect(await call.waitForEnd(60_000)).toBe('api');
    await here('completed');
    await empty();
  });

  it('continues over another stream when the first one breaks', async () => {
    const call = await talking();
    const first = call.phone;
    streams[0]!.socket.terminate();
    await connected(2);
    await until(() => call.phone !== first, 'the next stream');
    expect(call.state).toBe('in-progress');
    expect(streams[1]!.url).toBe(streams[0]!.url);
    expect(handled).toHaveLength(1);
    await carrier.hangUp({ provider_call_id: call.id, provider_request_id: '' });
    await empty();
    expect(await carrier.hangUp({ provider_call_id: call.id, provider_request_id: '' })).toBe('gone');
  });

  it.each([
    ['no stream comes about', () => asterisk.connections.set('antiphon', 'ws://127.0.0.1:9/carrier/asterisk')],
    ['Asterisk has no such connection', () => asterisk.connections.clear()],
  ])('and is hung up when %s', async (_what, spoil) => {
    spoil();
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    expect(await call.waitForEnd(60_000)).toBe('api');
    await empty();
  });
});

describe('a placed call', () => {
  const placed = { accepted: true, provider_call_id: `call-${CALL_ID}`, provider_request_id: '' };

  it('is connected when it is answered', async () => {
    await listen();
    expect(await carrier.dial(REQUEST)).toEqual(placed);
    const call = await asterisk.nextCall(60_000);
    expect({ from: call.from, to: call.to }).toEqual({ from: OURS, to: CALLER });
    await call.waitForPhone(60_000);
    expect(handled).toEqual([`ringing ${CALL_ID}`, `answered ${CALL_ID} call-${CALL_ID}`]);
    call.hangUp();
    await here(`completed ${CALL_ID}`);
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it.each([
    ['busy', 'busy'],
    ['fail', 'failed'],
    ['no-answer', 'no-answer'],
  ] as const)('and is %s', async (outcome, status) => {
    callee = { outcome, afterMs: 30 };
    await listen();
    await carrier.dial(REQUEST);
    await here(`${status} ${CALL_ID}`);
    await empty();
  });

  it('is hung up while it rings', async () => {
    callee = { outcome: 'answer', afterMs: 20_000 };
    await listen();
    await carrier.dial(REQUEST);
    await here(`ringing ${CALL_ID}`);
    expect(await carrier.hangUp({ provider_call_id: `call-${CALL_ID}`, provider_request_id: '' })).toBe('done');
    await empty();
  });

  it('is hung up when it is answered but no longer wanted', async () => {
    stream = null;
    await listen();
    await carrier.dial(REQUEST);
    const call = await asterisk.nextCall(60_000);
    expect(await call.waitForEnd(60_000)).toBe('api');
    await empty();
  });

  it('is refused with a reason', async () => {
    asterisk.failNext({ status: 500, body: { message: 'Allocation failed' } });
    expect(await carrier.dial(REQUEST)).toEqual({ accepted: false, reason: 'Allocation failed' });
    const wrongPassword = anAdapter({ ari_password: 'x', endpoint: 'PJSIP/1@t' });
    expect(await wrongPassword.dial(REQUEST)).toEqual({ accepted: false, reason: 'Authentication required' });
    await expect(wrongPassword.hangUp({ provider_call_id: 'x', provider_request_id: '' })).rejects.toThrow(
      CarrierError,
    );
  });
});

describe('after a lost event connection', () => {
  it('a call that came in meanwhile is answered', async () => {
    await listen();
    asterisk.eventsLost(true);
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    await until(() => call.state === 'ringing', 'the call');
    comeBack();
    await call.waitForPhone(60_000);
    expect(handled).toEqual([`inbound ${CALLER} ${OURS}`]);
    call.hangUp();
    await empty();
  });

  it('a stream that was connected meanwhile joins its bridge', async () => {
    eventsLost = true;
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    await until(() => streams.length === 1, 'the stream');
    comeBack();
    await call.waitForPhone(60_000);
    call.hangUp();
    await empty();
  });

  it('a call that ended meanwhile is reported', async () => {
    const call = await talking();
    asterisk.eventsAway(true);
    call.hangUp();
    asterisk.eventsAway(false);
    await here('completed');
    await empty();
  });

  it('another control process takes over the calls', async () => {
    const call = await talking();
    await stopListening();
    const gone = asterisk.placeInbound({ from: '+919811113333', to: OURS, url: '' });
    // Without a listener the dialplan goes on, and ends.
    expect(await gone.waitForEnd(60_000)).toBe('fail');
    const next = anAdapter();
    await listen(next);
    call.hangUp();
    await until(() => handled.filter((state) => state === 'completed').length === 1, 'the end of the call');
    await empty();
  });

  it('orphaned media channels and bridges are removed', async () => {
    const call = await talking();
    await stopListening();
    call.hangUp();
    expect(asterisk.left()).toHaveLength(2);
    await listen(anAdapter());
    await empty();
  });
});

describe('transfers', () => {
  const target = { from_number: OURS, to_number: '+919800000099', ring_seconds: 20 };
  const urls = (id: string) => ({
    answer_url: `https://api.example.com/t/answer?transfer_id=${id}`,
    status_url: `https://api.example.com/t/status?transfer_id=${id}`,
    caller_url: `https://api.example.com/t/caller?transfer_id=${id}`,
    dial_url: `https://api.example.com/t/dial?transfer_id=${id}`,
    dialled_url: `https://api.example.com/t/dialled?transfer_id=${id}`,
  });
  const ref = ({ id }: { id: string }) => ({ provider_call_id: id, provider_request_id: '' });
  const transfers = () => carrier.transfers!;

  it('cold: the agent leaves, the target is dialled, both talk, and end together', async () => {
    const call = await talking();
    const phone = call.phone!;
    expect(await transfers().connect(ref(call), { ...target, ...urls('t1') })).toBe('done');
    const second = await asterisk.nextCall(60_000);
    expect(await phone.waitForEnd(60_000).catch(() => phone.ended)).toBe('carrier');
    await here('dial answered null t1');
    expect([...call.peers]).toEqual([second]);
    second.hangUp();
    expect(await call.waitForEnd(60_000)).toBe('api');
    await here('dial over answered t1');
    await here('completed');
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it('cold: a busy target ends the call', async () => {
    const call = await talking();
    callee = { outcome: 'busy', afterMs: 30 };
    await transfers().connect(ref(call), { ...target, ...urls('t1') });
    await here('dial over busy t1');
    expect(await call.waitForEnd(60_000)).toBe('api');
    await empty();
  });

  it('cold: a target who left while the connection was lost ends the call when it is back', async () => {
    const call = await talking();
    await transfers().connect(ref(call), { ...target, ...urls('t1') });
    await here('dial answered null t1');
    asterisk.eventsAway(true);
    (await asterisk.nextCall(60_000)).hangUp();
    asterisk.eventsAway(false);
    expect(await call.waitForEnd(60_000)).toBe('api');
    await here('dial over answered t1');
    await empty();
  });

  it('cold: a refused dial leaves the caller with the agent', async () => {
    const call = await talking();
    const refused = transfers().connect(ref(call), { ...target, ...urls('t1'), to_number: 'x' });
    await expect(refused).rejects.toThrow(CarrierError);
    expect([call.state, call.phone!.ended]).toEqual(['in-progress', null]);
    call.hangUp();
    await empty();
  });

  it('cold: a caller who leaves while it rings stops the ringing', async () => {
    const call = await talking();
    callee = { outcome: 'answer', afterMs: 20_000 };
    await transfers().connect(ref(call), { ...target, ...urls('t1') });
    call.hangUp();
    expect(await (await asterisk.nextCall(60_000)).waitForEnd(60_000)).toBe('canceled');
    await empty();
  });

  it('warm: the target waits in a conference room, and the caller joins', async () => {
    const call = await talking();
    const dialled = await transfers().dialTarget({ ...target, ...urls('t1') });
    expect(dialled).toMatchObject({ accepted: true, provider_call_id: 'target-t1' });
    await here('target briefed t1');
    expect(call.phone!.ended).toBeNull();
    expect(await transfers().join(ref(call), ref({ id: 'target-t1' }), { room: 't1', caller_url: '' })).toBe('done');
    const second = await asterisk.nextCall(60_000);
    expect([...call.peers]).toEqual([second]);
    call.hangUp();
    expect(await second.waitForEnd(60_000)).toBe('api');
    await here('target completed t1');
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it('warm: a target who does not answer, and one who is no longer wanted', async () => {
    const call = await talking();
    callee = { outcome: 'no-answer', afterMs: 30 };
    await transfers().dialTarget({ ...target, ...urls('t1') });
    await here('target no-answer t1');
    callee = { outcome: 'answer' };
    targetStep = { do: 'hang up' };
    await transfers().dialTarget({ ...target, ...urls('t2') });
    await here('target completed t2');
    expect(call.state).toBe('in-progress');
    call.hangUp();
    await empty();
  });

  it('a caller who has left gives "gone"', async () => {
    const call = await talking();
    call.hangUp();
    await empty();
    expect(await transfers().connect(ref(call), { ...target, ...urls('t1') })).toBe('gone');
    expect(await transfers().join(ref(call), ref({ id: 'target-t1' }), { room: 't1', caller_url: '' })).toBe('gone');
  });
});
