import { generateKeyPairSync } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { type CallsModule, createCallsModule } from '../../../control/calls/calls-module.ts';
import { openSession } from '../../../control/calls/engines/sessions.ts';
import { ingest } from '../../../control/calls/events/ingest.ts';
import { createReaper, type Reaper } from '../../../control/calls/lifecycle/reaper.ts';
import { createCallbackReplays } from '../../../control/carriers/callback-replays.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { configuredCarriers } from '../../../control/carriers/configured-carriers.ts';
import { carrierRoutes } from '../../../control/carriers/routes.ts';
import { readControlConfig } from '../../../control/config.ts';
import { createDispatchModule } from '../../../control/dispatch/dispatch-module.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { freePort } from '../../../dev/ports.ts';
import { type AsteriskSimulator, startAsteriskSimulator } from '../../../fixtures/simulators/asterisk.ts';
import type { Callee } from '../../../fixtures/simulators/carrier-call.ts';
import type { RestResponse } from '../../../fixtures/simulators/carrier-http.ts';
import type { CarrierSimulator } from '../../../fixtures/simulators/carrier-simulator.ts';
import { startExotelSimulator } from '../../../fixtures/simulators/exotel.ts';
import { startPlivoSimulator } from '../../../fixtures/simulators/plivo.ts';
import { startTelnyxSimulator } from '../../../fixtures/simulators/telnyx.ts';
import { startTwilioSimulator } from '../../../fixtures/simulators/twilio.ts';
import { startVonageSimulator } from '../../../fixtures/simulators/vonage.ts';
import { CARRIER_NAMES, type CarrierName } from '../../../shared/carriers/registry.ts';
import { readMediaToken } from '../../../shared/media-token.ts';
import { createCallFixture, createTestBus, delivered, log, wholeCall } from '../calls/call-fixture.ts';

const SECRET = 'a secret of the tests';
const ANSWERS = '+919811110001';
const RINGS = '+919811110002';
const callee = (to: string): Callee =>
  to.endsWith(ANSWERS.slice(3)) ? { outcome: 'answer' } : { outcome: 'no-answer', afterMs: 60_000 };
const FAILURES: [string, (reply: RestResponse) => RestResponse][] = [
  ['breaks off', (reply) => ({ ...reply, lost: true })],
  ['is a 502 of a proxy', () => ({ status: 502, body: '<html>Bad gateway</html>' })],
];

let fixture: Awaited<ReturnType<typeof createCallFixture>>;
let app: FastifyInstance;
let calls: CallsModule;
let reaper: Reaper;
let carriers: Awaited<ReturnType<typeof configuredCarriers>>;
let addresses: ReturnType<typeof carrierUrls>;
let listening: { stop(): Promise<void> };
let callbacksAway = false;
const bus = createTestBus();
const simulators = new Map<CarrierName, CarrierSimulator>();
const simulator = (provider: CarrierName) => simulators.get(provider)!;
const media = new WebSocketServer({ host: '127.0.0.1', port: 0 });
let streams: string[] = [];
let stopping: (() => Promise<void>)[] = [];

