import type { AddressInfo } from 'node:net';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAsterisk } from '../../../control/carriers/asterisk.ts';
import type { Carrier } from '../../../control/carriers/carrier.ts';
import { connectDatabase, type Sql } from '../../../control/db/connect.ts';
import { type AsteriskSimulator, startAsteriskSimulator } from '../../../fixtures/simulators/asterisk.ts';
import type { Callee, CarrierCall } from '../../../fixtures/simulators/carrier-call.ts';
import { createLogger } from '../../../shared/log.ts';
import { untilNoticed } from '../../support/killed-program.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { eventually, until } from '../../support/until.ts';

/** Two control processes and one Asterisk: each process has its own adapter, connections and log of what it handled. */

const CALLER = '+919811112222';
const OURS = '+911140000001';
const STREAM = 'ws://media.example/carrier/asterisk/a.token-1_x';
const TARGET = { from_number: OURS, to_number: '+919800000099', ring_seconds: 20 };
const urls = (id: string) => ({
  answer_url: `https://api.example.com/t/answer?transfer_id=${id}`,
  status_url: `https://api.example.com/t/status?transfer_id=${id}`,
  caller_url: `https://api.example.com/t/caller?transfer_id=${id}`,
  dial_url: `https://api.example.com/t/dial?transfer_id=${id}`,
  dialled_url: `https://api.example.com/t/dialled?transfer_id=${id}`,
});
const ref = ({ id }: { id: string }) => ({ provider_call_id: id, provider_request_id: '' });
const log = createLogger('test', 'silent');

interface Process {
  carrier: Carrier;
  handled: string[];
  start(): void;
  stop(): Promise<void>;
  /** As by kill -9: its connection to Asterisk breaks, and it writes nothing more. */
  kill(): Promise<void>;
}

let database: TestDatabase;
let asterisk: AsteriskSimulator;
let media: WebSocketServer;
let streams: WebSocket[];
let callee: Callee;
let processes: Process[];

beforeAll(async () => {
  database = await createTestDatabase();
});
beforeEach(async () => {
  streams = [];
  processes = [];
  callee = { outcome: 'answer' };
  media = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/carrier/asterisk' });
  media.on('connection', (socket) => streams.push(socket));
  await new Promise((resolve) => media.once('listening', resolve));
  const credentials = { user: 'antiphon', password: 'secret', app: 'antiphon' };
  asterisk = await startAsteriskSimulator({ ...credentials, callee: () => callee });
  asterisk.connections.set('antiphon', `ws://127.0.0.1:${(media.address() as AddressInfo).port}/carrier/asterisk`);
});
afterEach(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await asterisk.close();
  for (const socket of media.clients) socket.terminate();
  media.close();
  await database.sql`truncate asterisk_calls, asterisk_handovers, connection_leases`;
});

function aProcess(): Process {
  const name = `process ${processes.length}`;
  const sql: Sql = connectDatabase({ url: database.url, name, max: 3 });
  const handled: string[] = [];
  const account = { ari_user: 'antiphon', ari_password: 'secret', app: 'antiphon', media_connection: 'antiphon' };
  const carrier = createAsterisk(
    { ...account, ari_url: asterisk.url, endpoint: 'PJSIP/{number}@trunk' },
    { sql, leaseTimes: { heartbeat_ms: 50, lost_after_ms: 60_000 } },
  );
  let listening: { stop(): Promise<void> } | null = null;
  let ended: Promise<unknown> | null = null;
  const self: Process = {
    carrier,
    handled,
    start() {
      listening = carrier.listen!(
        {
          inbound: async () => STREAM,
          answered: async () => STREAM,
          async status(_provider, _callId, { status }) {
            handled.push(String(status));
          },
        },
        log,
        {
          async targetAnswered() {
            handled.push('target answered');
            return { do: 'listen', text: '', language: 'en', next_url: '' };
          },
          async targetBriefed(_provider, room) {
            handled.push('target briefed');
            return { do: 'wait in room', room };
          },
          async targetStatus(_provider, _id, { status }) {
            handled.push(`target ${status}`);
          },
          callerMoved: async () => ({ do: 'hang up' }),
          async dialStatus(_provider, _id, { event }) {
            handled.push(`dial ${event}`);
          },
        },
      );
    },
    stop() {
      ended ??= (listening?.stop() ?? Promise.resolve()).then(() => sql.end({ timeout: 1 }));
      return ended.then(() => {});
    },
    async kill() {
      // Its heartbeat stays as the last one that was written.
      await sql.end({ timeout: 0 });
      await listening?.stop();
      await untilNoticed(database.sql, name);
      ended = Promise.resolve();
    },
  };
  processes.push(self);
  return self;
}

