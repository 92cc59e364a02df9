import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startAsteriskSimulator } from '../../fixtures/simulators/asterisk.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { startTelnyxSimulator } from '../../fixtures/simulators/telnyx.ts';
import { startVonageSimulator } from '../../fixtures/simulators/vonage.ts';
import { say, waitForEvents, waitForText, waitForWelcome } from '../support/conversing-caller.ts';
import { until } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** One call at 16 kHz over each carrier that has it: caller, agent and recording. */

const ANSWER = 'A table for two it is.';
type Name = 'vonage' | 'telnyx' | 'plivo' | 'asterisk';
let service: Service;
let carriers: Record<Name, CarrierSimulator>;

beforeAll(async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [telnyx, vonage, asterisk] = await Promise.all([
    startTelnyxSimulator({ apiKey: 'telnyx key', connectionId: 'connection 1', codec: () => 'L16' }),
    startVonageSimulator({
      applicationId: 'application-1',
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      signatureSecret: 'vonage secret',
    }),
    startAsteriskSimulator({ user: 'antiphon', password: 'ari secret', app: 'antiphon' }),
  ]);
  service = await startService({
    transcripts: ['for two people'],
    answer: () => ({ text: ANSWER }),
    settings: {
      TELNYX_API_KEY: 'telnyx key',
      TELNYX_CONNECTION_ID: 'connection 1',
      TELNYX_PUBLIC_KEY: telnyx.publicKey,
      TELNYX_API_URL: telnyx.url,
      VONAGE_APPLICATION_ID: 'application-1',
      VONAGE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      VONAGE_SIGNATURE_SECRET: 'vonage secret',
      VONAGE_API_URL: vonage.url,
      ASTERISK_ARI_URL: asterisk.url,
      ASTERISK_ARI_USER: 'antiphon',
      ASTERISK_ARI_PASSWORD: 'ari secret',
      ...{ TELNYX_SAMPLE_RATE: '16000', VONAGE_SAMPLE_RATE: '16000' },
      ...{ PLIVO_SAMPLE_RATE: '16000', ASTERISK_SAMPLE_RATE: '16000' },
    },
  });
  carriers = { telnyx, vonage, asterisk, plivo: service.carriers.plivo };
  asterisk.connections.set('antiphon', `${service.stack.mediaUrl.replace('http', 'ws')}/carrier/asterisk`);
  await until(() => asterisk.listening(), "the connection of Asterisk's events");
});
afterAll(async () => {
  await service?.close();
  await Promise.all(Object.values(carriers ?? {}).map((carrier) => carrier.close()));
});

test.concurrent.each<[Name, string]>([
  ['vonage', '+919876543501'],
  ['telnyx', '+919876543502'],
  ['plivo', '+919876543503'],
  ['asterisk', '+919876543504'],
])('%s carries a call at 16 kHz', async (carrier, from) => {
  const { number } = await service.agentOn(carrier, { call: { record: true } });
  const url = `${service.stack.apiUrl}/carriers/${carrier}`;
  const incoming = carriers[carrier].placeInbound({
    ...{ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
  });
  const phone = await incoming.waitForPhone(60_000);
  const callId = await service.callOf(from);
  await waitForWelcome(phone);
  await say(phone, 'short-two-people');
  await waitForEvents(service, callId, 'agent.reply');
  await waitForText(phone, ANSWER, 0);
  incoming.hangUp();
  const { call } = await service.finished(callId);
  expect(call.transcript.map(({ text }) => text)).toEqual(expect.arrayContaining(['for two people', ANSWER]));
  expect(phone.sampleRate).toBe(16_000);
  expect(carriers[carrier].violations).toEqual([]);
  const recording = await service.request('GET', `/calls/${callId}/recording`);
  const wav = Buffer.from(await recording.arrayBuffer());
  expect([wav.readUInt16LE(22), wav.readUInt32LE(24)]).toEqual([2, 16_000]);
  // As long as what the caller sent, in samples of 8 kHz: a wrong rate would double or halve it.
  const seconds = (wav.length - 44) / 64_000;
  expect(Math.abs(Math.log2(seconds / (phone.spokenSamples / 8_000)))).toBeLessThan(0.5);
});
