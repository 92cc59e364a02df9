import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocketServer } from 'ws';
import type { CallRow } from '../../../control/calls/call-row.ts';
import { type CallsModule, createCallsModule } from '../../../control/calls/calls-module.ts';
import { openSession } from '../../../control/calls/engines/sessions.ts';
import { ingest } from '../../../control/calls/events/ingest.ts';
import { hangUpCall } from '../../../control/calls/lifecycle/hang-up.ts';
import { createCallbackReplays } from '../../../control/carriers/callback-replays.ts';
import { carrierUrls } from '../../../control/carriers/carrier-urls.ts';
import { configuredCarriers } from '../../../control/carriers/configured-carriers.ts';
import { carrierRoutes } from '../../../control/carriers/routes.ts';
import { readControlConfig } from '../../../control/config.ts';
import { startDispatcher } from '../../../control/dispatch/dispatcher.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { freePort } from '../../../dev/ports.ts';
import type { Callee, CarrierCall } from '../../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../../fixtures/simulators/carrier-simulator.ts';
import { SIMULATOR_SEED } from '../../../fixtures/simulators/draws.ts';
import { startPlivoSimulator } from '../../../fixtures/simulators/plivo.ts';
import { startTwilioSimulator } from '../../../fixtures/simulators/twilio.ts';
import type { CallEvent } from '../../../shared/bus/messages.ts';
import { readMediaToken } from '../../../shared/media-token.ts';
import {
  type CallFixture,
  createCallFixture,
  createTestBus,
  delivered,
  log,
  type Tenant,
  wholeCall,
} from '../calls/call-fixture.ts';

const SECRET = 'a secret of the tests';
const seed = SIMULATOR_SEED;
const PLIVO_CONCURRENCY = 2;
/** How the called numbers behave. */
const CALLEES: Record<string, Callee> = {
  '+919811110001': { outcome: 'answer' },
  '+919811110002': { outcome: 'busy', afterMs: 30 },
  '+919811110003': { outcome: 'no-answer', afterMs: 60_000 },
  '+919811110004': { outcome: 'no-answer', afterMs: 30 },
};
const callee = (to: string): Callee => CALLEES[`+${to.replace('+', '')}`] ?? { outcome: 'fail' };

let fixture: CallFixture;
let app: FastifyInstance;
let module: CallsModule;
let dispatcher: { stop(): Promise<void> };
let carriers: Awaited<ReturnType<typeof configuredCarriers>>;
let publicUrl: string;
const bus = createTestBus();
const simulators = new Map<string, CarrierSimulator>();
const media = new WebSocketServer({ host: '127.0.0.1', port: 0 });
let opened: string[] = [];

beforeAll(async () => {
  fixture = await createCallFixture();
  simulators.set('twilio', await startTwilioSimulator({ accountSid: 'AC1', authToken: 'tw', callee, seed }));
  const plivo = { authId: 'MA1', authToken: 'pl', callee, seed, concurrency: PLIVO_CONCURRENCY };
  simulators.set('plivo', await startPlivoSimulator(plivo));
  media.on('connection', (_socket, request) => opened.push(request.url ?? ''));
  const port = await freePort();
  publicUrl = `http://127.0.0.1:${port}`;
  const config = readControlConfig({
    DATABASE_URL: fixture.url,
    MEDIA_TOKEN_SECRET: SECRET,
    RECORDINGS_DIR: '/nowhere',
    PUBLIC_API_URL: publicUrl,
    PUBLIC_MEDIA_URL: `ws://127.0.0.1:${(media.address() as { port: number }).port}`,
    TWILIO_ACCOUNT_SID: 'AC1',
    TWILIO_AUTH_TOKEN: 'tw',
    TWILIO_API_URL: simulators.get('twilio')!.url,
    PLIVO_AUTH_ID: 'MA1',
    PLIVO_AUTH_TOKEN: 'pl',
    PLIVO_API_URL: simulators.get('plivo')!.url,
  });
  carriers = await configuredCarriers(config);
  const addresses = carrierUrls(config.PUBLIC_API_URL, config.PUBLIC_MEDIA_URL);
  const { sql, clock } = fixture;
  const quiet = {
    ...bus,
    serveSessions: () => {},
    consumeEvents: () => ({ stop: async () => {} }),
  };
  module = createCallsModule({
    sql,
    clock,
    log,
    bus: quiet as never,
    carriers,
    addresses,
    config,
    searchKnowledge: async () => ({ items: [], hits: 0, embed_ms: 0, search_ms: 0 }),
    reaperTimes: { engine_report_timeout_ms: 100 },
  });
  app = await createHttpApp({ log, findPrincipal: async () => null });
  const replays = createCallbackReplays({ sql, clock, log });
  carrierRoutes(app, { carriers, events: module.carrierEvents, publicApiUrl: config.PUBLIC_API_URL, replays });
  await app.listen({ host: '127.0.0.1', port });
  const { engines } = module;
  dispatcher = startDispatcher({ sql, clock, log, carriers, addresses, streamUrl: () => '', engines });
});
afterAll(async () => {
  await dispatcher.stop();
  await Promise.all([...simulators.values()].map((simulator) => simulator.close()));
  await app.close();
  await module.stop();
  for (const socket of media.clients) socket.terminate();
  media.close();
});

