import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { startTelnyxSimulator } from '../../fixtures/simulators/telnyx.ts';
import { startVonageSimulator } from '../../fixtures/simulators/vonage.ts';
import { toE164 } from '../../shared/phone.ts';
import {
  CONVERSATION,
  converse,
  expectConversation,
  say,
  waitForText,
  waitForWelcome,
} from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** Simulated Telnyx and Vonage with the whole service. */

const BUSY = '+919876543299';
/** A line whose codec cannot be transcoded. */
const WIDEBAND = '+919876543150';
const BRIEFING = 'Asha asks about the bill.';

type Name = 'telnyx' | 'vonage';
let service: Service;
let carriers: Record<Name, CarrierSimulator>;

beforeAll(async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const callee = (to: string) => ({ outcome: BUSY.endsWith(to.replace('+', '')) ? 'busy' : 'answer' }) as const;
  const telnyx = await startTelnyxSimulator({
    apiKey: 'telnyx key',
    connectionId: 'connection 1',
    codec: (from) => (from === WIDEBAND ? 'G722' : 'PCMA'),
    startAfterMs: 200,
    callee,
  });
  const vonage = await startVonageSimulator({
    applicationId: 'application-1',
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    signatureSecret: 'vonage secret',
    callee,
  });
  carriers = { telnyx, vonage };
  service = await startService({
    transcripts: CONVERSATION.transcripts,
    answer(words, messages) {
      if (words.startsWith('The call so far')) return { text: BRIEFING };
      if (String(messages[0]?.content).includes('Hand over.')) {
        const wish = { target: 'Sales', reason: 'asks about the bill' };
        return { text: '', toolCalls: [{ name: 'transfer_call', arguments: wish }] };
      }
      if (/\b4\b/.test(words)) return { text: 'Four it is.' };
      return CONVERSATION.answer(words);
    },
    settings: {
      TELNYX_API_KEY: 'telnyx key',
      TELNYX_CONNECTION_ID: 'connection 1',
      TELNYX_PUBLIC_KEY: telnyx.publicKey,
      TELNYX_API_URL: telnyx.url,
      VONAGE_APPLICATION_ID: 'application-1',
      VONAGE_PRIVATE_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      VONAGE_SIGNATURE_SECRET: 'vonage secret',
      VONAGE_API_URL: vonage.url,
    },
  });
});
afterAll(async () => {
  await service?.close();
  await Promise.all(Object.values(carriers ?? {}).map((carrier) => carrier.close()));
});

function callUs(carrier: Name, from: string, to: string): CarrierCall {
  const url = `${service.stack.apiUrl}/carriers/${carrier}`;
  return carriers[carrier].placeInbound({ from, to, url: `${url}/inbound`, statusUrl: `${url}/status` });
}

async function placeCall(agentId: string, to_number: string): Promise<string> {
  const placed = await service.request('POST', `/agents/${agentId}/call`, { to_number });
  expect(placed.status).toBe(201);
  return ((await placed.json()) as { id: string }).id;
}

async function check(callId: string, carrier: Name, direction: string): Promise<void> {
  const { call, events } = await service.finished(callId);
  expect(call).toMatchObject({
    status: 'completed',
    direction,
    provider: carrier,
    hangup_by: 'agent',
    hangup_reason: 'agent ended the call',
  });
  expectConversation(call.transcript);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const types = events.map((event) => event.type);
  if (direction === 'outbound') expect(types.slice(0, 3)).toEqual(['call.queued', 'call.dequeued', 'call.placed']);
  expect(types.filter((type) => type === 'interrupted')).toHaveLength(1);
  expect(types.slice(-2)).toEqual(['call.ended', 'call.completed']);
}