/** Two processes, of which the first one listens. */
async function both(): Promise<[Process, Process]> {
  const [first, second] = [aProcess(), aProcess()];
  first.start();
  await until(() => asterisk.listening(), 'the connection of the events');
  second.start();
  return [first, second];
}

async function talking(): Promise<CarrierCall> {
  const call = asterisk.placeInbound({ from: CALLER, to: OURS, url: '' });
  await call.waitForPhone(60_000);
  return call;
}
const has = (process: Process, what: string) => until(() => process.handled.includes(what), what);
const empty = () => until(() => asterisk.left().length === 0, 'an empty Asterisk');
/** The time is over in which the other process waits for a heartbeat of one that was killed. */
const heartbeatIsMissed = () => database.sql`update connection_leases set held_until = now()`;
const heartbeats = async () => {
  const [row] = await database.sql<{ held_until: Date }[]>`select held_until from connection_leases`;
  return row!.held_until.getTime();
};

it('one of them listens, and the other one leaves it alone', async () => {
  const [first, second] = await both();
  const before = await heartbeats();
  await eventually('several heartbeats', 60_000, async () => (await heartbeats()) > before + 200 || null);
  const call = await talking();
  call.hangUp();
  await has(first, 'completed');
  await empty();
  expect(second.handled).toEqual([]);
});

it('a process that stops hands the calls over at once', async () => {
  const [first, second] = await both();
  const call = await talking();
  await first.stop();
  await until(() => asterisk.listening(), 'the other listener');
  expect(call.state).toBe('in-progress');
  call.hangUp();
  await has(second, 'completed');
  await empty();
});

it('when one dies, the other one goes on with its calls: a stream that breaks is opened anew', async () => {
  const [first, second] = await both();
  const call = await talking();
  const phone = call.phone;
  await first.kill();
  await heartbeatIsMissed();
  await until(() => asterisk.listening(), 'the other listener');
  streams[0]!.terminate();
  await until(() => call.phone !== phone, 'the next stream');
  expect(call.state).toBe('in-progress');
  call.hangUp();
  await has(second, 'completed');
  await empty();
});

it('when one dies, calls that ended and streams that broke meanwhile are settled by the other one', async () => {
  const [first, second] = await both();
  const [over, broken] = [await talking(), await talking()];
  const phone = broken.phone;
  asterisk.eventsLost(true);
  over.hangUp();
  streams[1]!.terminate();
  await first.kill();
  asterisk.eventsLost(false);
  await heartbeatIsMissed();
  await until(() => broken.phone !== phone, 'the next stream');
  await has(second, 'completed');
  broken.hangUp();
  await empty();
});

it('transfers are commanded by either process', async () => {
  const [first, second] = await both();
  const call = await talking();
  expect(await second.carrier.transfers!.connect(ref(call), { ...TARGET, ...urls('t1') })).toBe('done');
  const target = await asterisk.nextCall(60_000);
  await has(first, 'dial answered');
  expect([...call.peers]).toEqual([target]);
  target.hangUp();
  expect(await call.waitForEnd(60_000)).toBe('api');
  await empty();
});

it('a transfer goes on when the process that listened dies before the target answers', async () => {
  const [first, second] = await both();
  const call = await talking();
  callee = { outcome: 'answer', afterMs: 200 };
  asterisk.eventsLost(true);
  await first.carrier.transfers!.dialTarget({ ...TARGET, ...urls('t1') });
  await first.kill();
  const target = await asterisk.nextCall(60_000);
  await until(() => target.state === 'in-progress', 'the answer');
  asterisk.eventsLost(false);
  await heartbeatIsMissed();
  await has(second, 'target briefed');
  expect(await second.carrier.transfers!.join(ref(call), ref(target), { room: 't1', caller_url: '' })).toBe('done');
  expect([...call.peers]).toEqual([target]);
  call.hangUp();
  expect(await target.waitForEnd(60_000)).toBe('api');
  await has(second, 'target completed');
  await empty();
});