beforeAll(async () => {
  fixture = await createCallFixture();
  const { sql, clock } = fixture;
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const telnyx = await startTelnyxSimulator({ apiKey: 'te', connectionId: '7', callee });
  const asterisk = await startAsteriskSimulator({ user: 'as', password: 'as', app: 'antiphon', callee });
  simulators.set('twilio', await startTwilioSimulator({ accountSid: 'AC1', authToken: 'tw', callee }));
  simulators.set('plivo', await startPlivoSimulator({ authId: 'MA1', authToken: 'pl', callee }));
  simulators.set('telnyx', telnyx);
  simulators.set('exotel', await startExotelSimulator({ accountSid: 'ex1', apiKey: 'k', apiToken: 't', callee }));
  const vonage = { applicationId: 'app', publicKey: keys.publicKey, signatureSecret: 'vs' };
  simulators.set('vonage', await startVonageSimulator({ ...vonage, callee }));
  simulators.set('asterisk', asterisk);
  media.on('connection', (_socket, request) => streams.push(request.url ?? ''));
  const mediaUrl = `ws://127.0.0.1:${(media.address() as { port: number }).port}`;
  asterisk.connections.set('antiphon', `${mediaUrl}/carrier/asterisk`);
  const port = await freePort();
  const config = readControlConfig({
    DATABASE_URL: fixture.url,
    MEDIA_TOKEN_SECRET: SECRET,
    RECORDINGS_DIR: '/nowhere',
    PUBLIC_API_URL: `http://127.0.0.1:${port}`,
    PUBLIC_MEDIA_URL: mediaUrl,
    ...{ TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'tw', TWILIO_API_URL: simulator('twilio').url },
    ...{ PLIVO_AUTH_ID: 'MA1', PLIVO_AUTH_TOKEN: 'pl', PLIVO_API_URL: simulator('plivo').url },
    ...{ TELNYX_API_KEY: 'te', TELNYX_CONNECTION_ID: '7', TELNYX_API_URL: telnyx.url },
    TELNYX_PUBLIC_KEY: telnyx.publicKey,
    ...{
      EXOTEL_ACCOUNT_SID: 'ex1',
      EXOTEL_API_KEY: 'k',
      EXOTEL_API_TOKEN: 't',
      EXOTEL_API_URL: simulator('exotel').url,
    },
    EXOTEL_CALLBACK_KEY: 'a key of sixteen characters',
    ...{ VONAGE_APPLICATION_ID: 'app', VONAGE_PRIVATE_KEY: keys.privateKey, VONAGE_SIGNATURE_SECRET: 'vs' },
    VONAGE_API_URL: simulator('vonage').url,
    ...{ ASTERISK_ARI_URL: asterisk.url, ASTERISK_ARI_USER: 'as', ASTERISK_ARI_PASSWORD: 'as' },
  });
  carriers = await configuredCarriers(config, { sql });
  addresses = carrierUrls(config.PUBLIC_API_URL, config.PUBLIC_MEDIA_URL);
  calls = createCallsModule({
    ...{ sql, clock, log, bus: bus as never, carriers, addresses, config },
    searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }),
  });
  reaper = createReaper({ sql, clock, log, bus, carriers, times: { interval_ms: 100 } });
  reaper.start();
  app = await createHttpApp({ log, findPrincipal: async () => null });
  app.addHook('onRequest', async (_request, reply) => {
    if (callbacksAway) await reply.code(503).send();
  });
  const replays = createCallbackReplays({ sql, clock, log });
  carrierRoutes(app, { carriers, events: calls.carrierEvents, publicApiUrl: config.PUBLIC_API_URL, replays });
  await app.listen({ host: '127.0.0.1', port });
  listening = carriers.get('asterisk')!.listen!(calls.carrierEvents, log, calls.transferEvents);
});
afterEach(async () => {
  awayWithCallbacks(false);
  await Promise.all(stopping.map((stop) => stop()));
  stopping = [];
  streams = [];
  for (const each of simulators.values()) for (const call of each.calls) call.finish('caller');
  await fixture.sql`update calls set status = 'canceled', ended_at = now() where status in ('ringing', 'in-progress')`;
});
afterAll(async () => {
  await listening.stop();
  await reaper.stop();
  await Promise.all([...simulators.values()].map((each) => each.close()));
  await app.close();
  await calls.stop();
  for (const socket of media.clients) socket.terminate();
  media.close();
});

function awayWithCallbacks(away: boolean): void {
  callbacksAway = away;
  (simulators.get('asterisk') as AsteriskSimulator).eventsLost(away);
}

function dispatch() {
  const { sql, clock } = fixture;
  const { engines, carrierEvents, dialStreamUrl: streamUrl } = calls;
  const deps = { sql, clock, log, carriers, addresses, engines, carrierEvents, streamUrl };
  const dispatcher = createDispatchModule({ ...deps, intervalMs: 50, lookUpIntervalMs: 50 });
  dispatcher.start();
  stopping.push(() => dispatcher.stop());
  return dispatcher;
}

async function queue(provider: CarrierName, to: string): Promise<CallRow> {
  const tenant = await fixture.tenant();
  await fixture.sql`update numbers set provider = ${provider} where number = ${tenant.number}`;
  return fixture.queue(tenant, to);
}

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 30 });
const dialsTo = (provider: CarrierName, before = 0) => simulator(provider).calls.length - before;

