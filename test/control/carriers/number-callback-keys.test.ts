import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { configuredCarriers } from '../../../control/carriers/configured-carriers.ts';
import { carrierRoutes } from '../../../control/carriers/routes.ts';
import { readControlConfig } from '../../../control/config.ts';
import { createHttpApp } from '../../../control/http/server.ts';
import { createOperatorCommand, type OperatorCommand } from '../../support/operator-command.ts';
import { type CallFixture, createCallFixture, log, type Tenant } from '../calls/call-fixture.ts';

/** Exotel signs nothing: what its callbacks about a number are proved with, and how that is replaced. */

const OLD_KEY = 'the old key of the service';
const NEW_KEY = 'the new key of the service';

let fixture: CallFixture;
let operate: OperatorCommand;
let app: FastifyInstance;
let own: Tenant;
let other: Tenant;
/** Has no key. */
let third: Tenant;

beforeAll(async () => {
  fixture = await createCallFixture();
  operate = createOperatorCommand(fixture.sql);
  const config = readControlConfig({
    ...{ DATABASE_URL: fixture.url, MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: '/nowhere' },
    ...{ EXOTEL_ACCOUNT_SID: 'ex1', EXOTEL_API_KEY: 'k', EXOTEL_API_TOKEN: 't' },
    ...{ EXOTEL_CALLBACK_KEY: `${NEW_KEY}, ${OLD_KEY}`, PUBLIC_API_URL: 'https://api.example.com' },
  });
  app = await createHttpApp({ log, findPrincipal: async () => null });
  carrierRoutes(app, {
    carriers: await configuredCarriers(config, { sql: fixture.sql }),
    publicApiUrl: config.PUBLIC_API_URL,
    replays: { once: (_provider, _proof, handle) => handle() },
    events: { inbound: async () => 'wss://m.example/t', answered: async () => null, status: async () => {} },
  });
  await app.ready();
});
beforeEach(async () => {
  [own, other, third] = [await fixture.tenant(), await fixture.tenant(), await fixture.tenant()];
  await fixture.sql`update numbers set provider = 'exotel'`;
});
afterAll(() => app.close());

/** What a callback about the number is answered with this key, as a question and as a report. */
async function statusesOf({ number }: Tenant, key: string): Promise<number[]> {
  const fields = { CallSid: 's1', CallFrom: '09811112222', CallTo: `0${number.slice(3)}`, key };
  const inbound = await app.inject({ url: `/carriers/exotel/inbound?${new URLSearchParams(fields)}` });
  const status = await app.inject({
    ...{ method: 'POST', url: `/carriers/exotel/status?key=${encodeURIComponent(key)}` },
    payload: { CallSid: 's1', To: number, Status: 'completed' },
  });
  return [inbound.statusCode, status.statusCode];
}

async function newKey({ number }: Tenant): Promise<string> {
  const { result, text } = await operate.operator(`callback-key new ${number}`);
  expect(text).toContain(result.inbound);
  return new URL(result.inbound, 'https://api.example.com').searchParams.get('key')!;
}

const TAKEN = [200, 200];
const REFUSED = [403, 403];

it('a key of the service is replaced while both are taken', async () => {
  for (const key of [NEW_KEY, OLD_KEY]) expect(await statusesOf(third, key)).toEqual(TAKEN);
  expect(await statusesOf(third, 'another key of the service')).toEqual(REFUSED);
});

it("a number's own key is taken for it and for no other number", async () => {
  const [key, foreign] = [await newKey(own), await newKey(other)];
  expect(await statusesOf(own, key)).toEqual(TAKEN);
  expect(await statusesOf(own, foreign)).toEqual(REFUSED);
  expect(await statusesOf(other, key)).toEqual(REFUSED);
  expect(await statusesOf(third, key)).toEqual(REFUSED);
});

it('a number with a key of its own does not take the one of the service', async () => {
  await newKey(own);
  expect(await statusesOf(own, NEW_KEY)).toEqual(REFUSED);
  expect(await statusesOf(third, NEW_KEY)).toEqual(TAKEN);
});

it('two keys of a number are valid while one replaces the other', async () => {
  const [first, second] = [await newKey(own), await newKey(own)];
  expect([await statusesOf(own, first), await statusesOf(own, second)]).toEqual([TAKEN, TAKEN]);
  await fixture.sql`update number_callback_keys set expires_at = now() - interval '1 minute' where expires_at is not null`;
  expect([await statusesOf(own, first), await statusesOf(own, second)]).toEqual([REFUSED, TAKEN]);
});

it('of three keys the first is ended', async () => {
  const keys = [await newKey(own), await newKey(own), await newKey(own)];
  const statuses = await Promise.all(keys.map((key) => statusesOf(own, key)));
  expect(statuses).toEqual([REFUSED, TAKEN, TAKEN]);
});

it('a number whose keys are ended takes the one of the service again', async () => {
  const key = await newKey(own);
  expect((await operate.operator('callback-key list')).text).toContain(own.number);
  await operate.operator(`callback-key end ${own.number}`);
  expect([await statusesOf(own, key), await statusesOf(own, NEW_KEY)]).toEqual([REFUSED, TAKEN]);
  expect(await operate.trailOf(own.workspace_id)).toEqual(['number.callback_key_made', 'number.callback_keys_ended']);
});

it('no key is stored as it is', async () => {
  const key = await newKey(own);
  const rows = await fixture.sql`select number_callback_keys::text as row from number_callback_keys`;
  expect(JSON.stringify(rows)).not.toContain(key);
});

it.each([
  ['a number that the service has not', 'callback-key new +911199999999', 'the service has no such number'],
  ['a carrier that signs', 'callback-key new TWILIO', 'callbacks of twilio need no key'],
  ['a number without a key', 'callback-key end OWN', 'the number has no key of its own'],
])('a key is refused for %s', async (_which, words, message) => {
  await fixture.sql`update numbers set provider = 'twilio' where number = ${third.number}`;
  const command = words.replace('TWILIO', third.number).replace('OWN', other.number);
  expect(await operate.refusal(command)).toBe(message);
});