const eventually = (check: () => Promise<void> | void) => vi.waitFor(check, { timeout: 60_000, interval: 30 });
const statusOf = async (id: string) => (await fixture.read(id)).status;

describe.each(['twilio', 'plivo'] as const)(`with %s, SIMULATOR_SEED=${seed}`, (provider) => {
  const simulator = () => simulators.get(provider)!;

  async function tenant(): Promise<Tenant> {
    const made = await fixture.tenant();
    await fixture.sql`update numbers set provider = ${provider} where number = ${made.number}`;
    opened = [];
    return made;
  }

  /** The engine: reads the token, opens the session, reports the call. */
  async function engine(provider_call_id: string, upTo: number) {
    await eventually(() => expect(opened).toHaveLength(1));
    const token = readMediaToken(SECRET, opened[0]!.split('/').at(-1)!, Date.now());
    if (typeof token === 'string') throw new Error(token);
    const { call_id, nonce } = token;
    const { sql, clock } = fixture;
    const request = { call_id, nonce, engine_id: 'engine-1', carrier: provider, provider_call_id };
    expect((await openSession({ sql, clock, log }, request)).refused).toBe('');
    await deliver(wholeCall(call_id).slice(0, upTo));
    return call_id;
  }

  async function deliver(events: CallEvent[]) {
    const { sql, clock } = fixture;
    await ingest(
      { sql, clock, log },
      events.map((event) => delivered(event)),
    );
  }

  it('places a call that is answered and ends', async () => {
    const who = await tenant();
    const call = await fixture.queue(who, '+919811110001');
    const calling = await simulator().nextCall(60_000);
    expect(await engine(calling.id, 4)).toBe(call.id);
    expect(await statusOf(call.id)).toBe('in-progress');
    expect((await fixture.read(call.id)).provider_call_id).toBe(calling.id);
    const types = (await fixture.types(call)).slice(0, 4);
    expect(types).toEqual(['call.queued', 'call.dequeued', 'call.placed', 'call.started']);
    calling.hangUp();
    await deliver(wholeCall(call.id).slice(4));
    await eventually(async () => expect(await statusOf(call.id)).toBe('completed'));
    expect(simulator().violations).toEqual([]);
  });

  it('ends a busy call', async () => {
    const who = await tenant();
    const call = await fixture.queue(who, '+919811110002');
    await simulator().nextCall(60_000);
    await eventually(async () => expect(await statusOf(call.id)).toBe('busy'));
    expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued', 'call.placed', 'call.ended']);
  });

  it('ends a call that nobody answers', async () => {
    const who = await tenant();
    const call = await fixture.queue(who, '+919811110004');
    await simulator().nextCall(60_000);
    await eventually(async () => expect(await statusOf(call.id)).toBe('no-answer'));
    expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued', 'call.placed', 'call.ended']);
  });

  it.runIf(provider === 'plivo')(
    'a call beyond the limit of the account is dialled again when another one has ended',
    async () => {
      const who = await tenant();
      const others = [];
      for (let n = 0; n < PLIVO_CONCURRENCY; n++) {
        await fixture.queue(who, '+919811110003');
        others.push(await simulator().nextCall(60_000));
      }
      const before = simulator().calls.length;
      const call = await fixture.queue(who, '+919811110001');
      const slowed = { status: 'ringing', dial_state: 'slowed', placed_at: null };
      await eventually(async () => expect(await fixture.read(call.id)).toMatchObject(slowed));
      others[0]!.finish('no-answer');
      await eventually(async () => expect(opened).toHaveLength(1));
      const dials = simulator().calls.slice(before);
      const last = dials.at(-1)!;
      expect(dials.filter(({ state }) => state === 'in-progress')).toEqual([last]);
      await eventually(async () => expect((await fixture.read(call.id)).provider_call_id).toBe(last.id));
      expect(await fixture.types(call)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);
      for (const each of [last, ...others.slice(1)]) each.finish('api');
      for (const _ of dials) await simulator().nextCall(60_000);
    },
  );

  it('callbacks that come twice and out of order end a call once', async () => {
    const who = await tenant();
    const numbers = ['+919811110002', '+919811110004', '+919811110002', '+919811110004'];
    const calls: [CallRow, CarrierCall][] = [];
    for (const number of numbers) {
      const call = await fixture.queue(who, number);
      const dialled = await simulator().nextCall(60_000);
      calls.push([call, dialled]);
      // Plivo's limit of calls at once would have the next one dialled again.
      await dialled.waitForEnd(60_000);
    }
    await Promise.all(calls.map(([, dialled]) => dialled.delivered()));
    for (const [at, [call]] of calls.entries()) {
      expect(await statusOf(call.id)).toBe(at % 2 === 0 ? 'busy' : 'no-answer');
      expect((await fixture.types(call)).filter((type) => type === 'call.ended')).toHaveLength(1);
    }
  });

  it('cancels a ringing call', async () => {
    const who = await tenant();
    const call = await fixture.queue(who, '+919811110003');
    const calling = await simulator().nextCall(60_000);
    await eventually(() => expect(calling.state).toBe('ringing'));
    await eventually(async () => expect((await fixture.read(call.id)).placed_at).not.toBeNull());
    const { sql, clock } = fixture;
    await hangUpCall({ sql, clock, log, bus, carriers }, who.workspace_id, call.id, {
      kind: 'user',
      id: 'ravi',
      name: 'Ravi',
    });
    await eventually(async () => expect(await statusOf(call.id)).toBe('canceled'));
    expect((await fixture.read(call.id)).hangup_reason).toBe('hung up by Ravi');
    expect(calling.end).toBe('canceled');
  });

  it("keeps the carrier's reason of a refusal", async () => {
    const who = await tenant();
    const words = provider === 'twilio' ? { message: 'Account not active', code: 10001 } : { error: 'no credit' };
    simulator().failNext({ status: 400, body: words });
    const call = await fixture.queue(who, '+919811110001');
    await eventually(async () => expect(await statusOf(call.id)).toBe('failed'));
    const reason = provider === 'twilio' ? 'dial refused: Account not active' : 'dial refused: no credit';
    expect((await fixture.read(call.id)).hangup_reason).toBe(reason);
  });

  it('answers an inbound call, and rejects one above the limit', async () => {
    const who = await tenant();
    await fixture.sql`update workspaces set concurrency_limit = 1 where id = ${who.workspace_id}`;
    const url = `${publicUrl}/carriers/${provider}/inbound`;
    const statusUrl = `${publicUrl}/carriers/${provider}/status`;
    const ring = () => simulator().placeInbound({ from: '+919811112222', to: who.number, url, statusUrl });
    const first = ring();
    const callId = await engine(first.id, 4);
    expect(await fixture.read(callId)).toMatchObject({ direction: 'inbound', from_number: '+919811112222' });
    const second = ring();
    await eventually(() => expect(second.end).toBe('busy'));
    first.hangUp();
    await deliver(wholeCall(callId).slice(4));
    await eventually(async () => expect(await statusOf(callId)).toBe('completed'));
    expect(simulator().violations).toEqual([]);
  });
});
