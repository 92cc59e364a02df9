import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPhoneNumber } from '../../control/operators/numbers.ts';
import { asOperator } from '../../dev/first-workspace.ts';
import { freePort } from '../../dev/ports.ts';
import type { Phone } from '../../fixtures/simulators/carrier-phone.ts';
import { loadSpeech } from '../../fixtures/speech.ts';
import { createResampler } from '../../media/audio/resample.ts';
import { say, waitForEvents } from '../support/conversing-caller.ts';
import { eventually } from '../support/until.ts';
import { type Service, startService } from '../support/whole-service.ts';

/** Every program of examples/ against the whole service. */

const AGENT_SETTINGS = JSON.stringify({
  voice: { provider: 'elevenlabs', voice_id: 'test', language: 'en' },
  call: { max_duration_seconds: 60 },
});
const running: ChildProcess[] = [];
let service: Service;

beforeAll(async () => {
  service = await startService({
    transcripts: ['a table at eight for two for asha', 'thank you goodbye'],
    settings: { FETCH_ALLOW: '127.0.0.1/32' },
    answer(words, messages) {
      const result = messages.at(-1)?.role === 'tool' ? String(messages.at(-1)?.content) : null;
      if (result?.includes('"booked":true')) return { text: 'Booked for eight.' };
      if (result?.includes('out for delivery')) return { text: 'It is out for delivery.' };
      if (words.includes('goodbye')) return { text: 'Goodbye.', toolCalls: [{ name: 'end_call', arguments: {} }] };
      const orders = messages.some(({ content }) => String(content).includes('order_status'));
      return orders
        ? { toolCalls: [{ name: 'order_status', arguments: { order_number: '1001' } }] }
        : { toolCalls: [{ name: 'book_table', arguments: { time: '20:00', guests: 2, name: 'Asha' } }] };
    },
  });
});
afterAll(async () => {
  for (const child of running) child.kill();
  await service?.close();
});

/** Runs a program of examples/; `said` waits for a line of its output. */
function example(file: string, args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', file, ...args], {
    cwd: fileURLToPath(new URL('../../examples', import.meta.url)),
    env: { ...process.env, ANTIPHON_URL: service.stack.apiUrl, ANTIPHON_KEY: service.apiKey, AGENT_SETTINGS, ...env },
  });
  running.push(child);
  let output = '';
  const collect = (bytes: Buffer) => {
    output += bytes.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return {
    child,
    output: () => output,
    said: (pattern: RegExp) =>
      eventually(`${file} to say ${pattern}`, 60_000, async () => pattern.exec(output)).catch((error) => {
        throw new Error(`${error.message}; it said:\n${output}`);
      }),
  };
}

/** A caller reaches this agent, speaks twice and says goodbye. */
async function callAgent(agentId: string, number: string, from: string) {
  const { workspace_id } = (await (await service.request('GET', `/agents/${agentId}`)).json()) as {
    workspace_id?: string;
  };
  const workspaceId = workspace_id ?? (await workspaceOfKey());
  await asOperator(service.stack, (sql) =>
    addPhoneNumber(
      { sql, wallMs: Date.now() },
      { workspace_id: workspaceId, number, provider: 'twilio', agent_id: agentId },
    ),
  );
  const url = `${service.stack.apiUrl}/carriers/twilio`;
  const incoming = service.carriers.twilio.placeInbound({
    ...{ from, to: number, url: `${url}/inbound`, statusUrl: `${url}/status` },
  });
  const phone: Phone = await incoming.waitForPhone(60_000);
  const callId = await service.callOf(from);
  await waitForEvents(service, callId, 'tts.first_audio');
  await phone.waitForAgentSilence(400, 30_000);
  await say(phone, 'short-two-people');
  await waitForEvents(service, callId, 'tool.result');
  await waitForEvents(service, callId, 'agent.reply');
  await say(phone, 'goodbye');
  await phone.waitForEnd(60_000);
  return service.finished(callId);
}

async function workspaceOfKey(): Promise<string> {
  return ((await (await service.request('GET', '/workspace')).json()) as { id: string }).id;
}

test('restaurant-booking books a table in a call', async () => {
  const port = await freePort();
  const program = example('restaurant-booking.ts', [], { PORT: String(port) });
  const [, agentId] = (await program.said(/agent ([a-f0-9]{32}) is ready/))!;
  const { call } = await callAgent(agentId!, '+911140000301', '+919876543301');
  expect(program.output()).toContain('booked 20:00 for 2, Asha');
  expect(call.transcript.map(({ text }) => text).join(' ')).toContain('Booked for eight.');
});

