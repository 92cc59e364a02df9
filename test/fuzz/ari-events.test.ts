import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createAsterisk } from '../../control/carriers/asterisk.ts';
import type { CarrierEventHandler, TransferEventHandler } from '../../control/carriers/event-handlers.ts';
import { createLogger } from '../../shared/log.ts';
import { afterFile } from '../support/after-file.ts';
import { createTestDatabase, type TestDatabase } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { createDraws } from './draws.ts';
import { anyMessage } from './hostile-json.ts';
import { createTally, messagesOf, SEED } from './tally.ts';

/** Asterisk's events and answers of any content: the events of other channels are handled after them. SEED, COUNT. */

const REQUESTS_AT_ONCE = 200;
const channel = (id: string) => ({
  ...{ id, name: 'PJSIP/x', state: 'Ring', caller: { number: '9811112222', name: '' } },
  dialplan: { context: 'in', exten: '1140000001', app_name: 'Stasis' },
});
const IDS = ['1700000000.1', `call-${'c'.repeat(32)}`, `media-abc-1700000000.1`, `target-${'d'.repeat(32)}`];
const EVENTS: readonly object[] = IDS.flatMap((id) => [
  { type: 'StasisStart', application: 'antiphon', args: ['1140000001'], channel: channel(id) },
  { type: 'ChannelStateChange', channel: { ...channel(id), state: 'Ringing' } },
  { type: 'ChannelDestroyed', cause: 16, cause_txt: 'Normal Clearing', channel: channel(id) },
  { type: 'StasisEnd', channel: channel(id) },
]);
const ANSWERS: readonly object[] = [channel('1700000000.1'), [channel('call-x')], { message: 'no' }, [], {}];

let database: TestDatabase;
let events: WebSocket | null = null;
let url: string;
const errors: { msg: string; error?: string }[] = [];
const draws = createDraws(SEED);

beforeAll(async () => {
  database = await createTestDatabase();
  const sockets = new WebSocketServer({ noServer: true });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(draws.pick([200, 200, 204, 404, 409, 500]), { 'content-type': 'application/json' });
    response.end(anyMessage(draws, ANSWERS));
  });
  server.on('upgrade', (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) => {
      events = opened;
    }),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ari`;
  afterFile(async () => {
    for (const each of sockets.clients) each.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

it('the events of Asterisk may be any', async () => {
  const total = messagesOf(1_500);
  const tally = createTally('ARI events', total);
  const account = { ari_url: url, ari_user: 'u', ari_password: 'p', app: 'antiphon', media_connection: 'antiphon' };
  const carrier = createAsterisk({ ...account, endpoint: 'PJSIP/{number}@trunk' }, { sql: database.sql });
  const handled = new Set<string>();
  const carrierEvents: CarrierEventHandler = {
    async inbound(_provider, { provider_call_id }) {
      handled.add(provider_call_id);
      return draws.chance(0.5) ? 'ws://127.0.0.1:1/carrier/asterisk/a.token-1_x' : null;
    },
    answered: async () => null,
    async status() {},
  };
  const transferEvents: TransferEventHandler = {
    targetAnswered: async () => ({ do: 'hang up' }),
    targetBriefed: async () => ({ do: 'hang up' }),
    async targetStatus() {},
    callerMoved: async () => ({ do: 'hang up' }),
    async dialStatus() {},
  };
  const log = createLogger('control', 'error', { write: (line: string) => void errors.push(JSON.parse(line)) });
  const listening = carrier.listen!(carrierEvents, log, transferEvents);
  await until(() => events !== null, 'the connection of the events');
  for (let count = 0; count < total; count++) {
    events!.send(anyMessage(draws, EVENTS));
    tally.add('sent');
    if (count % REQUESTS_AT_ONCE !== REQUESTS_AT_ONCE - 1 && count < total - 1) continue;
    const last = `last.${count}`;
    await until(() => events!.readyState === events!.OPEN, 'the connection of the events');
    events!.send(JSON.stringify({ type: 'StasisStart', args: ['1140000001'], channel: channel(last) }));
    await until(() => handled.has(last), 'the event after them');
    handled.clear();
  }
  await listening.stop();
  // An answer that means nothing is a failure of the one call; an error of the program is none.
  for (const { msg, error = '' } of errors) {
    if (/is not|undefined|Cannot read|PostgresError|invalid byte|violates/i.test(error))
      tally.found(`${msg}: ${error}`);
  }
  expect(tally.end()).toEqual([]);
}, 86_400_000);
