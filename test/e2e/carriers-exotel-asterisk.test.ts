import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { type AsteriskSimulator, startAsteriskSimulator } from '../../fixtures/simulators/asterisk.ts';
import type { CarrierCall } from '../../fixtures/simulators/carrier-call.ts';
import type { CarrierSimulator } from '../../fixtures/simulators/carrier-simulator.ts';
import { startExotelSimulator } from '../../fixtures/simulators/exotel.ts';
import {
  CONVERSATION,
  converse,
  expectConversation,
  say,
  waitForText,
  waitForWelcome,
} from '../support/conversing-caller.ts';
import { eventually, until } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** Simulated Exotel and Asterisk with the whole service. */

const BUSY = '+919876543298';
const KEY = 'the key in the addresses that Exotel calls';
const HAND_OVER = 'Hand everybody over to sales.';
const WISH = { name: 'transfer_call', arguments: { target: 'Sales', reason: 'wants a table' } };
const ACCOUNT = { accountSid: 'acme1', apiKey: 'exotel key', apiToken: 'exotel token' };

type Name = 'exotel' | 'asterisk';
let service: Service;
let carriers: Record<Name, CarrierSimulator>;
let asterisk: AsteriskSimulator;

beforeAll(async () => {
  const callee = (to: string) => ({ outcome: to === BUSY ? 'busy' : 'answer' }) as const;
  const exotel = await startExotelSimulator({ ...ACCOUNT, callee });
  asterisk = await startAsteriskSimulator({ user: 'antiphon', password: 'ari secret', app: 'antiphon', callee });
  carriers = { exotel, asterisk };
  service = await startService({
    transcripts: CONVERSATION.transcripts,
    answer(words, messages) {
      if (words.startsWith('The call so far')) return { text: 'They want a table.' };
      if (JSON.stringify(messages[0]).includes(HAND_OVER)) return { text: '', toolCalls: [{ ...WISH }] };
      if (/\b4\b/.test(words)) return { text: 'Four it is.' };
      return CONVERSATION.answer(words);
    },
    settings: {
      EXOTEL_ACCOUNT_SID: ACCOUNT.accountSid,
      EXOTEL_API_KEY: ACCOUNT.apiKey,
      EXOTEL_API_TOKEN: ACCOUNT.apiToken,
      EXOTEL_API_URL: exotel.url,
      EXOTEL_CALLBACK_KEY: KEY,
      ASTERISK_ARI_URL: asterisk.url,
      ASTERISK_ARI_USER: 'antiphon',
      ASTERISK_ARI_PASSWORD: 'ari secret',
    },
  });
  asterisk.connections.set('antiphon', `${service.stack.mediaUrl.replace('http', 'ws')}/carrier/asterisk`);
  await until(() => asterisk.listening(), "the connection of Asterisk's events");
});
afterAll(async () => {
  await service?.close();
  await Promise.all(Object.values(carriers ?? {}).map((carrier) => carrier.close()));
});

function callUs(carrier: Name, from: string, to: string, key = KEY): CarrierCall {
  const url = `${service.stack.apiUrl}/carriers/${carrier}/inbound?key=${encodeURIComponent(key)}`;
  return carriers[carrier].placeInbound({ from, to, url });
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

/** Returns the response to opening this stream. */
function statusOf(url: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    socket.on('error', () => {});
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
    socket.on('open', () => {
      socket.terminate();
      resolve(101);
    });
  });
}

