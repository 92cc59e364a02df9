import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAsterisk } from '../../../control/carriers/asterisk.ts';
import { type Carrier, CarrierError } from '../../../control/carriers/carrier.ts';
import type { CarrierEventHandler } from '../../../control/carriers/carrier-event-handler.ts';
import type { TransferEventHandler } from '../../../control/carriers/transfer-event-handler.ts';
import type { TargetStep } from '../../../control/carriers/transfers.ts';
import { type AsteriskSimulator, startAsteriskSimulator } from '../../../fixtures/simulators/asterisk.ts';
import type { Callee, CarrierCall } from '../../../fixtures/simulators/carrier-call.ts';
import { createLogger } from '../../../shared/log.ts';
import { until } from '../../support/until.ts';

const ACCOUNT = { ari_user: 'antiphon', ari_password: 'secret', app: 'antiphon', media_connection: 'antiphon' };
const CALLER = '+919811112222';
const OURS = '+911140000001';
const CALL_ID = 'c'.repeat(32);
const ORDER = {
  from_number: OURS,
  to_number: CALLER,
  answer_url: `https://api.example.com/answer?call_id=${CALL_ID}`,
  status_url: `https://api.example.com/status?call_id=${CALL_ID}`,
  ring_seconds: 30,
};
const log = createLogger('test', 'fatal');

let asterisk: AsteriskSimulator;
let carrier: Carrier;
let listening: { stop(): Promise<void> } | null;
let media: WebSocketServer;
let streams: { socket: WebSocket; url: string }[];
let told: string[];
let stream: string | null;
let callee: Callee;
/** From the answer to an incoming call on, Asterisk's news goes astray. */
let goesAstray: boolean;
/** Nobody can say whose number was called. */
let databaseIsAway: boolean;
/** Calls that an engine took: the pass works once. */
let taken: Set<string>;

const news: CarrierEventHandler = {
  async inbound(_provider, { provider_call_id, from_number, to_number }) {
    told.push(`inbound ${from_number} ${to_number}`);
    if (databaseIsAway) throw new Error('the database is away');
    if (taken.has(provider_call_id)) return null;
    taken.add(provider_call_id);
    if (goesAstray) asterisk.eventsLost(true);
    return stream;
  },
  async answered(_provider, callId, { provider_call_id }) {
    told.push(`answered ${callId} ${provider_call_id}`);
    return stream;
  },
  async status(_provider, callId, { status }) {
    told.push(`${status} ${callId}`.trim());
  },
};
let personStep: TargetStep;
const transferNews: TransferEventHandler = {
  async targetAnswered(_provider, transferId) {
    told.push(`person answered ${transferId}`);
    return personStep;
  },
  async targetBriefed(_provider, transferId) {
    told.push(`person briefed ${transferId}`);
    return { do: 'wait in room', room: transferId };
  },
  async targetStatus(_provider, transferId, { status }) {
    told.push(`person ${status} ${transferId}`);
  },
  callerMoved: async () => ({ do: 'hang up' }),
  async dialStatus(_provider, transferId, { event, status }) {
    told.push(`dial ${event} ${status} ${transferId}`);
  },
};

beforeEach(async () => {
  told = [];
  streams = [];
  taken = new Set();
  goesAstray = false;
  databaseIsAway = false;
  stream = 'ws://media.example/carrier/asterisk/a.pass-1_x';
  callee = { outcome: 'answer' };
  personStep = { do: 'listen', text: 'Asha wants a table', language: 'en', next_url: 'https://api.example.com/x' };
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
  carrier = createAsterisk({ ...ACCOUNT, ari_url: asterisk.url, endpoint: 'PJSIP/{number}@trunk' });
  listening = null;
});
afterEach(async () => {
  await listening?.stop();
  await asterisk.close();
  for (const socket of media.clients) socket.terminate();
  media.close();
});

