import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAsterisk } from '../../../control/carriers/asterisk.ts';
import { configuredCarriers } from '../../../control/carriers/configured-carriers.ts';
import type { CarrierEventHandler, TransferEventHandler } from '../../../control/carriers/event-handlers.ts';
import { readControlConfig } from '../../../control/config.ts';
import { type AsteriskSimulator, startAsteriskSimulator } from '../../../fixtures/simulators/asterisk.ts';
import { createLogger } from '../../../shared/log.ts';
import { selfSignedCertificate } from '../../support/certificate.ts';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts';
import { until } from '../../support/until.ts';

/** ARI over TLS, requests as `https` and events as `wss`, with an authority of its own. */

const TLS = selfSignedCertificate('127.0.0.1');
const OTHER = selfSignedCertificate('127.0.0.1');
const CALL_ID = 'c'.repeat(32);
const log = createLogger('test', 'fatal');

let database: TestDatabase;
let asterisk: AsteriskSimulator;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'ari-'));
  writeFileSync(join(folder, 'ca.pem'), TLS.cert);
  writeFileSync(join(folder, 'no.pem'), 'no certificate');
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  asterisk = await startAsteriskSimulator({ user: 'antiphon', password: 'secret', app: 'antiphon', tls: TLS });
});
afterEach(() => asterisk.close());

const carrierWith = (ari_ca: string | undefined) =>
  createAsterisk(
    {
      ...{ ari_url: asterisk.url, ari_ca, ari_user: 'antiphon', ari_password: 'secret' },
      ...{ app: 'antiphon', endpoint: 'PJSIP/{number}@trunk', media_connection: 'antiphon' },
    },
    { sql: database.sql, leaseTimes: { heartbeat_ms: 50, lost_after_ms: 400 } },
  );
const dial = {
  from_number: '+911140000001',
  to_number: '+919811112222',
  answer_url: `https://api.example.com/answer?call_id=${CALL_ID}`,
  status_url: `https://api.example.com/status?call_id=${CALL_ID}`,
  ring_seconds: 30,
};

it('carries requests and events', async () => {
  expect(asterisk.url).toMatch(/^https:/);
  const carrier = carrierWith(TLS.cert);
  const handled: string[] = [];
  const events = {
    inbound: async () => null,
    answered: async (_provider: string, callId: string) => {
      handled.push(callId);
      return null;
    },
    status: async () => {},
  } as unknown as CarrierEventHandler;
  const listening = carrier.listen!(events, log, {} as TransferEventHandler);
  await until(() => asterisk.listening(), 'the connection of the events');
  expect(await carrier.dial(dial)).toMatchObject({ accepted: true });
  await until(() => handled.includes(CALL_ID), 'the answer of the call');
  expect(asterisk.calls).toHaveLength(1);
  await listening.stop();
});

it.each([
  ['none', undefined],
  ['another one', OTHER.cert],
])('with %s in place of its authority sends nothing', async (_which, ca) => {
  const outcome = await carrierWith(ca).dial(dial);
  expect(outcome).toMatchObject({ accepted: false, reason: expect.stringContaining('SELF_SIGNED_CERT') });
  expect(asterisk.calls).toEqual([]);
});

const configured = (settings: Record<string, string>) =>
  configuredCarriers(
    readControlConfig({
      ...{ DATABASE_URL: database.url, MEDIA_TOKEN_SECRET: 'a secret of the tests', RECORDINGS_DIR: '/nowhere' },
      ...{ ASTERISK_ARI_URL: asterisk.url, ASTERISK_ARI_USER: 'antiphon', ASTERISK_ARI_PASSWORD: 'secret' },
      ...settings,
    }),
    { sql: database.sql },
  );

it('takes the authority from a file', async () => {
  const carriers = await configured({ ASTERISK_ARI_CA_FILE: join(folder, 'ca.pem') });
  expect(await carriers.get('asterisk')!.dial(dial)).toMatchObject({ accepted: true });
});

it.each([
  ['no.pem', {}, 'ASTERISK_ARI_CA_FILE has no certificate'],
  ['missing.pem', {}, 'ASTERISK_ARI_CA_FILE has no certificate'],
  ['ca.pem', { ASTERISK_ARI_URL: 'http://127.0.0.1:8088/ari' }, 'ASTERISK_ARI_CA_FILE is for an ASTERISK_ARI_URL'],
])('says what is wrong with %s %j', async (name, settings, words) => {
  await expect(configured({ ASTERISK_ARI_CA_FILE: join(folder, name), ...settings })).rejects.toThrow(words);
});