describe.concurrent.each(['exotel', 'asterisk'] as const)('%s', (carrier) => {
  const last = carrier === 'exotel' ? 5 : 6;

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

  test.concurrent('a stream that breaks and comes back within seconds goes on with the call', async () => {
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
    const { call, events } = await service.finished(await service.callOf(from));
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'caller', hangup_reason: 'caller hung up' });
    expect(call.transcript.map((line) => line.text)).toEqual(['Welcome.', expect.stringContaining('4'), 'Four it is.']);
    expect(events.filter((event) => event.type === 'call.started')).toHaveLength(1);
  });

  test.concurrent('a socket that is half closed does not hold up the end of the call', async () => {
    const { number } = await service.agentOn(carrier);
    const from = `+9198765431${last}3`;
    const incoming = callUs(carrier, from, number);
    const phone = await incoming.waitForPhone(60_000);
    await phone.waitForAgentSpeech(60_000, 0);
    phone.halfClose();
    await phone.waitForEnd(60_000);
    incoming.hangUp();
    const { call } = await service.finished(await service.callOf(from));
    expect(call).toMatchObject({ status: 'completed' });
  });

  test.concurrent('whom we call is busy', async () => {
    const { agentId } = await service.agentOn(carrier);
    const { call } = await service.finished(await placeCall(agentId, BUSY));
    expect(call).toMatchObject({ status: 'busy', hangup_by: 'carrier', hangup_reason: 'busy' });
  });

  test.concurrent('a caller of a number nobody owns gets no agent', async () => {
    const incoming = callUs(carrier, `+9198765431${last}4`, '+911140009999');
    expect(await incoming.waitForEnd(60_000)).toBe(carrier === 'asterisk' ? 'busy' : 'document');
    expect(incoming.phone).toBeNull();
  });

  test.concurrent('a callback without the key is refused', async () => {
    const url = `${service.stack.apiUrl}/carriers/${carrier}/inbound`;
    for (const query of ['', '?key=guessed', `?CallSid=s1&call_id=${'a'.repeat(32)}&key=guessed`]) {
      expect((await fetch(url + query)).status).toBe(403);
    }
  });
});

test.concurrent('an applet with a wrong key gets no stream', async () => {
  const { number } = await service.agentOn('exotel');
  const incoming = callUs('exotel', '+919876543155', number, 'another key');
  await incoming.waitForEnd(60_000);
  expect(incoming.phone).toBeNull();
  expect(incoming.callbacks.map(({ answer }) => answer.status)).toEqual([403]);
});

test.concurrent('a stream that comes back after the call is over is refused', async () => {
  const { number } = await service.agentOn('exotel');
  const from = '+919876543156';
  const incoming = callUs('exotel', from, number);
  const phone = await incoming.waitForPhone(60_000);
  const { url } = JSON.parse(incoming.callbacks[0]!.answer.body) as { url: string };
  expect(await statusOf(url)).toBe(403);
  await phone.waitForAgentSpeech(60_000, 0);
  incoming.hangUp();
  await service.finished(await service.callOf(from));
  expect(await statusOf(url)).toBe(403);
});

test.concurrent.each([false, true])(
  'asterisk: a caller is handed over to a person (who is there first: %s)',
  async (warm) => {
    const person = `+91987654318${Number(warm)}`;
    const { number } = await service.agentOn('asterisk', {
      system_prompt: HAND_OVER,
      call: {
        transfer_enabled: true,
        transfer_targets: [{ name: 'Sales', number: person, description: 'tables' }],
        transfer_message: 'One moment.',
        transfer_summary: warm,
      },
    });
    const from = `+91987654319${Number(warm)}`;
    const caller = callUs('asterisk', from, number);
    const phone = await caller.waitForPhone(60_000);
    await waitForWelcome(phone);
    await say(phone, 'short-two-people');
    await until(() => caller.peers.size > 0, 'caller and person to talk', 60_000);
    const [leg] = caller.peers;
    expect(leg!.to).toBe(person);
    await until(() => phone.ended !== null, 'the end of the stream');
    const id = await service.callOf(from);
    const outcome = await eventually('the outcome', 60_000, async () =>
      (await service.api.events(id)).find((event) => event.type === 'call.transfer_status'),
    );
    expect(outcome).toMatchObject({ level: 'info', data: { status: 'answered', name: 'Sales', number: person } });
    if (warm) leg!.hangUp();
    else caller.hangUp();
    await Promise.all([caller.waitForEnd(60_000), leg!.waitForEnd(60_000)]);
    const { call } = await service.finished(id);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'agent', hangup_reason: 'transferred' });
  },
);

test('neither carrier reported a violation, and Asterisk has no channels and bridges left', async () => {
  for (const carrier of Object.values(carriers)) expect(carrier.violations).toEqual([]);
  await until(() => asterisk.left().length === 0, 'an empty Asterisk');
});