test('order-status asks with its secret, in a call with variables', async () => {
  const port = await freePort();
  const program = example('order-status.ts', [], { PORT: String(port), TOOL_SECRET: 'only ours' });
  const [, agentId, variables] = (await program.said(/agent ([a-f0-9]{32}) is ready; it wants the variables (.*)/))!;
  expect(variables).toBe('first_name');
  await callAgent(agentId!, '+911140000302', '+919876543302');
  expect(program.output()).toContain('asked for order 1001');
});

test('batch-from-csv calls every contact of the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  const file = join(folder, 'contacts.csv');
  writeFileSync(file, 'phone,first_name\n+919800000311,Asha\n+919800000312,Ravi\n12,Nobody\n');
  // Who is called says nothing, so silence is what ends these calls.
  const { agentId } = await service.agentOn('twilio', {
    call: { max_duration_seconds: 30, hangup_after_silence_seconds: 15 },
  });
  const program = example('batch-from-csv.ts', [agentId, file], { CHECK_EVERY_MS: '500' });
  const [code] = await once(program.child, 'exit');
  rmSync(folder, { recursive: true });
  expect(code, program.output()).toBe(0);
  expect(program.output()).toContain('2 contacts');
  expect(program.output()).toMatch(/row 4: /);
  expect(program.output()).toMatch(/919800000311,completed,.*\r\n.*919800000312,completed,/);
});

test('webhook-receiver takes what is signed, once', async () => {
  const port = await freePort();
  const secret = 'whsec_example';
  const program = example('webhook-receiver.ts', [], { PORT: String(port), WEBHOOK_SECRET: secret });
  await program.said(/listening/);
  const body = JSON.stringify({ type: 'call.ended', call_id: 'c1', data: { message: 'the caller hung up' } });
  const send = (key: string) => {
    const t = Math.floor(Date.now() / 1000);
    const v1 = createHmac('sha256', key).update(`${t}.${body}`).digest('hex');
    const headers = { 'x-svc-signature': `t=${t},v1=${v1}`, 'x-svc-delivery': 'whd_1' };
    return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
  };
  expect((await send('whsec_foreign')).status).toBe(400);
  expect((await send(secret)).status).toBe(204);
  expect((await send(secret)).status).toBe(204);
  await program.said(/call\.ended · c1 · the caller hung up/);
  expect(program.output().match(/call\.ended/g)).toHaveLength(1);
});

test('stream-client talks with an agent over its own audio stream', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'examples-'));
  const [question, answer] = [join(folder, 'question.raw'), join(folder, 'answer.raw')];
  const speech = loadSpeech('short-two-people').samples;
  const resampler = createResampler(8_000, 16_000);
  const wide = new Int16Array(resampler.maxOutput(speech.length));
  const spoken = wide.subarray(0, resampler.process(speech, wide));
  const audio = new Int16Array(4 * 16_000 + spoken.length);
  audio.set(spoken, 4 * 16_000);
  writeFileSync(question, Buffer.from(audio.buffer));
  const { agentId } = await service.agentOn('twilio', {});
  const program = example('stream-client/client.ts', [agentId, question, answer]);
  const [, callId] = (await program.said(/call ([a-f0-9]{32})/))!;
  await program.said(/user: a table at eight for two/);
  await program.said(/agent: .*\n(.*\n)*agent: /);
  program.child.kill('SIGINT');
  const [code] = await once(program.child, 'exit');
  expect(code, program.output()).toBe(0);
  expect(program.output()).toContain('ended: caller hung up');
  const { call, events } = await service.finished(callId!);
  expect(call).toMatchObject({ ...{ status: 'completed', channel: 'web', provider: 'stream', hangup_by: 'caller' } });
  expect(events[0]).toMatchObject({ type: 'call.started', message: "call over a client's stream" });
  expect(readFileSync(answer).some((byte) => byte !== 0)).toBe(true);
  rmSync(folder, { recursive: true });
});

test('browser-button serves a page, and a session for its button', async () => {
  const port = await freePort();
  const { agentId } = await service.agentOn('twilio');
  const program = example('browser-button.ts', [agentId], { PORT: String(port) });
  await program.said(/localhost/);
  const page = await (await fetch(`http://127.0.0.1:${port}/`)).text();
  expect(page).toContain(`${service.stack.apiUrl}/embed.js`);
  const session = await (await fetch(`http://127.0.0.1:${port}/start-call`, { method: 'POST' })).json();
  expect(session).toMatchObject({ url: expect.stringMatching(/^ws/), token: expect.any(String) });
});
