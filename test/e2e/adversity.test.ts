import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { asOperator } from '../../dev/first-workspace.ts';
import { startNats } from '../../dev/nats.ts';
import { startPostgres } from '../../dev/postgres.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { newId } from '../../shared/ids.ts';
import { signMediaToken } from '../../shared/media-token.ts';
import { say, waitForPartOfAnswer, waitForText, waitForWelcome } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** Failures around a call with the whole service: nothing crashes, every call ends with a reason, no event is lost. */

let service: Service;
let callers = 0;

beforeAll(async () => {
  service = await startService({
    transcripts: ['for two people', 'thank you very much goodbye', 'thank you very much goodbye'],
    answer: (words) =>
      words.includes('goodbye')
        ? { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] }
        : { text: 'For when?' },
  });
});
afterAll(async () => {
  await service?.close();
});

/** Starts an inbound call of an agent with this configuration. */
async function callIn(
  config?: object,
  carrier: 'twilio' | 'plivo' = 'twilio',
): Promise<{ phone: Phone; callId: string }> {
  const { number } = await service.agentOn(carrier, config);
  return callTo(number, carrier);
}

async function callTo(
  number: string,
  carrier: 'twilio' | 'plivo' = 'twilio',
): Promise<{ phone: Phone; callId: string }> {
  const from = `+91987650${String(callers++).padStart(4, '0')}`;
  const url = `${service.stack.apiUrl}/carriers/${carrier}`;
  const incoming = service.carriers[carrier].placeInbound({
    from,
    to: number,
    url: `${url}/inbound`,
    statusUrl: `${url}/status`,
  });
  const phone = await incoming.waitForPhone(60_000);
  return { phone, callId: await service.callOf(from) };
}

/** Expects a complete timeline: numbered without gaps, from start to end. */
async function wholeTimeline(callId: string) {
  const { call, events } = await service.finished(callId);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const types = events.map((event) => event.type);
  expect(types[0]).toBe('call.started');
  expect(types.slice(-2)).toEqual(['call.ended', 'call.completed']);
  return { call, events, types };
}

describe('a provider', () => {
  test('a model that never responds: one retry, then the call ends with an error event', async () => {
    service.llm.setMode('silent');
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    await say(phone, 'short-two-people');
    await phone.waitForEnd(60_000);
    service.llm.setMode('normal');
    const { call, events } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'failed', hangup_by: 'service', hangup_reason: 'error: llm' });
    expect(events.filter((event) => event.type === 'error').map((event) => event.level)).toEqual(['warning', 'error']);
    expect(events.at(-2)!.level).toBe('error');
  });

  test('a transcriber that rejects the connection', async () => {
    service.stt.faults.refuse = { status: 401, headers: {}, body: '' };
    const { phone, callId } = await callIn();
    await phone.waitForEnd(60_000);
    service.stt.faults.refuse = null;
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'failed', hangup_reason: 'error: transcriber' });
  });

  test('a synthesizer without audio', async () => {
    service.tts.faults.silent = true;
    const { phone, callId } = await callIn();
    await phone.waitForEnd(60_000);
    service.tts.faults.silent = false;
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'failed', hangup_reason: 'error: voice' });
  });

  test('a provider whose credentials were taken away after the agent was saved', async () => {
    const { agentId, number } = await service.agentOn('twilio');
    await asOperator(
      service.stack,
      (sql) => sql`update agents set llm = jsonb_set(llm, '{provider}', '"mistral"') where id = ${agentId}`,
    );
    const { phone, callId } = await callTo(number);
    await phone.waitForEnd(60_000);
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'failed', hangup_reason: 'error: llm' });
  });
});

describe('a carrier', () => {
  test('that drops the connection', async () => {
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    phone.vanish();
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'carrier', hangup_reason: 'carrier failed' });
  });

  test('that sends nothing on an open socket', async () => {
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    phone.freeze();
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_reason: 'carrier failed' });
  });

  test('a caller who hangs up during a reply: the played-out text stays', async () => {
    const { phone, callId } = await callIn(
      { welcome_message: 'Welcome to the house of many rooms, where everybody is heard.' },
      'plivo',
    );
    await waitForPartOfAnswer(phone, 0);
    phone.hangUp();
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'caller', hangup_reason: 'caller hung up' });
    expect(call.transcript).toHaveLength(1);
    expect(call.transcript[0]).toMatchObject({ role: 'agent', interrupted: true });
    expect('Welcome to the house of many rooms, where everybody is heard.').toContain(call.transcript[0]!.text);
  });

  test('garbage in the middle of a call changes nothing', async () => {
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    phone.sendRaw('{"event":');
    phone.sendRaw('{"event":"surprise","streamSid":"x"}');
    phone.sendRaw(new Uint8Array([1, 2, 3]));
    phone.sendRaw(JSON.stringify({ event: 'media', media: { track: 'inbound', chunk: 'x', payload: '%%%' } }));
    const { sinceMs } = await say(phone, 'short-two-people');
    await waitForText(phone, 'For when?', sinceMs);
    await say(phone, 'goodbye');
    await phone.waitForEnd(60_000);
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_reason: 'agent ended the call' });
  });

  test('an oversized message ends the call with a reason', async () => {
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    phone.sendRaw('x'.repeat(100_000));
    const { call } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_by: 'carrier', hangup_reason: 'carrier failed' });
  });
});