describe.concurrent.each(['telnyx', 'vonage'] as const)('%s', (carrier) => {
  const last = carrier === 'telnyx' ? 3 : 4;

  test.concurrent('a caller is answered, interrupts, and is bidden goodbye', async () => {
    const { number } = await service.agentOn(carrier);
    const from = `+9198765431${last}0`;
    const incoming = callUs(carrier, from, number);
    const phone = await incoming.waitForPhone(60_000);
    const callId = await service.callOf(from);
    await converse(service, phone, callId);
    await incoming.waitForEnd(60_000);
    await check(callId, carrier, 'inbound');
  });

  test.concurrent('a placed call is dialled, talks and ends the same way', async () => {
    const { agentId } = await service.agentOn(carrier);
    const id = await placeCall(agentId, `+9198765431${last}1`);
    const dialled = await eventually('the dial', 60_000, async () =>
      carriers[carrier].calls.find((call) => call.to.endsWith(`98765431${last}1`)),
    );
    await converse(service, await dialled.waitForPhone(60_000), id);
    await dialled.waitForEnd(60_000);
    await check(id, carrier, 'outbound');
  });

  test.concurrent('a caller presses a key and hangs up; a stream that breaks before is opened anew', async () => {
    const { number } = await service.agentOn(carrier, { call: { dtmf_input: true, dtmf_wait_seconds: 1 } });
    const from = `+9198765431${last}2`;
    const incoming = callUs(carrier, from, number);
    const first = await incoming.waitForPhone(60_000);
    await waitForWelcome(first);
    first.dropConnection();
    const phone = await eventually('the next stream', 60_000, async () =>
      incoming.phone !== first ? incoming.phone : null,
    );
    phone.press('4');
    await waitForText(phone, 'Four it is.', 0);
    incoming.hangUp();
    const { call } = await service.finished(await service.callOf(from));
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'caller', hangup_reason: 'caller hung up' });
    expect(call.transcript.map((line) => line.text)).toContain('Four it is.');
  });

  test.concurrent.each([
    ['cold: the carrier rings the person', false, 5],
    ['warm: the person is briefed, then the caller comes', true, 6],
  ] as const)('a caller is handed over, %s', async (_manner, transfer_summary, digit) => {
    const person = `+9198765432${last}${digit}`;
    const { number } = await service.agentOn(carrier, {
      system_prompt: 'Hand over.',
      call: {
        transfer_enabled: true,
        transfer_targets: [{ name: 'Sales', number: person, description: 'questions about bills' }],
        transfer_message: 'One moment.',
        transfer_summary,
      },
    });
    const from = `+9198765431${last}${digit}`;
    const caller = callUs(carrier, from, number);
    const phone = await caller.waitForPhone(60_000);
    await waitForWelcome(phone);
    await say(phone, 'short-two-people');
    const leg = await eventually('caller and person to talk', 60_000, async () =>
      carriers[carrier].calls.find((call) => caller.peers.has(call)),
    );
    expect(toE164(leg.to)).toBe(person);
    expect(leg.announced).toEqual(transfer_summary ? [BRIEFING] : []);
    const callId = await service.callOf(from);
    const event = await eventually('the outcome', 60_000, async () =>
      (await service.api.events(callId)).find(({ type }) => type === 'call.transfer_status'),
    );
    expect(event).toMatchObject({ data: { status: 'answered', number: person } });
    expect(caller.state).toBe('in-progress');
    leg.hangUp();
    await caller.waitForEnd(60_000);
    const { call } = await service.finished(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'agent', hangup_reason: 'transferred' });
  });

  test.concurrent('a caller who is handed over to nobody is not left in silence', async () => {
    const person = BUSY;
    const { number } = await service.agentOn(carrier, {
      system_prompt: 'Hand over.',
      call: {
        transfer_enabled: true,
        transfer_targets: [{ name: 'Sales', number: person, description: 'questions about bills' }],
        transfer_message: 'One moment.',
        transfer_summary: false,
      },
    });
    const from = `+9198765431${last}7`;
    const caller = callUs(carrier, from, number);
    const phone = await caller.waitForPhone(60_000);
    await waitForWelcome(phone);
    await say(phone, 'short-two-people');
    await caller.waitForEnd(60_000);
    const callId = await service.callOf(from);
    const event = await eventually('the outcome', 60_000, async () =>
      (await service.api.events(callId)).find(({ type }) => type === 'call.transfer_status'),
    );
    expect(event).toMatchObject({ data: { status: 'busy' } });
  });

  test.concurrent('whom we call is busy', async () => {
    const { agentId } = await service.agentOn(carrier);
    const id = await placeCall(agentId, BUSY);
    const { call } = await service.finished(id);
    expect(call).toMatchObject({ status: 'busy', hangup_by: 'carrier', hangup_reason: 'busy' });
  });

  test.concurrent('a caller of a number nobody owns is not answered', async () => {
    const incoming = callUs(carrier, `+9198765431${last}4`, '+911140009999');
    await incoming.waitForEnd(60_000);
    expect(incoming.answeredAtMs).toBeNull();
  });

  test.concurrent('what the carrier did not sign is refused', async () => {
    const answer = await fetch(`${service.stack.apiUrl}/carriers/${carrier}/inbound`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer a.b.c',
        'telnyx-timestamp': String(Math.floor(Date.now() / 1000)),
        'telnyx-signature-ed25519': Buffer.alloc(64).toString('base64'),
      },
      body: JSON.stringify({ uuid: 'u-1', from: '919876543100', to: '911140000001' }),
    });
    expect(answer.status).toBe(403);
  });
});

test('neither carrier reported a violation', () => {
  for (const carrier of Object.values(carriers)) expect(carrier.violations).toEqual([]);
});

test('a call with a codec that is not supported gets the reason at once, and is hung up', async () => {
  const { number } = await service.agentOn('telnyx');
  const caller = callUs('telnyx', WIDEBAND, number);
  const phone = await caller.waitForPhone(60_000);
  await caller.waitForEnd(60_000);
  expect(phone.events.at(-1)).toMatchObject({ type: 'ended', by: 'agent', code: 1003 });
  const { call, events } = await service.finished(await service.callOf(WIDEBAND));
  expect(call).toMatchObject({
    status: 'failed',
    hangup_by: 'service',
    hangup_reason: 'error: unsupported audio, G722 at 8000 Hz',
    cost_paise: 0,
  });
  // It is completed soon after, or already.
  const first = events.filter(({ type }) => type !== 'call.completed');
  expect(first.map(({ type, level, message }) => ({ type, level, message }))).toEqual([
    {
      type: 'error',
      level: 'error',
      message: "the carrier sends unsupported audio: G722 at 8000 Hz; set the connection's codecs to G711U and G711A",
    },
    { type: 'call.ended', level: 'error', message: 'error: unsupported audio, G722 at 8000 Hz' },
  ]);
});