/** The engine: opens the session of the stream, and reports that the call has begun. */
async function conversation(call: CallRow, provider: CarrierName, provider_call_id: string): Promise<void> {
  await eventually(() => expect(streams).toHaveLength(1));
  const url = new URL(streams[0]!, 'ws://media');
  const token = readMediaToken(SECRET, url.searchParams.get('token') ?? url.pathname.split('/').at(-1)!, Date.now());
  if (typeof token === 'string') throw new Error(token);
  const { sql, clock } = fixture;
  const request = { ...token, engine_id: 'engine-1', carrier: provider, provider_call_id };
  expect((await openSession({ sql, clock, log }, request)).refused).toBe('');
  await ingest(
    { sql, clock, log },
    wholeCall(call.id)
      .slice(0, 4)
      .map((event) => delivered(event)),
  );
  expect((await fixture.read(call.id)).status).toBe('in-progress');
}

describe.each(CARRIER_NAMES)('an answer of %s that comes only when somebody talks', (provider) => {
  it.each(FAILURES)('and %s leaves the call as it is', async (_how, failure) => {
    let answer = () => {};
    const gate = new Promise<void>((resolve) => {
      answer = resolve;
    });
    simulator(provider).spoilNext((reply) => gate.then(() => failure(reply)));
    const before = simulator(provider).calls.length;
    const dispatcher = dispatch();
    const call = await queue(provider, ANSWERS);
    const dialled = await simulator(provider).nextCall(20_000);
    await conversation(call, provider, dialled.id);
    answer();
    await dispatcher.stop();
    expect(await fixture.read(call.id)).toMatchObject({ status: 'in-progress', dial_state: '' });
    expect(await fixture.types(call)).not.toContain('call.ended');
    expect(dialsTo(provider, before)).toBe(1);
  });
});

it('finds a ringing call whose answer and callbacks did not come', async () => {
  awayWithCallbacks(true);
  const asked = CARRIER_NAMES.filter((provider) => provider !== 'exotel');
  dispatch();
  const ringing = await Promise.all(
    asked.map(async (provider) => {
      simulator(provider).spoilNext(FAILURES[1]![1]);
      const call = await queue(provider, RINGS);
      return { provider, call, dialled: await simulator(provider).nextCall(20_000) };
    }),
  );
  for (const { provider, call, dialled } of ringing) {
    await eventually(async () => {
      const { status, provider_call_id, dial_state } = await fixture.read(call.id);
      expect({ provider, status, provider_call_id, dial_state }).toEqual({
        ...{ provider, status: 'ringing', provider_call_id: dialled.id, dial_state: '' },
      });
    });
    expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);
  }
});

describe('a ringing call whose end was reported while control was away', () => {
  it.each([
    ...(['twilio', 'exotel', 'vonage', 'plivo'] as const).map((provider) => [provider, 'busy'] as const),
    // They say that it is over, and not how it ended.
    ...(['telnyx', 'asterisk'] as const).map((provider) => [provider, 'no-answer'] as const),
  ])('of %s is %s once control is back', async (provider, end) => {
    awayWithCallbacks(true);
    const before = dispatch();
    const call = await queue(provider, RINGS);
    const dialled = await simulator(provider).nextCall(20_000);
    await eventually(async () => expect((await fixture.read(call.id)).placed_at).not.toBeNull());
    await before.stop();
    // Plivo names the call only when it rings.
    await fixture.sql`update live_calls set provider_call_id = ${dialled.id} where id = ${call.id}`;
    dialled.finish('busy');
    dispatch();
    await eventually(async () => {
      const { status, hangup_by } = await fixture.read(call.id);
      expect({ status, hangup_by }).toEqual({ status: end, hangup_by: 'carrier' });
    });
  });
});

describe('a dial that never reached the carrier', () => {
  const UNKNOWN = 'dial refused: the carrier does not know the call';
  it.each([
    ...(['twilio', 'plivo', 'asterisk'] as const).map((provider) => [provider, UNKNOWN, 40_000] as const),
    ...(['telnyx', 'vonage', 'exotel'] as const).map((provider) => [provider, 'error: dispatch', 95_000] as const),
  ])('of %s fails: %s', async (provider, reason, withinMs) => {
    awayWithCallbacks(true);
    simulator(provider).failNext({ status: 502, body: '<html>' });
    const before = simulator(provider).calls.length;
    dispatch();
    const call = await queue(provider, RINGS);
    let waitedMs = 0;
    await eventually(async () => {
      const { status, hangup_reason, dial_state } = await fixture.read(call.id);
      if (dial_state === 'unknown' && waitedMs < withinMs) {
        fixture.clock.shift(5_000);
        waitedMs += 5_000;
      }
      expect({ status, hangup_reason }).toEqual({ status: 'failed', hangup_reason: reason });
    });
    expect(dialsTo(provider, before)).toBe(0);
  });
});