async function listen(by = carrier): Promise<void> {
  listening = by.listen!(news, log, transferNews);
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
const here = (what: string) => until(() => told.includes(what), what);
const connected = (count: number) =>
  until(() => streams.length === count && asterisk.left().length > 0, `stream ${count}`);
const empty = () => until(() => asterisk.left().length === 0, 'an empty Asterisk');

async function talking(): Promise<CarrierCall> {
  await listen();
  const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
  await call.waitForPhone(10_000);
  return call;
}

describe('a call comes in', () => {
  it('and is answered, with the agent in its bridge; the stream has its pass in the query', async () => {
    const call = await talking();
    expect(told).toEqual([`inbound ${CALLER} ${OURS}`]);
    expect(streams.map(({ url }) => url)).toEqual(['/carrier/asterisk?pass=a.pass-1_x']);
    call.hangUp();
    await here('completed');
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it('and is refused as busy', async () => {
    stream = null;
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    expect(await call.waitForEnd(10_000)).toBe('busy');
    await empty();
    expect(streams).toEqual([]);
  });

  it('and is hung up, not left in silence, when nobody can say whose it is', async () => {
    databaseIsAway = true;
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    await call.waitForEnd(10_000);
    await empty();
    expect(streams).toEqual([]);
  });

  it('and ends when the agent hangs up on the stream', async () => {
    const call = await talking();
    streams[0]!.socket.send('{"command":"HANGUP"}');
    expect(await call.waitForEnd(10_000)).toBe('api');
    await here('completed');
    await empty();
  });

  it('and goes on over another stream when the first one breaks', async () => {
    const call = await talking();
    const first = call.phone;
    streams[0]!.socket.terminate();
    await connected(2);
    await until(() => call.phone !== first, 'the next stream');
    expect(call.state).toBe('in-progress');
    expect(streams[1]!.url).toBe(streams[0]!.url);
    expect(told).toHaveLength(1);
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
    expect(await call.waitForEnd(20_000)).toBe('api');
    await empty();
  });
});

describe('a call is placed', () => {
  const placed = { accepted: true, provider_call_id: `call-${CALL_ID}`, provider_request_id: '' };

  it('and connected when it is answered', async () => {
    await listen();
    expect(await carrier.dial(ORDER)).toEqual(placed);
    const call = await asterisk.nextCall(5_000);
    expect({ from: call.from, to: call.to }).toEqual({ from: OURS, to: CALLER });
    await call.waitForPhone(10_000);
    expect(told).toEqual([`ringing ${CALL_ID}`, `answered ${CALL_ID} call-${CALL_ID}`]);
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
    await carrier.dial(ORDER);
    await here(`${status} ${CALL_ID}`);
    await empty();
  });

  it('and withdrawn while it rings', async () => {
    callee = { outcome: 'answer', afterMs: 20_000 };
    await listen();
    await carrier.dial(ORDER);
    await here(`ringing ${CALL_ID}`);
    expect(await carrier.hangUp({ provider_call_id: `call-${CALL_ID}`, provider_request_id: '' })).toBe('done');
    await empty();
  });

  it('and not wanted any more when it is answered', async () => {
    stream = null;
    await listen();
    await carrier.dial(ORDER);
    const call = await asterisk.nextCall(5_000);
    expect(await call.waitForEnd(10_000)).toBe('api');
    await empty();
  });

  it('and refused in words', async () => {
    asterisk.failNext({ status: 500, body: { message: 'Allocation failed' } });
    expect(await carrier.dial(ORDER)).toEqual({ accepted: false, words: 'Allocation failed' });
    const stranger = createAsterisk({ ...ACCOUNT, ari_password: 'x', ari_url: asterisk.url, endpoint: 'PJSIP/1@t' });
    expect(await stranger.dial(ORDER)).toEqual({ accepted: false, words: 'Authentication required' });
    await expect(stranger.hangUp({ provider_call_id: 'x', provider_request_id: '' })).rejects.toThrow(CarrierError);
  });
});

describe('the connection breaks', () => {
  it('and a call that came in meanwhile is taken when it is back', async () => {
    await listen();
    asterisk.eventsLost(true);
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    await until(() => call.state === 'ringing', 'the call');
    comeBack();
    await call.waitForPhone(10_000);
    expect(told).toEqual([`inbound ${CALLER} ${OURS}`]);
    call.hangUp();
    await empty();
  });

  it('and a stream that was connected meanwhile is put in its bridge when it is back', async () => {
    goesAstray = true;
    await listen();
    const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
    await until(() => streams.length === 1, 'the stream');
    comeBack();
    await call.waitForPhone(10_000);
    call.hangUp();
    await empty();
  });

  it('and a call that ended meanwhile is told when it is back', async () => {
    const call = await talking();
    asterisk.eventsAway(true);
    call.hangUp();
    asterisk.eventsAway(false);
    await here('completed');
    await empty();
  });

  it('and another control process takes over what the first one left', async () => {
    const call = await talking();
    await stopListening();
    const gone = asterisk.placeInbound({ from: '+919811113333', to: OURS, url: '' });
    // Nobody listens: the dialplan goes on, and ends.
    expect(await gone.waitForEnd(5_000)).toBe('fail');
    const next = createAsterisk({ ...ACCOUNT, ari_url: asterisk.url, endpoint: 'PJSIP/{number}@trunk' });
    await listen(next);
    call.hangUp();
    await until(() => told.filter((one) => one === 'completed').length === 1, 'the end of the call');
    await empty();
  });

  it('and media channels and bridges nobody needs are taken away', async () => {
    const call = await talking();
    await stopListening();
    call.hangUp();
    expect(asterisk.left()).toHaveLength(2);
    await listen(createAsterisk({ ...ACCOUNT, ari_url: asterisk.url, endpoint: 'PJSIP/{number}@trunk' }));
    await empty();
  });
});

describe('transfers', () => {
  const person = { from_number: OURS, to_number: '+919800000099', ring_seconds: 20 };
  const urls = (id: string) => ({
    answer_url: `https://api.example.com/t/answer?transfer_id=${id}`,
    status_url: `https://api.example.com/t/status?transfer_id=${id}`,
    caller_url: `https://api.example.com/t/caller?transfer_id=${id}`,
    dial_url: `https://api.example.com/t/dial?transfer_id=${id}`,
    dialled_url: `https://api.example.com/t/dialled?transfer_id=${id}`,
  });
  const ref = ({ id }: { id: string }) => ({ provider_call_id: id, provider_request_id: '' });
  const transfers = () => carrier.transfers!;

  it('cold: the agent leaves, the person is rung, both talk, and end together', async () => {
    const call = await talking();
    const phone = call.phone!;
    expect(await transfers().connect(ref(call), { ...person, ...urls('t1') })).toBe('done');
    const second = await asterisk.nextCall(5_000);
    expect(await phone.waitForEnd(5_000).catch(() => phone.ended)).toBe('carrier');
    await here('dial answered null t1');
    expect([...call.peers]).toEqual([second]);
    second.hangUp();
    expect(await call.waitForEnd(5_000)).toBe('api');
    await here('dial over answered t1');
    await here('completed');
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it('cold: a person who is busy ends the call', async () => {
    const call = await talking();
    callee = { outcome: 'busy', afterMs: 30 };
    await transfers().connect(ref(call), { ...person, ...urls('t1') });
    await here('dial over busy t1');
    expect(await call.waitForEnd(5_000)).toBe('api');
    await empty();
  });

  it('cold: a person who leaves while nobody listens ends the call when somebody does', async () => {
    const call = await talking();
    await transfers().connect(ref(call), { ...person, ...urls('t1') });
    await here('dial answered null t1');
    asterisk.eventsAway(true);
    (await asterisk.nextCall(5_000)).hangUp();
    asterisk.eventsAway(false);
    expect(await call.waitForEnd(10_000)).toBe('api');
    await here('dial over answered t1');
    await empty();
  });

  it('cold: a refused dial leaves the caller with the agent', async () => {
    const call = await talking();
    const refused = transfers().connect(ref(call), { ...person, ...urls('t1'), to_number: 'x' });
    await expect(refused).rejects.toThrow(CarrierError);
    expect([call.state, call.phone!.ended]).toEqual(['in-progress', null]);
    call.hangUp();
    await empty();
  });

  it('cold: a caller who leaves while it rings ends the ringing', async () => {
    const call = await talking();
    callee = { outcome: 'answer', afterMs: 20_000 };
    await transfers().connect(ref(call), { ...person, ...urls('t1') });
    call.hangUp();
    expect(await (await asterisk.nextCall(5_000)).waitForEnd(5_000)).toBe('canceled');
    await empty();
  });

  it('warm: the person waits in a room, and the caller is brought there', async () => {
    const call = await talking();
    const dialled = await transfers().dialTarget({ ...person, ...urls('t1') });
    expect(dialled).toMatchObject({ accepted: true, provider_call_id: 'person-t1' });
    await here('person briefed t1');
    expect(call.phone!.ended).toBeNull();
    expect(await transfers().join(ref(call), ref({ id: 'person-t1' }), { room: 't1', caller_url: '' })).toBe('done');
    const second = await asterisk.nextCall(5_000);
    expect([...call.peers]).toEqual([second]);
    call.hangUp();
    expect(await second.waitForEnd(5_000)).toBe('api');
    await here('person completed t1');
    await empty();
    expect(asterisk.violations).toEqual([]);
  });

  it('warm: a person who does not answer, and one who is not wanted any more', async () => {
    const call = await talking();
    callee = { outcome: 'no-answer', afterMs: 30 };
    await transfers().dialTarget({ ...person, ...urls('t1') });
    await here('person no-answer t1');
    callee = { outcome: 'answer' };
    personStep = { do: 'hang up' };
    await transfers().dialTarget({ ...person, ...urls('t2') });
    await here('person completed t2');
    expect(call.state).toBe('in-progress');
    call.hangUp();
    await empty();
  });

  it('a caller who has left is gone', async () => {
    const call = await talking();
    call.hangUp();
    await empty();
    expect(await transfers().connect(ref(call), { ...person, ...urls('t1') })).toBe('gone');
    expect(await transfers().join(ref(call), ref({ id: 'person-t1' }), { room: 't1', caller_url: '' })).toBe('gone');
  });
});