test('a member ends a live call, once', async () => {
  const { phone, callId } = await callIn();
  await waitForWelcome(phone);
  expect((await service.request('POST', `/calls/${callId}/hangup`)).status).toBe(200);
  await phone.waitForEnd(60_000);
  const { call } = await wholeTimeline(callId);
  expect(call).toMatchObject({ status: 'completed', hangup_by: 'member' });
  expect(call.hangup_reason).toMatch(/^hung up by ./);
  expect((await service.request('POST', `/calls/${callId}/hangup`)).status).toBe(409);
});

describe('a stream token', () => {
  async function open(path: string): Promise<number> {
    const socket = new WebSocket(service.stack.mediaUrl.replace('http', 'ws') + path);
    return new Promise((resolve) => {
      socket.on('unexpected-response', (_, response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      socket.on('open', () => {
        socket.terminate();
        resolve(101);
      });
      socket.on('error', () => {});
    });
  }

  test('with a wrong signature, expired, or without a call is rejected', async () => {
    const secret = readFileSync(join(service.stack.home.dir, 'media-token-secret'), 'utf8').trim();
    expect(await open('/carrier/twilio/anything')).toBe(401);
    expect(
      await open(`/carrier/twilio/${signMediaToken('another secret of ours', newId(), Date.now() + 60_000)}`),
    ).toBe(401);
    expect(await open(`/carrier/twilio/${signMediaToken(secret, newId(), Date.now() - 2_000)}`)).toBe(403);
    expect(await open(`/carrier/nobody/${signMediaToken(secret, newId(), Date.now() + 60_000)}`)).toBe(404);
  });

  test('works once', async () => {
    const secret = readFileSync(join(service.stack.home.dir, 'media-token-secret'), 'utf8').trim();
    const path = `/carrier/twilio/${signMediaToken(secret, newId(), Date.now() + 60_000)}`;
    expect(await open(path)).toBe(101);
    expect(await open(path)).toBe(403);
  });
});

describe('parts of the service, killed and restarted during a call', () => {
  async function killed(pid: number): Promise<void> {
    process.kill(pid, 'SIGKILL');
    await eventually('its end', 60_000, async () => {
      try {
        process.kill(pid, 0);
        return null;
      } catch {
        return true;
      }
    });
  }

  function ports(): Record<string, number> {
    return JSON.parse(readFileSync(join(service.stack.home.dir, 'ports.json'), 'utf8'));
  }

  test('NATS: the call continues, and no event is lost', async () => {
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    await killed(service.stack.pids.nats!);
    const { sinceMs } = await say(phone, 'short-two-people');
    await phone.waitForAgentSpeech(60_000, sinceMs);
    const { home, bus } = service.stack;
    const nats = await startNats({ dataDir: home.nats, port: ports().nats!, config: bus.serverConfig });
    try {
      await waitForText(phone, 'For when?', sinceMs);
      await say(phone, 'goodbye');
      await phone.waitForEnd(60_000);
      const { call, types } = await wholeTimeline(callId);
      expect(call).toMatchObject({ status: 'completed', hangup_reason: 'agent ended the call' });
      expect(types.filter((type) => type === 'user.turn')).toHaveLength(2);
    } finally {
      closing.push(() => nats.stop());
    }
  });

  test('PostgreSQL: the call continues, and no event is lost', async () => {
    const { phone, callId } = await callIn();
    await waitForWelcome(phone);
    await killed(service.stack.pids.postgres!);
    const { sinceMs } = await say(phone, 'short-two-people');
    await waitForText(phone, 'For when?', sinceMs);
    await say(phone, 'goodbye');
    await phone.waitForEnd(60_000);
    const postgres = await startPostgres({ dataDir: service.stack.home.postgres, port: ports().postgres! });
    closing.push(() => postgres.stop());
    const { call, types } = await wholeTimeline(callId);
    expect(call).toMatchObject({ status: 'completed', hangup_reason: 'agent ended the call' });
    expect(types.filter((type) => type === 'agent.reply')).toHaveLength(2);
  });

  const closing: (() => Promise<unknown>)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
});
